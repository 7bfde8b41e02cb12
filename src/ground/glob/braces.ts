export interface BraceSyntax {
  /** Whether `{1..3}` and `{a..e}` are alternatives, as in bash. */
  readonly ranges?: boolean;
  /** Whether a brace within `[…]` is a member of the set. */
  readonly sets?: boolean;
  /** Whether `{a}` means `a`. Otherwise it is literal. */
  readonly alone?: boolean;
}

/** `a{b,c{d,e}}` as `ab`, `acd` and `ace`, in this order, lazily: there may be very many. */
export function* expandBraces(pattern: string, syntax: BraceSyntax = {}): Generator<string, undefined> {
  const waiting = [pattern];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const group = firstGroup(next, syntax);
    if (!group) yield next;
    else {
      const { start, end, choices } = group;
      for (const choice of choices.toReversed())
        waiting.push(next.slice(0, start) + choice + next.slice(end));
    }
  }
}

/** Whether there is a `{` without its `}`. */
export function hasOpenBrace(pattern: string, syntax: BraceSyntax = {}): boolean {
  return groupsOf(pattern, syntax).open > 0;
}

interface Group {
  readonly start: number;
  /** The position after its `}`. */
  readonly end: number;
  readonly choices: readonly string[];
}

/** The outermost group that begins first. */
function firstGroup(pattern: string, syntax: BraceSyntax): Group | undefined {
  let first: Group | undefined;
  for (const group of groupsOf(pattern, syntax).groups)
    if (!first || group.start < first.start) first = group;
  return first;
}

function groupsOf(
  pattern: string,
  { ranges, sets, alone }: BraceSyntax,
): { readonly groups: readonly Group[]; readonly open: number } {
  const groups: Group[] = [];
  const open: { readonly start: number; readonly commas: number[] }[] = [];
  let inSet = false;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') at++;
    else if (inSet) inSet = char !== ']' || pattern[at - 1] === ':';
    else if (char === '[' && sets) inSet = pattern.includes(']', at + 2);
    else if (char === '{') open.push({ start: at, commas: [] });
    else if (char === ',') open.at(-1)?.commas.push(at);
    else if (char === '}') {
      const brace = open.pop();
      if (!brace) continue;
      const { start, commas } = brace;
      const edges = [start, ...commas, at];
      const listed = edges.slice(1).map((edge, index) => pattern.slice((edges[index] ?? 0) + 1, edge));
      const choices = (ranges && rangeOf(pattern.slice(start + 1, at))) || listed;
      if (choices.length > 1 || alone) groups.push({ start, end: at + 1, choices });
    }
  }
  return { groups, open: open.length };
}

/** `1..3`, `01..10..2`, `a..e`. */
function rangeOf(inner: string): string[] | undefined {
  const [, first, last, by] =
    /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])(?:\.\.(-?\d{1,9}))?$/.exec(inner) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const isNumber = /\d/.test(first);
  if (isNumber !== /\d/.test(last)) return undefined;
  const [from, to] = isNumber ? [Number(first), Number(last)] : [first.charCodeAt(0), last.charCodeAt(0)];
  const step = Math.max(1, Math.abs(Number(by ?? 1)));
  if (Math.abs(to - from) / step > 255) return undefined;
  const width = /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  const choices: string[] = [];
  for (let count = 0; count <= Math.abs(to - from); count += step) {
    const value = from < to ? from + count : from - count;
    const digits = String(Math.abs(value)).padStart(value < 0 ? width - 1 : width, '0');
    choices.push(isNumber ? (value < 0 ? `-${digits}` : digits) : String.fromCharCode(value));
  }
  return choices;
}
