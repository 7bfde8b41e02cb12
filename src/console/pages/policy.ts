import { html } from 'hono/html';
import type { PolicyPages } from '../dependencies.ts';
import { block, line } from '../shown.ts';
import { form, page } from './page.ts';
import type { Html, View } from './view.ts';

type Explained = Awaited<ReturnType<PolicyPages['explain']>>;
type Trial = Awaited<ReturnType<PolicyPages['test']>>;

/** The rules in force, and a box to try a call against them. */
export function policyPage(
  explained: Explained,
  tried: { readonly json: string; readonly trial?: Trial | undefined },
  view: View,
): Html {
  const { words, locale } = view;
  const say = words.policy;
  const operator = explained.operator.map(
    ({ id, decision, because, about }) =>
      html`<li class="${kinds[decision]}"><span class="outcome">${say.decisions[decision]}</span> <span class="tool">${line(id, 60)}</span> <span>${line(because, 300)}</span> <code>${line(about, 300)}</code></li>`,
  );
  const builtin = explained.builtin.map(
    ({ id, decision, because, examples }) =>
      html`<li class="${kinds[decision]}"><details><summary><span class="outcome">${say.decisions[decision]}</span> <span class="tool">${id}</span> <span>${because[locale]}</span></summary>${examples.map((example) => html`<code>${line(example, 200)}</code> `)}</details></li>`,
  );
  return page(
    view,
    'policy',
    say.title,
    html`<section><h2>${say.try}</h2><p class="quiet">${say.tryNote}</p>
${form(view, '/policy', html`<label>${say.call}<textarea name="call" rows="3" maxlength="20000" spellcheck="false" data-search>\n${tried.json}</textarea></label><div class="row"><button>${say.submit}</button></div>`, 'stack')}
${tried.trial ? verdict(tried.trial, view) : ''}</section>
<section><h2>${say.mode}</h2><p><strong>${explained.mode}</strong>: ${explained.meaning[locale]}</p></section>
<section><h2>${say.operator}</h2>${operator.length === 0 ? html`<p class="empty">${say.noRules}</p>` : html`<ul class="rows">${operator}</ul>`}</section>
<section><h2>${say.builtin}</h2><ul class="rows" data-list>${builtin}</ul></section>`,
  );
}

function verdict(trial: Trial, view: View): Html {
  const say = view.words.policy;
  return html`<div class="card ${kinds[trial.decision]}" role="status"><p><strong class="outcome">${say.decisions[trial.decision]}</strong> ${line(trial.because[view.locale], 600)}</p>
${trial.rule === undefined ? '' : html`<p class="quiet">${say.rule}: <code>${line(trial.rule)}</code></p>`}
${trial.suggestion ? html`<p>${line(trial.suggestion[view.locale], 600)}</p>` : ''}
${trial.grant === undefined ? '' : html`<p class="quiet">${say.grant}:</p>${block(trial.grant, view)}`}</div>`;
}

const kinds = { allow: 'passed', try: 'passed', ask: 'asked', deny: 'refused', invalid: 'failed' } as const;
