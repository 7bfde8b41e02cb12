import { posix } from 'node:path';
import type { DryRun, DryRunChange } from '../../contract/capabilities/dry-run.ts';
import type { EffectVerdict } from '../../contract/effects.ts';
import type { QuestionEffects, QuestionParts } from '../../contract/records.ts';
import { cleanLine, cleanText } from '../../contract/text/clean-text.ts';
import { type Locale, type Text, text } from '../../contract/text/text.ts';
import { counted } from '../../ground/counted.ts';
import { reportDryRun } from '../../ground/effects/dry-run-report.ts';
import { factGrant } from '../../ground/questions/would-cover.ts';
import { shownLine } from '../../ground/shell-quote.ts';
import { callLines, grantLines, headlineOf, questionParts, reasonLines } from '../asking/question.ts';
import type { Permit } from '../slips.ts';

/** For the list of changes and the diff; each gets half if both are long. */
const maxBytes = 12_000;
/** For the diff on a page, which scrolls. */
const diffChars = 64 * 1024;
const mostFolders = 100;
const mostNames = 100;

interface Asked {
  readonly effects: DryRun;
  readonly verdict: EffectVerdict;
  readonly grant?: string | undefined;
  /** It runs on the folders themselves and is paused. */
  readonly isHeld?: boolean;
}

/**
 * The text that a person reads before the effects of a command land. The first line counts them, losses first; then
 * follow the command, the place, the reason, the changes, and last the diff.
 */
export function effectsQuestion(permit: Permit, asked: Asked): Text {
  return text(questionIn('en', permit, asked), questionIn('ja', permit, asked));
}

function questionIn(
  locale: Locale,
  permit: Permit,
  { effects, verdict, grant, isHeld = false }: Asked,
): string {
  const { tool, risk } = permit;
  const { command } = risk;
  const roots = new Set(effects.changes.map(({ root }) => root));
  const nameOf = ({ root, path }: DryRunChange) => (roots.size > 1 ? `${root}/${path}` : path);
  const { changes, diff, more } = reportDryRun(effects, { maxBytes, locale, nameOf });
  const unseen = effects.changes.slice(changes.length).filter(({ change }) => change === 'deleted').length;
  const list = [
    ...changes.map((line) => `  ${line}`),
    ...(more > 0 ? [`  ${labels.more(more, unseen)[locale]}`] : []),
  ];
  const lines = [
    headlineOf(countsOf(effects)[locale], command ? shownLine(command.line) : tool.name),
    ...callLines(permit, locale),
    ...reasonLines(verdict, locale),
    `${(isHeld ? labels.soFar : labels.changes)[locale]}:`,
    ...list,
    (isHeld ? labels.held : labels.waits)[locale],
    ...(grant === undefined ? [] : grantLines(grant, undefined, locale)),
  ];
  return [...lines, ...(diff === '' ? [] : [diff])].join('\n');
}

/** The same for a page: changes by folder, the diff separate. */
export function effectsParts(
  permit: Permit,
  { effects, verdict, isHeld = false }: Pick<Asked, 'effects' | 'verdict' | 'isHeld'>,
): QuestionParts {
  const parts = questionParts(permit, verdict, permit.call.arrival.client);
  const folders = new Map<string, QuestionEffects['folders'][number] & { names: string[]; files: number }>();
  let more = effects.total - effects.changes.length;
  const isOne = new Set(effects.changes.map(({ root }) => root)).size < 2;
  for (const { root, path, change, kind, files = 1, names } of effects.changes) {
    const isFolder = kind === 'folder' && change === 'deleted';
    const parent = isFolder ? path : posix.dirname(path);
    const folder = cleanLine(isOne ? parent : posix.join(root, parent));
    const key = `${change} ${folder}`;
    const found = folders.get(key) ?? { folder, change, files: 0, names: [] };
    found.files += isFolder ? files : 1;
    const inside = isFolder ? (names ?? []) : [posix.basename(path)];
    found.names.push(...inside.slice(0, mostNames - found.names.length).map((name) => cleanLine(name)));
    if (folders.has(key) || folders.size < mostFolders) folders.set(key, found);
    else more += found.files;
  }
  const diff = cleanText(effects.diff);
  const shownDiff = diff.slice(0, diffChars).toWellFormed();
  const isDiffCut = effects.isDiffCut || shownDiff.length < diff.length;
  return { ...parts, effects: { isHeld, folders: [...folders.values()], more, diff: shownDiff, isDiffCut } };
}

/** For the log, the grant that would have answered the question, so that the next question of its kind can count it. */
export function grantFact(permit: Permit, verdict: EffectVerdict): object {
  const isAsked = verdict.decision === 'ask' && verdict.answer === undefined;
  return isAsked ? { grant: factGrant(effectsGrant(permit, verdict)) } : {};
}

/** The extent of a standing approval: all effects of the same command about which this rule asks. */
export function effectsGrant({ tool, risk }: Permit, { rule }: EffectVerdict): string {
  const line = risk.command?.line;
  const command =
    line?.kind === 'script' ? [line.shell, '-c', line.script] : line && [line.program, ...line.args];
  return JSON.stringify({ tool: tool.name, command, effect: rule, decision: 'allow' });
}

/** E.g. "deletes 34 files, changes 2, creates 1". */
function countsOf({ changes, total }: DryRun): Text {
  const of = (kind: DryRunChange['change']) => changes.filter(({ change }) => change === kind);
  const gone = of('deleted').reduce(
    (sum, { kind, files }) => sum + (kind === 'folder' ? (files ?? 1) : 1),
    0,
  );
  const parts = [
    ...(gone > 0 ? [text(`deletes ${counted(gone, 'file')}`, `${gone} 個のファイルを削除`)] : []),
    ...countOf(of('changed').length, text('changes', '変更')),
    ...countOf(of('created').length, text('creates', '作成')),
    ...countOf(total - changes.length, text('and others:', 'ほか')),
  ];
  return text(parts.map(({ en }) => en).join(', '), parts.map(({ ja }) => ja).join('、'));
}

function countOf(count: number, verb: Text): readonly Text[] {
  return count > 0 ? [text(`${verb.en} ${count}`, `${verb.ja} ${count} 件`)] : [];
}

const labels = {
  changes: text('It was tried, and would change', '試しに実行した結果、次のものが変わります'),
  more: (more: number, deleted: number) =>
    deleted > 0
      ? text(`… and ${more} more, ${deleted} of them deleted`, `… ほか ${more} 件 (うち削除 ${deleted} 件)`)
      : text(`… and ${more} more`, `… ほか ${more} 件`),
  soFar: text(
    'It runs on the folders themselves. So far it has changed, or is about to change',
    'フォルダーを直接使って実行中です。これまでに変えたもの、変えようとしているもの',
  ),
  held: text(
    'It is held now. If you agree, it goes on. If not, or if nobody answers in time, it is ended and all of this is put back.',
    '現在は停止させています。承認すると続行します。承認しない場合や、時間内に回答がない場合は、終了させて、すべて元に戻します。',
  ),
  waits: text(
    'Nothing has changed yet. Its changes wait for your answer while this server runs, for an hour at most.',
    'まだ何も変わっていません。変更は、このサーバーが動いている間、最長 1 時間だけ回答を待ちます。',
  ),
} as const;
