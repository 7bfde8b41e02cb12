import { html } from 'hono/html';
import { text } from '../../contract/text/text.ts';
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
  const { say, locale } = view;
  const operator = explained.operator.map(
    ({ id, decision, because, about }) =>
      html`<li class="${kinds[decision]}"><span class="outcome">${say(decisions[decision])}</span> <span class="tool">${line(id, 60)}</span> <span>${line(because, 300)}</span> <code>${line(about, 300)}</code></li>`,
  );
  const builtin = explained.builtin.map(
    ({ id, decision, because, examples }) =>
      html`<li class="${kinds[decision]}"><details><summary><span class="outcome">${say(decisions[decision])}</span> <span class="tool">${id}</span> <span>${because[locale]}</span></summary>${examples.map((example) => html`<code>${line(example, 200)}</code> `)}</details></li>`,
  );
  return page(
    view,
    'policy',
    html`<section><h2>${say('Try a call', '呼び出しを試す')}</h2><p class="quiet">${say('Says what would happen to it as the local person. Nothing is run or recorded.', 'ローカルユーザーの呼び出しがどう扱われるかを示します。実行も記録もされません。')}</p>
${form(view, '/policy', html`<label>${say('Call as JSON', '呼び出し (JSON)')}<textarea name="call" rows="3" maxlength="20000" spellcheck="false" data-search>\n${tried.json}</textarea></label><div class="row"><button>${say('Try it', '試す')}</button></div>`, 'stack')}
${tried.trial ? verdict(tried.trial, view) : ''}</section>
<section><h2>${say('Mode', 'モード')}</h2><p><strong>${explained.mode}</strong>: ${explained.meaning[locale]}</p></section>
<section><h2>${say('Your rules', '運用者のルール')}</h2>${operator.length === 0 ? html`<p class="empty">${say('None. Rules stand in the configuration file.', 'なし。ルールは設定ファイルに書きます。')}</p>` : html`<ul class="rows">${operator}</ul>`}</section>
<section><h2>${say('Built-in rules', '組み込みルール')}</h2><ul class="rows" data-list>${builtin}</ul></section>`,
  );
}

function verdict(trial: Trial, view: View): Html {
  const { say } = view;
  return html`<div class="card ${kinds[trial.decision]}" role="status"><p><strong class="outcome">${say(decisions[trial.decision])}</strong> ${line(trial.because[view.locale], 600)}</p>
${trial.rule === undefined ? '' : html`<p class="quiet">${say('Rule', 'ルール')}: <code>${line(trial.rule)}</code></p>`}
${trial.suggestion ? html`<p>${line(trial.suggestion[view.locale], 600)}</p>` : ''}
${trial.grant === undefined ? '' : html`<p class="quiet">${say('A standing approval would allow', '継続して許可した場合の範囲')}:</p>${block(trial.grant, view)}`}</div>`;
}

const kinds = { allow: 'passed', try: 'passed', ask: 'asked', deny: 'refused', invalid: 'failed' } as const;

const decisions = {
  allow: text('allow', '許可'),
  try: text('try first', '試す'),
  ask: text('ask', '確認'),
  deny: text('deny', '拒否'),
  invalid: text('not a call', '呼び出しではありません'),
};
