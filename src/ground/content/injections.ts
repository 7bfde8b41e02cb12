import { decoded } from '../decoded.ts';

/** The aim of a prompt injection. */
export type Injection = 'override' | 'role' | 'power' | 'send' | 'secret' | 'prompt' | 'tool' | 'run';

const maxChars = 1 << 17;
const maxDepth = 8;

/**
 * Prompt injections in untrusted text, by wording: few and specific forms, so that text *about* them, which quotes
 * them, does not match. It is a hint and decides nothing, since other wordings are not found. Linear. Text that also
 * occurs verbatim in `own` is the reader's own.
 */
export function injectionsIn(text: string, own = ''): readonly Injection[] {
  const found = new Set<Injection>();
  for (const part of partsOf(text.slice(0, maxChars))) look(part, found, own, 0);
  return [...found];
}

/** The same for each string of a value separately, up to 131,072 characters in all and 8 levels deep. */
export function injectionsWithin(value: unknown, own = ''): readonly Injection[] {
  const found = new Set<Injection>();
  let left = maxChars;
  for (const part of textsWithin(value)) {
    if (left <= 0) break;
    look(part.slice(0, left), found, own, 0);
    left -= part.length;
  }
  return [...found];
}

/** Each string of a value, up to 8 levels deep. */
export function textsWithin(value: unknown): readonly string[] {
  const parts: string[] = [];
  gather(value, parts, 0);
  return parts;
}

function look(part: string, found: Set<Injection>, own: string, depth: number): void {
  const plain = foldHomoglyphs(part);
  const small = plain.toLowerCase();
  for (const { kind, anchors, pattern } of forms) {
    if (!found.has(kind) && anchors.some((anchor) => small.includes(anchor)) && isSaid(plain, pattern, own))
      found.add(kind);
  }
  if (depth > 0) return;
  for (const [word] of part.matchAll(/[\w+/=-]{24,}/g)) {
    const inner = decoded(word);
    if (inner !== undefined) look(inner, found, own, depth + 1);
  }
}

/** A match directly after a quotation mark is only mentioned. */
function isSaid(plain: string, pattern: RegExp, own: string): boolean {
  for (const match of plain.matchAll(pattern))
    if (!quotes.has(plain[match.index - 1] ?? '') && !own.includes(match[0])) return true;
  return false;
}

const quotes = new Set(['"', "'", '“', '‘', '«', '「', '『']);

interface Form {
  readonly kind: Injection;
  /** Every matching text contains one of these; most texts have none, and are not searched. */
  readonly anchors: readonly string[];
  /** Linear: no repetition inside another. */
  readonly pattern: RegExp;
}

