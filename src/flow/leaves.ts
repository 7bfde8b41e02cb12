import { readLiteral } from './literal.ts';

/** A part of a result: a short field of a record, or prose. */
export interface Leaf {
  readonly text: string;
  readonly isField: boolean;
  readonly line: number;
  /** A field of a record that also contains prose: the prose's author may have filled in the field. */
  readonly isBesideProse: boolean;
  /** The name of the field; empty without one. */
  readonly key: string;
}

const maxFieldChars = 120;
const maxFieldWords = 8;
const maxDepth = 12;
const maxJsonChars = 1 << 18;

/** Splits a result. Text in JSON, or in lines of `key: value`, is a record; the rest is prose. */
export function leavesOf(texts: readonly string[], structured?: unknown): readonly Leaf[] {
  const data: Leaf[] = [];
  if (structured !== undefined) collect(structured, data, 0);
  // Some clients show the model the text and some the data, and the two can differ.
  const shown = texts.map((text) => {
    const leaves: Leaf[] = [];
    const record = parsed(text);
    if (record === undefined) collectLines(text, leaves);
    else collect(record, leaves, 0);
    return leaves;
  });
  return [data, ...shown].flatMap(aloneIsProse);
}

/** A few words that are the whole result are a sentence and no field, however short; a single word is a value. */
function aloneIsProse(leaves: readonly Leaf[]): readonly Leaf[] {
  const [only] = leaves;
  return leaves.length === 1 && only && /\S\s+\S/.test(only.text) ? [{ ...only, isField: false }] : leaves;
}

export function isShort(text: string): boolean {
  return text.length <= maxFieldChars && !/[\n\r]/.test(text) && text.split(' ').length <= maxFieldWords;
}

function parsed(text: string): unknown {
  const first = text.trimStart()[0];
  if ((first !== '{' && first !== '[') || text.length > maxJsonChars) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // It only looked like JSON.
    return readLiteral(text);
  }
}

function collect(value: unknown, leaves: Leaf[], depth: number, isBesideProse = false, key = ''): void {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    leaves.push({ text, isField: isShort(text) && !isForAnswers(key), line: 1, isBesideProse, key });
  } else if (typeof value === 'object' && value !== null && depth >= maxDepth)
    leaves.push({ text: JSON.stringify(value), isField: false, line: 1, isBesideProse, key });
  else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    const holdsProse = isBesideProse || members.some(([, member]) => isProse(member));
    // A header of a mail can be a record of its own: `{ name: 'Reply-To', value: … }`.
    const named = 'name' in value && isForAnswers(String(value.name)) ? String(value.name) : key;
    for (const [name, member] of members) {
      const isInside = isForAnswers(named) || Array.isArray(value);
      collect(member, leaves, depth + 1, holdsProse, isInside ? named : name);
    }
  }
}

/** Whether a field holds where answers to a mail go: its sender chose that, in words that look like a record. */
function isForAnswers(key: string): boolean {
  return /^(?:reply|return|errors|mail|disposition)[ _-]?(?:to|path|(?:reply|followup|notification)[ _-]?to)(?:[ _-]?\w*)?$/i.test(
    key,
  );
}

/** Prose, or a list with some, such as comments. */
function isProse(value: unknown): boolean {
  return typeof value === 'string' ? !isShort(value) : Array.isArray(value) && value.some(isProse);
}

/** Lines of a dump in YAML's form. A line deeper than a key's value continues it: text does not become a record. */
function collectLines(text: string, leaves: Leaf[]): void {
  const lines = text.split('\n');
  const isRecord = lines.length === 1 ? isShort(text) : keyed(lines) * 3 >= lines.length * 2;
  if (!isRecord) {
    leaves.push({ text, isField: false, line: 1, isBesideProse: false, key: '' });
    return;
  }
  const found: Leaf[] = [];
  let proseFrom = Number.POSITIVE_INFINITY;
  let key = '';
  lines.forEach((each, place) => {
    const indent = each.length - each.trimStart().length;
    const [, dash = '', name, value = ''] = /^\s*(- )?(?:([\w .-]{1,40}):(?: |$))?(.*)$/.exec(each) ?? [];
    key = name ?? key;
    // An empty line does not end a text.
    const isInside = indent >= proseFrom || (each.trim() === '' && proseFrom !== Number.POSITIVE_INFINITY);
    if (!isInside) proseFrom = value === '' ? Number.POSITIVE_INFINITY : indent + dash.length + 1;
    found.push({
      text: isInside ? each : unquoted(value),
      isField: !isInside && isShort(value) && !isForAnswers(key) && !/^["'](?!.*["']$)/.test(value),
      line: place + 1,
      isBesideProse: false,
      key,
    });
  });
  const holdsProse = found.some(({ isField }) => !isField);
  leaves.push(...found.map((leaf) => ({ ...leaf, isBesideProse: holdsProse })));
}

function keyed(lines: readonly string[]): number {
  return lines.filter((line) => /^\s*(?:- )?(?:[\w .-]{1,40}:(?: |$)|- )/.test(line) || line.trim() === '')
    .length;
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}
