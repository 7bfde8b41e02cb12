import { html } from 'hono/html';
import type { ApprovalRecord, QuestionEffects } from '../../contract/records.ts';
import { text } from '../../contract/text/text.ts';
import { ruleName } from '../../ground/questions/rule-name.ts';
import { block, count, diffBlock, line, time, who } from '../shown.ts';
import { questionStates } from '../words.ts';
import type { Html, View } from './view.ts';

type Seen = Pick<View, 'say' | 'locale' | 'dependencies'>;

/** The part above the answers: the call, the caller, the reason, and the effects. `level` is that of its heading. */
export function questionHead(record: ApprovalRecord, view: Seen, level: 2 | 3): Html {
  const { message, about, createdAtMs, expiresAtMs, principal } = record;
  const { locale, dependencies } = view;
  const { say } = view;
  const waitsUntilMs = createdAtMs + dependencies.waitMs;
  const isWaited = record.status === 'pending' && waitsUntilMs > dependencies.now();
  const until = isWaited
    ? [say('the call stops waiting', '呼び出しの待機終了'), waitsUntilMs]
    : [say('expires', '期限'), expiresAtMs];
  const end =
    record.status === 'pending'
      ? html` · ${until[0]} ${time(Number(until[1]), view)}`
      : html` · <strong>${say(questionStates[record.status])}</strong>`;
  const from = html`<strong>${line(about?.client ?? record.tool, 60)}</strong> · ${who(principal, view)}${about?.folder === undefined ? '' : html` · ${say(`in ${line(about.folder, 120)}`, `${line(about.folder, 120)} で`)}`}`;
  const facts = html`<p class="quiet">${from} · ${say('asked', '確認')} ${time(createdAtMs, view)}${end}</p>`;
  if (!about) return html`${facts}${block(message[locale], view)}`;
  return html`<p class="what" role="heading" aria-level="${level}" tabindex="0"><code>${about.what}</code></p>
<p class="why">${about.because[locale]}</p>${facts}${about.effects ? changes(about.effects, view) : ''}`;
}

/** The part below the answers, of any length: the diff, the arguments, and the question as other faces show it. */
export function questionRest({ about, message, ...record }: ApprovalRecord, view: Seen): Html {
  const { locale } = view;
  const { say } = view;
  if (!about) return html``;
  const { effects, details } = about;
  const diff = effects?.diff
    ? html`<details${effects.diff.length < shortDiff ? ' open' : ''}><summary>${say('The difference', '差分')}</summary>${diffBlock(effects.diff, view, effects.isDiffCut)}</details>`
    : '';
  return html`${details[locale] === '' ? '' : block(details[locale], view)}${diff}
<details><summary>${say('All about this question', 'この質問のすべて')}</summary><p class="quiet">${say('Rule', 'ルール')}: ${ruleName(record, locale)}</p>${block(message[locale], view)}</details>`;
}

/** The files by folder, each folder followed by its names. */
function changes({ folders, more, isHeld }: QuestionEffects, { say, locale }: Seen): Html {
  const rows = folders.map(({ folder, change, files, names }) => {
    const [n, here] = [count(files, locale), folder === '.'];
    const head = html`<span class="verb ${change}">${say(changeWords[change])}</span> ${say(`${n} ${files === 1 ? 'file' : 'files'}${here ? '' : ` in ${folder}/`}`, `${here ? '' : `${folder}/ の`}ファイル ${n} 個`)}`;
    const left = files - names.length;
    return html`<li><details><summary>${head}</summary><ul class="names">${names.map((name) => html`<li><code>${name}</code></li>`)}</ul>${left > 0 ? html`<p class="quiet">${say(`… and ${count(left, locale)} more`, `… ほか ${count(left, locale)} 個`)}</p>` : ''}</details></li>`;
  });
  return html`<ul class="folders">${rows}</ul>${more > 0 ? html`<p class="quiet">${say(`… and ${count(more, locale)} more`, `… ほか ${count(more, locale)} 個`)}</p>` : ''}
<p class="quiet">${isHeld ? say('It is running, and held: a no ends it and puts everything back.', '実行中のまま停止しています。拒否すると終了させ、すべて元に戻します。') : say('It was tried beside the files: nothing has changed yet.', '実際のファイルとは別の場所で試しました。まだ何も変わっていません。')}</p>`;
}

/** A diff of up to this many characters is open from the start. */
const shortDiff = 1500;

const changeWords = {
  deleted: text('deletes', '削除'),
  created: text('creates', '作成'),
  changed: text('changes', '変更'),
};