const forms: readonly Form[] = [
  {
    kind: 'override',
    anchors: ['ignore', 'disregard', 'forget', 'override'],
    pattern:
      /\b(?:ignore|disregard|forget|override)\b[\s\S]{0,40}?\b(?:previous|prior|above|earlier|system|safety|all)\b[\s\S]{0,24}?\b(?:instruction|prompt|rule|guideline|directive|message)/gi,
  },
  {
    kind: 'override',
    anchors: ['無視', '忘れ'],
    pattern: /(?:以前|これまで|上記|先)の(?:指示|命令)を(?:無視|忘れ)/g,
  },
  {
    kind: 'role',
    anchors: 'im_start [system] important> system> secret> instruction hidden> information>'.split(' '),
    pattern: /<\|im_start\|>|<\/?(?:important|system|secret|instructions?|hidden|information)>|\[system\]/gi,
  },
  {
    kind: 'role',
    anchors: [
      'system note',
      'system notice',
      'system update',
      'system override',
      'system directive',
      'system admin',
      'system: ',
    ],
    pattern:
      /\bsystem(?: [a-z]+)? (?:note|notice|update|override|directive)\s?:|\bsystem: (?:new|ignore|you|disregard)/gi,
  },
  {
    kind: 'power',
    anchors: ['you are now', 'you now', 'anything now', 'act as dan'],
    pattern:
      /\byou (?:are now in|now have|now are in)\b[\s\S]{0,30}?\b(?:mode|privileges?|access)\b|\bdo anything now\b|\bact as dan\b/gi,
  },
  {
    kind: 'send',
    anchors: [' to http', ' at http', '@', '.example'],
    pattern:
      /\b(?:send|forward|post|email|append|upload|transmit)\b[\s\S]{0,60}?\b(?:to|at) (?:https?:\/\/|[\w.+-]{1,64}@|[a-z-]{2,40}\.example\b)/gi,
  },
  {
    kind: 'secret',
    anchors: ['.ssh', 'id_rsa', 'id_ed25519', '.aws', '/etc/', 'mcp.json', 'environment variables', '<your'],
    pattern:
      // `cat: FILE: …` is the program's own error.
      /\b(?:read|include|output|prepend|append|print|dump|cat|reveal)\b(?!:)[\s\S]{0,60}?(?:\.ssh\/|\bid_rsa\b|\bid_ed25519\b|\.aws\/credentials|\/etc\/(?:shadow|passwd)|\bmcp\.json\b|\benvironment variables\b|<your [a-z ]{0,30}token>)|=\s?<your [a-z ]{0,40}(?:token|password|key)>/gi,
  },
  {
    kind: 'prompt',
    anchors: ['your '],
    pattern:
      /(?<!\band )\b(?:reply|output|reveal|pass|repeat|print|include)\b[\s\S]{0,20}?\byour (?:complete |full |entire |whole )?(?:system prompt|hidden instructions|instructions|conversation)\b/gi,
  },
  {
    kind: 'tool',
    anchors: ['must', 'retry with', 'then call', 'then run', 'please', 'also run', 'also call'],
    pattern:
      /\b(?:you must(?: now)?|retry with|then (?:call|run)|please(?: also)? (?:call|run|use)|also (?:call|run)) (?:the )?[a-z]{2,30}_[a-z_]{2,40}\b|\byou must (?:now )?(?:call|run|invoke)\b/gi,
  },
  {
    kind: 'run',
    anchors: ['immediately', 'curl', 'base64'],
    pattern:
      /\b(?:run|execute)\b[^\n]{0,40}?\bimmediately\b|\b(?:run|execute)\b[^\n]{0,40}?: ?curl\b[^\n]{0,200}?(?:\$\(|\| ?(?:ba|z)?sh\b)|\bdecode\b[\s\S]{0,80}?\b(?:execute|run)\b/gi,
  },
];

/** The strings of a JSON record separately; otherwise the whole text. */
function partsOf(text: string): readonly string[] {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return [text];
  try {
    const parts: string[] = [];
    gather(JSON.parse(text), parts, 0);
    return parts;
  } catch {
    // It only looked like JSON.
    return [text];
  }
}

function gather(value: unknown, parts: string[], depth: number): void {
  if (typeof value === 'string') parts.push(value);
  else if (typeof value === 'object' && value !== null && depth < maxDepth)
    for (const member of Object.values(value)) gather(member, parts, depth + 1);
}

/** Letters of other scripts that look like ASCII, each followed by its lookalike. */
const drawnAlike = [
  'аa еe оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw ӏl ѵv кk АA ВB ЕE КK МM НH ОO РP СC ТT ХX ЅS ІI ЈJ',
  'αa οo νv ρp ιi κk υu χx ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX օo սu հh ոn ցg զq ɡg ɑa ıi ǀl',
  '∕/ ⁄/ ⧸/ ‐- ‑- ‒- –- —- −- ˗- ‧. ·. ꓸ. ∶: ꞉:',
];

const ascii: ReadonlyMap<string, string> = new Map(
  drawnAlike.flatMap((row) => row.split(' ')).map((pair) => [pair[0] ?? '', pair.slice(1)]),
);

/** A text as it looks to a reader: wide letters and lookalikes as ASCII, invisible characters removed. */
function foldHomoglyphs(text: string): string {
  if (!/[^\x00-\x7f]/.test(text)) return text;
  const seen = text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return seen.replace(/[^\x00-\x7f]/gu, (letter) => ascii.get(letter) ?? letter);
}
