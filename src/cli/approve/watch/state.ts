import type { Answer, GrantOffer } from '../../../contract/people/operator.ts';
import type { ApprovalRecord, AuditEntry } from '../../../contract/records.ts';
import type { Key } from './screen.ts';

/** The state of the view. Times are on the clock of `performance`. */
export interface Watching {
  readonly questions: readonly ApprovalRecord[];
  readonly calls: readonly AuditEntry[];
  readonly selected: string | undefined;
  /** When the selected question last changed without the person's doing. */
  readonly movedAt: number;
  readonly scrolled: number;
  /** A wider approval that was chosen and waits for its second key. */
  readonly offer?: GrantOffer | undefined;
  /** The sentence that is being written. */
  readonly instead?: string | undefined;
  readonly note: string;
}

/** The action that a key requests, beside a new state. */
export type Wish =
  | { readonly kind: 'answer'; readonly ids: readonly string[]; readonly answer: Answer }
  | { readonly kind: 'offer'; readonly scope: GrantOffer['scope']; readonly id: string }
  | { readonly kind: 'leave' };

/** Takes in the new list: the selection stays on its question, or moves to the oldest. */
export function withQuestions(
  state: Watching,
  questions: readonly ApprovalRecord[],
  calls: readonly AuditEntry[],
  now: number,
): Watching {
  if (questions.some(({ id }) => id === state.selected)) return { ...state, questions, calls };
  const selected = questions[0]?.id;
  if (selected === state.selected) return { ...state, questions, calls };
  return {
    ...state,
    questions,
    calls,
    selected,
    movedAt: now,
    scrolled: 0,
    offer: undefined,
    instead: undefined,
  };
}

/** Handles a key. A key meant for the previous question answers none. */
export function pressed(
  state: Watching,
  key: Key,
  group: readonly string[],
  now: number,
): { readonly state: Watching; readonly wish?: Wish | undefined } {
  if (key === 'interrupt') return { state, wish: { kind: 'leave' } };
  if (state.instead !== undefined) return writing(state, state.instead, key);
  if (state.offer) return choosing(state, state.offer, key);
  if (key === 'up' || key === 'down') return { state: moved(state, key === 'up' ? -1 : 1) };
  if (typeof key !== 'object') return { state };
  const { char } = key;
  if (char === 'q') return { state, wish: { kind: 'leave' } };
  if (char === 'j' || char === 'k') return { state: moved(state, char === 'k' ? -1 : 1) };
  if (char === ' ') return { state: { ...state, scrolled: state.scrolled + pageLines } };
  if (char === 'b') return { state: { ...state, scrolled: Math.max(0, state.scrolled - pageLines) } };
  const { selected } = state;
  if (selected === undefined || now - state.movedAt < settleMs) return { state };
  if (char === 'i') return { state: { ...state, instead: '' } };
  const scope = scopes.get(char);
  if (scope) return { state, wish: { kind: 'offer', scope, id: selected } };
  const decision = decisions.get(char);
  if (!decision) return { state };
  const ids = char === 'Y' || char === 'N' ? group : [selected];
  return { state, wish: { kind: 'answer', ids, answer: { decision, scope: 'once' } } };
}

function writing(state: Watching, words: string, key: Key): ReturnType<typeof pressed> {
  const { selected } = state;
  if (key === 'escape') return { state: { ...state, instead: undefined } };
  if (key === 'backspace') return { state: { ...state, instead: [...words].slice(0, -1).join('') } };
  if (typeof key === 'object') return { state: { ...state, instead: words + key.char } };
  if (key !== 'enter' || selected === undefined || words.trim() === '') return { state };
  const answer: Answer = { decision: 'declined', scope: 'once', instead: words };
  return { state: { ...state, instead: undefined }, wish: { kind: 'answer', ids: [selected], answer } };
}

function choosing(state: Watching, { scope, untilMs }: GrantOffer, key: Key): ReturnType<typeof pressed> {
  const left = { ...state, offer: undefined };
  if (key !== 'enter' || state.selected === undefined) return { state: left };
  const answer: Answer = { decision: 'approved', scope, untilMs };
  return { state: left, wish: { kind: 'answer', ids: [state.selected], answer } };
}

function moved(state: Watching, by: number): Watching {
  const at = state.questions.findIndex(({ id }) => id === state.selected);
  const next = state.questions[Math.min(Math.max(0, at + by), state.questions.length - 1)];
  return { ...state, selected: next?.id, scrolled: 0 };
}

const decisions = new Map([
  ['y', 'approved'],
  ['Y', 'approved'],
  ['n', 'declined'],
  ['N', 'declined'],
] as const) as ReadonlyMap<string, Answer['decision']>;

const scopes: ReadonlyMap<string, GrantOffer['scope']> = new Map([
  ['h', 'until'],
  ['s', 'session'],
  ['f', 'folder'],
  ['a', 'always'],
]);

const settleMs = 700;
const pageLines = 10;
