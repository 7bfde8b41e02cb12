import type { ApprovalRecord, AuditEntry } from '../../../contract/records.ts';
import { cleanLine } from '../../../contract/text/clean-text.ts';
import { text } from '../../../contract/text/text.ts';
import { counted } from '../../../ground/counted.ts';
import { shownCall } from '../../../ground/questions/would-cover.ts';
import { inLocale } from '../../common/say.ts';
import { wrapped } from './clipped.ts';
import type { Watching } from './state.ts';

/** The screen as lines: questions, the selected one in full, the newest calls, and the keys. */
export function linesOf(
  state: Watching,
  { columns, rows }: { readonly columns: number; readonly rows: number },
  group: readonly string[],
): readonly string[] {
  const list = state.questions.slice(0, mostListed).map((record) => questionLine(record, state));
  const calls = state.calls.slice(0, mostCalls).map(callLine);
  const foot = footOf(state, group, columns);
  const head = [bold(inLocale(labels.title(state.questions.length))), ...list, ''];
  const tail = ['', dim(inLocale(labels.calls)), ...calls, '', ...foot];
  const room = Math.max(3, rows - head.length - tail.length);
  const full = state.questions.find(({ id }) => id === state.selected);
  const body = full ? wrapped(inLocale(full.message), columns).map(coloured) : [inLocale(labels.nothing)];
  const from = Math.min(state.scrolled, Math.max(0, body.length - room));
  const shown = body.slice(from, from + room);
  const isCut = from + room < body.length;
  const page = [...shown.slice(0, isCut ? room - 1 : room), ...(isCut ? [dim(inLocale(labels.more))] : [])];
  return [...head, ...page, ...Array.from({ length: room - page.length }, () => ''), ...tail].slice(0, rows);
}

function questionLine({ id, message, answer, createdAtMs }: ApprovalRecord, { selected }: Watching): string {
  const first = cleanLine(inLocale(message).split('\n', 1)[0] ?? '');
  const time = new Date(createdAtMs).toISOString().slice(11, 19);
  const only = answer === 'person' ? ` [${inLocale(labels.person)}]` : '';
  const line = `${id === selected ? '>' : ' '} ${time}  ${first}${only}`;
  return id === selected ? bold(line) : line;
}

function callLine(entry: AuditEntry): string {
  const { atMs, outcome, code } = entry;
  const time = new Date(atMs).toISOString().slice(11, 19);
  return cleanLine(`  ${time}  ${(code ?? outcome).padEnd(16)} ${shownCall(entry)}`);
}

function footOf(state: Watching, group: readonly string[], columns: number): readonly string[] {
  if (state.instead !== undefined) return [`${inLocale(labels.instead)} ${state.instead}_`];
  if (state.offer) {
    const { rule, covered } = state.offer;
    return [
      ...wrapped(cleanLine(rule), columns).slice(0, 4),
      inLocale(labels.covered(covered.calls, covered.of)),
      bold(inLocale(labels.give)),
    ];
  }
  const many = group.length > 1 ? [inLocale(labels.group(group.length))] : [];
  return [...(state.note === '' ? [] : [state.note]), ...many, dim(inLocale(labels.keys))];
}

/** A line of a diff in its colour; other lines have none. */
function coloured(line: string): string {
  if (line.startsWith('+')) return `\x1b[32m${line}`;
  if (line.startsWith('-')) return `\x1b[31m${line}`;
  return line.startsWith('@@') ? `\x1b[36m${line}` : line;
}

function bold(line: string): string {
  return `\x1b[1m${line}\x1b[0m`;
}

function dim(line: string): string {
  return `\x1b[2m${line}\x1b[0m`;
}

const mostListed = 6;
const mostCalls = 5;

const labels = {
  title: (count: number) =>
    count === 0
      ? text('Nothing is waiting.', '待っている質問はありません。')
      : text(`${counted(count, 'question')} waiting`, `回答待ちの質問 ${count} 件`),
  calls: text('Calls', '呼び出し'),
  nothing: text(
    'Questions appear here when calls need an answer.',
    '呼び出しが確認で止まると、ここに質問が表示されます。',
  ),
  more: text('… space: more', '… スペース: 続き'),
  person: text('only a person', '人だけ'),
  instead: text('Instead (Enter sends, Esc cancels):', '代わりに（Enter で送信、Esc で中止）:'),
  give: text('Enter: allow this rule   any other key: cancel', 'Enter: このルールで許可   ほかのキー: 中止'),
  covered: (calls: number, of: number) =>
    text(
      `It would have allowed ${counted(calls, 'call')} of the last ${of} that were asked about.`,
      `直近 ${of} 件のうち、確認された ${calls} 件を許可していたはずです。`,
    ),
  group: (count: number) => text(`Y / N: all ${count} similar`, `Y / N: 同様の ${count} 件すべて`),
  keys: text(
    'y once  h hour  s session  f folder  a always  n no  i instead  j/k move  q quit',
    'y 今回  h 1時間  s セッション  f フォルダー  a 常に  n 拒否  i 代わりの指示  j/k 移動  q 終了',
  ),
} as const;
