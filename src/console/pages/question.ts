import { html } from 'hono/html';
import type { ApprovalRecord, QuestionEffects } from '../../contract/records.ts';
import { ruleName } from '../../ground/questions/rule-name.ts';
import { block, count, diffBlock, line, time, who } from '../shown.ts';
import type { Html, View } from './view.ts';

type Seen = Pick<View, 'words' | 'locale' | 'dependencies'>;

/** The part above the answers: the call, the caller, the reason, and the effects. `level` is that of its heading. */
export function questionHead(record: ApprovalRecord, view: Seen, level: 2 | 3): Html {
  const { message, about, createdAtMs, expiresAtMs, principal } = record;
  const { locale, dependencies } = view;
  const say = view.words.approvals;
  const waitsUntilMs = createdAtMs + dependencies.waitMs;
  const isWaited = record.status === 'pending' && waitsUntilMs > dependencies.now();
  const until = isWaited ? [say.waits, waitsUntilMs] : [say.expires, expiresAtMs];
  const end =
    record.status === 'pending'
      ? html` · ${until[0]} ${time(Number(until[1]), view)}`
      : html` · <strong>${say.status[record.status]}</strong>`;
  const from = html`<strong>${line(about?.client ?? record.tool, 60)}</strong> · ${who(principal, view)}${about?.folder === undefined ? '' : html` · ${say.inFolder(line(about.folder, 120))}`}`;
  const facts = html`<p class="quiet">${from} · ${say.asked} ${time(createdAtMs, view)}${end}</p>`;
  if (!about) return html`${facts}${block(message[locale], view)}`;
  return html`<p class="what" role="heading" aria-level="${level}" tabindex="0"><code>${about.what}</code></p>
<p class="why">${about.because[locale]}</p>${facts}${about.effects ? changes(about.effects, view) : ''}`;
}

/** The part below the answers, of any length: the diff, the arguments, and the question as other faces show it. */
export function questionRest({ about, message, ...record }: ApprovalRecord, view: Seen): Html {
  const { locale } = view;
  const say = view.words.approvals;
  if (!about) return html``;
  const { effects, details } = about;
  const diff = effects?.diff
    ? html`<details${effects.diff.length < shortDiff ? ' open' : ''}><summary>${say.diff}</summary>${diffBlock(effects.diff, view, effects.isDiffCut)}</details>`
    : '';
  return html`${details[locale] === '' ? '' : block(details[locale], view)}${diff}
<details><summary>${say.details}</summary><p class="quiet">${say.rule}: ${ruleName(record, locale)}</p>${block(message[locale], view)}</details>`;
}

/** The files by folder, each folder followed by its names. */
function changes({ folders, more, isHeld }: QuestionEffects, { words, locale }: Seen): Html {
  const say = words.approvals;
  const rows = folders.map(({ folder, change, files, names }) => {
    const head = html`<span class="verb ${change}">${say.changes[change]}</span> ${say.filesIn(files, count(files, locale), folder === '.' ? '' : `${folder}/`)}`;
    const left = files - names.length;
    return html`<li><details><summary>${head}</summary><ul class="names">${names.map((name) => html`<li><code>${name}</code></li>`)}</ul>${left > 0 ? html`<p class="quiet">${say.moreFiles(count(left, locale))}</p>` : ''}</details></li>`;
  });
  return html`<ul class="folders">${rows}</ul>${more > 0 ? html`<p class="quiet">${say.moreFiles(count(more, locale))}</p>` : ''}
<p class="quiet">${isHeld ? say.isHeld : say.isTried}</p>`;
}

/** A diff of up to this many characters is open from the start. */
const shortDiff = 1500;
