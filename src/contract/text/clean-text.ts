/**
 * The one cleaner of text that people and models read: output of commands, file names, errors, approval prompts, logs.
 * Escape sequences are removed; every other character that hides, reorders or overwrites text is shown as an escape
 * (`\x08`, `\u202e`, `\u{e0041}`), so that a person sees what they approve. Newlines, tabs, emoji and the joiners of
 * Indic and Arabic scripts are unchanged. Linear in the text's length.
 */
export function cleanText(text: string): string {
  return clean(text, true).text;
}

/** The same on one line, for a name or a message: newlines and tabs are shown as `\n` and `\t` too. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/[\n\t]/g, (character) => (character === '\n' ? '\\n' : '\\t'));
}

/**
 * Cleans output that is still arriving. `rest` is the tail that cannot be judged yet (half a sequence, an emoji that
 * may continue): prepend it to the next chunk, and give the last one to `cleanText`.
 */
export function cleanChunk(text: string): { readonly text: string; readonly rest: string } {
  return clean(text, false);
}

/** An unterminated escape sequence longer than this is treated as text. */
const maxSequenceChars = 16 * 1024;

// Control characters except tab and newline, Unicode's ignorable and bidirectional ones, line separators that only some
// readers see, annotation marks, lone surrogates.
const suspect =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\ufff9-\ufffb\p{Cs}]/gu;

/** Without the `g` flag, for a quick test: most texts contain no such character. */
const anySuspect = new RegExp(suspect, 'u');

function clean(text: string, isWhole: boolean): { text: string; rest: string } {
  if (isWhole && !anySuspect.test(text)) return { text, rest: '' };
  const kept: string[] = [];
  let from = 0;
  const end = isWhole ? text.length : text.length - unsettledChars(text);
  const finder = new RegExp(suspect);
  for (;;) {
    finder.lastIndex = from;
    const found = finder.exec(text);
    if (!found || found.index >= end) break;
    if (found.index > from) kept.push(text.slice(from, found.index));
    const step = judge(text, found.index, found[0], lastCodePoint(kept.at(-1) ?? ''));
    // A sequence that reaches the end may continue in the next chunk.
    if (!isWhole && step.unfinished && text.length - found.index < maxSequenceChars)
      return { text: kept.join(''), rest: text.slice(found.index) };
    if (step.shown !== '') kept.push(step.shown);
    from = step.next;
  }
  if (from === 0 && end === text.length) return { text, rest: '' };
  if (from < end) kept.push(text.slice(from, end));
  return { text: kept.join(''), rest: text.slice(Math.max(from, end)) };
}

interface Step {
  readonly shown: string;
  readonly next: number;
  readonly unfinished?: boolean;
}

function judge(text: string, at: number, character: string, before: string): Step {
  const next = at + character.length;
  if (character === '\r')
    return text[next] === '\n' ? { shown: '\n', next: next + 1 } : { shown: '\\r', next };
  const introducer = introducerAt(text, at);
  if (introducer) return sequence(text, at, introducer);
  if (character === '\x1b') return { shown: '\\x1b', next, unfinished: next === text.length };
  if (character >= '\x80' && character <= '\x9f') return { shown: '', next };
  if (character < '\x80') return { shown: escaped(character), next };
  const belongs =
    flagTags(text, at, before) ?? (isWanted(character, before, codePointAt(text, next)) ? next : undefined);
  if (belongs !== undefined) return { shown: text.slice(at, belongs), next: belongs };
  return { shown: escaped(character), next };
}

interface Introducer {
  readonly kind: 'csi' | 'osc' | 'string' | 'short';
  readonly length: number;
}

const introducers = new Map<string, Introducer['kind']>([
  ['[', 'csi'],
  ['\x9b', 'csi'],
  [']', 'osc'],
  ['\x9d', 'osc'],
  ...['P', 'X', '^', '_', '\x90', '\x98', '\x9e', '\x9f'].map((start) => [start, 'string'] as const),
]);

function introducerAt(text: string, at: number): Introducer | undefined {
  const first = text[at] ?? '';
  if (first >= '\x80' && first <= '\x9f') {
    const kind = introducers.get(first);
    return kind && { kind, length: 1 };
  }
  const second = text[at + 1] ?? '';
  if (first !== '\x1b' || second < ' ' || second > '~') return undefined;
  return { kind: introducers.get(second) ?? 'short', length: 2 };
}

/** Finds the end of a sequence by the grammar of ECMA-48. If it has no end, only its introducer is escaped. */
function sequence(text: string, at: number, { kind, length }: Introducer): Step {
  const body = at + length;
  const pattern =
    kind === 'csi' ? /[0-?]*[ -/]*/y : kind === 'short' ? /[ -/]*/y : /[^\x07\x1b\x18\x1a\x80-\x9f]*/y;
  pattern.lastIndex = kind === 'short' ? at + 1 : body;
  pattern.test(text);
  let stop = pattern.lastIndex;
  // ECMA-48 allows BEL inside a device control string; it ends only an OSC.
  while (kind === 'string' && text[stop] === '\x07') {
    pattern.lastIndex = stop + 1;
    pattern.test(text);
    stop = pattern.lastIndex;
  }
  const last = text[stop] ?? '';
  if (stop - at < maxSequenceChars) {
    if (kind === 'csi' && last >= '@' && last <= '~') return { shown: '', next: stop + 1 };
    if (kind === 'short' && last >= '0' && last <= '~') return { shown: '', next: stop + 1 };
    if (kind === 'osc' && last === '\x07') return { shown: '', next: stop + 1 };
    if (kind === 'osc' || kind === 'string') {
      if (last === '\x9c') return { shown: '', next: stop + 1 };
      if (last === '\x1b' && text[stop + 1] === '\\') return { shown: '', next: stop + 2 };
    }
  }
  const unfinished = last === '' || (last === '\x1b' && stop + 1 === text.length);
  return { shown: escaped(text[at] ?? ''), next: at + 1, unfinished };
}

/** The three flags that Unicode recommends: England, Scotland, Wales. Any other tag sequence is hidden text. */
function flagTags(text: string, at: number, before: string): number | undefined {
  if (before !== '🏴') return undefined;
  const flag =
    /\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/uy;
  flag.lastIndex = at;
  return flag.test(text) ? flag.lastIndex : undefined;
}

const emojiPart = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;
const pictograph = /\p{Extended_Pictographic}/u;
const wordEnd = /^$|[ \n\t\p{P}]/u;
const variationSelector = /[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u;
const joiningLetter =
  /[\p{L}\p{M}](?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Tibetan}\p{Script=Myanmar}\p{Script=Inherited}])/u;
const variationBase = /[\p{Emoji}\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Sm}]/u;
const mongolianLetter = /\p{Script=Mongolian}/u;

/** Whether an invisible character has its proper function here, between characters that it is made for. */
function isWanted(character: string, before: string, after: string): boolean {
  switch (character) {
    case '\u200d':
      if (emojiPart.test(before) && pictograph.test(after)) return true;
      return joiningLetter.test(before) && (joiningLetter.test(after) || wordEnd.test(after));
    case '\u200c':
      return joiningLetter.test(before) && joiningLetter.test(after);
    case '\u180b':
    case '\u180c':
    case '\u180d':
    case '\u180f':
      return mongolianLetter.test(before);
    default:
      // One variation selector per base; a row of them carries hidden bytes. A digit may have one to form a keycap.
      if (/[0-9#*]/.test(before)) return character === '\ufe0f' && after === '\u20e3';
      return variationSelector.test(character) && variationBase.test(before);
  }
}

function codePointAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** The last code point of the cleaned text: removing a sequence must not change which letter a joiner follows. */
function lastCodePoint(text: string): string {
  const pair = text.slice(-2);
  return (pair.codePointAt(0) ?? 0) > 0xffff ? pair : pair.slice(-1);
}

// An emoji, ideograph or joining letter, with what already follows it.
const unsettled =
  /(?:[\r\ud800-\udbff]|\u{1f3f4}[\u{e0061}-\u{e007a}]{0,6}|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Han}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Tibetan}\p{Script=Myanmar}][\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u180b-\u180f\u200c\u200d]{0,4})$/u;

/** The number of trailing characters that later text may change. */
function unsettledChars(text: string): number {
  return unsettled.exec(text.slice(-16))?.[0].length ?? 0;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\u{${code.toString(16)}}`;
}
