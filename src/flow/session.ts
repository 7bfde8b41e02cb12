import type {
  FlowFinding,
  FlowRead,
  FlowSession,
  FlowSource,
  FlowTarget,
  FlowTool,
} from '../contract/flow.ts';
import { becauseOf } from './because.ts';
import { decoded } from './decoded.ts';
import { kindOf, readsOutside } from './kinds.ts';
import { isShort, leavesOf } from './leaves.ts';
import { createFolded, createOrigins, type Origin, type Origins, stood } from './origins.ts';
import { createSaid } from './said.ts';
import { follow, keyOf, normal, scan, wordsOf } from './scan.ts';
import { addressesIn, type Candidate, candidatesOf, hostOf } from './targets.ts';

const addressSlots = 1 << 14;
const phraseSlots = 1 << 15;
const maxAgreed = 4096;
const maxDecodings = 2;
const maxRepeatedChars = 4096;

/** What sessions leave each other through files, memories, notes and tasks. */
export type Carried = Origins;

export function createCarried(): Carried {
  return createOrigins(addressSlots, createFolded());
}

/**
 * What was read and said in one session, and the rule over it: where a call sends something out, or gives rights, or
 * deletes, each *where or what* that stood in a stranger's text and is neither in the user's words nor rooted in them is
 * found. Pure: no clock, no I/O, bounded in memory and in work for each result.
 */
export function createFlowSession(carried: Carried = createCarried()): FlowSession {
  const said = createSaid();
  /** Addresses, ids, names of files, and short fields of records. */
  const addresses = createOrigins(addressSlots, createFolded());
  /** Single words and pairs of them, of running text. */
  const phrases = createOrigins(phraseSlots);
  /** The keys of the call whose answer is being read. */
  let repeated: ReadonlySet<number> = new Set();
  const agreed = new Set<string>();
  let readPrivate = false;
  let readOutside = false;

  function note(key: number, flags: number, source: FlowSource, line: number, into = addresses): void {
    // What a tool says of its own call it has from there.
    if (repeated.has(key)) return;
    // What a stranger said does not become the user's own by lying in a file or a note meanwhile.
    const brought = flags & stood.own ? carried.find(key) : undefined;
    if (brought) into.add(key, brought.flags, brought.source ?? source, brought.line ?? line);
    else into.add(key, flags, source, line);
  }

  function readText(text: string, flags: number, source: FlowSource, line: number, depth = 0): void {
    const plain = normal(text);
    const isOwn = (flags & stood.own) !== 0;
    let before: number | undefined;
    scan(
      plain,
      {
        word(hash, marked, start, end, at) {
          if (marked) {
            note(hash, flags, source, at);
            const word = plain.slice(start, end);
            readParts(word, flags, source, at);
            const inner = depth < maxDecodings ? decoded(word) : undefined;
            if (inner !== undefined) readText(inner, flags, source, at, depth + 1);
          }
          if (!isOwn) {
            note(hash, flags, source, at, phrases);
            if (before !== undefined) note(follow(before, hash), flags, source, at, phrases);
          }
          before = hash;
        },
      },
      line,
    );
    if (depth === 0 && spelledOut.test(plain)) readText(joined(plain), flags, source, line, maxDecodings);
  }

  /** Addresses inside of a longer word, `mailto:x@evil.example`, and whose door a link is. */
  function readParts(word: string, flags: number, source: FlowSource, line: number): void {
    if (!/[@:=]|\/\/|^www\./.test(word)) return;
    for (const address of addressesIn(word)) {
      if (address !== word) note(keyOf(wordsOf(address)), flags, source, line);
      const host = hostOf(address);
      if (host !== undefined) note(keyOf(wordsOf(host)), flags, source, line);
    }
  }

  /** Keeps for every session what a stranger wrote of a text that is put down somewhere. */
  function carry(text: string): void {
    const strangers = (key: number) => {
      const origin = addresses.find(key) ?? carried.find(key);
      const own = stood.own | stood.rooted;
      if (origin && !(origin.flags & own))
        carried.add(key, origin.flags, origin.source ?? forgotten, origin.line ?? 1);
    };
    if (isShort(text)) strangers(keyOf(wordsOf(text)));
    for (const { hash, marked } of wordsOf(text)) if (marked) strangers(hash);
    for (const address of addressesIn(text)) strangers(keyOf(wordsOf(address)));
  }

  function originOf(value: string): { readonly origin: Origin; readonly isPlain: boolean } | undefined {
    const words = wordsOf(value);
    const [first] = words;
    if (!first) return undefined;
    const key = keyOf(words);
    const exact = addresses.find(key) ?? carried.find(key);
    const phrase = words.length > 1 ? phraseOf(words) : phrases.find(key);
    const flags = (exact?.flags ?? 0) | (phrase?.flags ?? 0);
    const origin = exact ?? phrase;
    const isPlain = words.length === 1 && !first.marked;
    if (origin) return { origin: { ...origin, flags }, isPlain };
    const host = hostOf(value);
    return host === undefined ? undefined : originOf(host);
  }

  function phraseOf(words: readonly { readonly hash: number }[]): Origin | undefined {
    let found: Origin | undefined;
    for (let place = 1; place < words.length; place++) {
      found = phrases.find(follow(words[place - 1]?.hash ?? 0, words[place]?.hash ?? 0));
      if (!found) return undefined;
    }
    return found;
  }

  /** Do the parts of an address stand in running text, where the whole does not? */
  function piecesOf(value: string): Origin | undefined {
    const pieces = value.split(/[@/.:]+/).filter((piece) => piece.length > 3 && !/^https?$/.test(piece));
    const found = pieces.map((piece) => phrases.find(keyOf(wordsOf(piece))));
    if (pieces.length < 2 || found.includes(undefined)) return undefined;
    return found.find((origin) => origin && origin.flags & stood.prose);
  }

  function isNamed(value: string): boolean {
    if (said.has(value)) return true;
    const host = hostOf(value);
    return host !== undefined && said.has(host);
  }

  function targetOf(candidate: Candidate, kind: FlowFinding['kind']): FlowTarget | undefined {
    const { argument, value } = candidate;
    if (isNamed(value)) return undefined;
    const meant = { argument, value, grants: grantedBy(value) };
    const known = originOf(value);
    // Nobody's words are known, and only these could give a right or delete.
    if (!known && kind !== 'send' && !said.isKnown()) return { ...meant, why: 'nowhere' };
    if (!known) {
      if (addressesIn(value)[0] !== value) return undefined;
      const pieces = piecesOf(value);
      if (pieces) return { ...meant, source: pieces.source, line: pieces.line, why: 'assembled' };
      return said.isKnown() && readOutside ? { ...meant, why: 'nowhere' } : undefined;
    }
    const { flags, source, line } = known.origin;
    const target: FlowTarget = { ...meant, source, line, why: 'read' };
    if (kind === 'delete') return target;
    if (kind === 'rights')
      return (flags & (stood.rooted | stood.own)) !== 0 && isOpaque(value) ? undefined : target;
    if (flags & (stood.rooted | stood.own)) return undefined;
    if (said.isKnown()) return target;
    return known.isPlain || flags & stood.field ? undefined : target;
  }

  /** Was this asked for in the user's words, or in what these led to? Then a stranger did not choose the record. */
  function isRooted(tool: FlowTool, input: unknown): boolean {
    if (!said.isKnown()) return false;
    const wheres = candidatesOf(input, tool.inputSchema('en'), true).filter(({ isEmbedded }) => !isEmbedded);
    return (
      wheres.length > 0 &&
      wheres.every(
        ({ value }) => isNamed(value) || ((originOf(value)?.origin.flags ?? 0) & stood.rooted) !== 0,
      )
    );
  }

  let last = '';
  return {
    says(words) {
      if (words !== last) said.add(words);
      last = words;
    },
    reads({ tool, input, texts, structured, atMs }: FlowRead) {
      const isOutside = readsOutside(tool, input);
      const source: FlowSource = { tool: tool.name, place: placeOf(input), atMs };
      if (isOutside) readOutside = true;
      else if (texts.length > 0) readPrivate = true;
      const isFetched = isOutside && isRooted(tool, input);
      repeated = keysIn(input);
      for (const { text: words, isField, line } of leavesOf(texts, structured)) {
        const flags = !isOutside
          ? stood.own
          : !isField
            ? stood.prose
            : isFetched
              ? stood.field | stood.rooted
              : stood.field;
        if (isField) {
          const key = keyOf(wordsOf(words));
          if (key !== 0) note(key, flags, source, line);
          for (const address of addressesIn(words)) {
            note(keyOf(wordsOf(address)), flags, source, line);
            readParts(address, flags, source, line);
          }
        } else readText(words, flags, source, line);
      }
    },
    writes(tool, input) {
      if (tool.server !== undefined || tool.annotations.readOnly || !readOutside) return;
      for (const { text } of leavesOf([], input)) carry(text);
    },
    judge(tool, input) {
      const kind = kindOf(tool);
      if (!kind) return undefined;
      const targets = candidatesOf(input, tool.inputSchema('en'), kind !== 'send')
        .filter(({ value }) => !agreed.has(agreement(tool, grantedBy(value))))
        .flatMap((candidate) => targetOf(candidate, kind) ?? []);
      if (targets.length === 0) return undefined;
      return { kind, targets, because: becauseOf(kind, targets) };
    },
    agreed(tool, targets) {
      for (const { grants } of targets) {
        if (agreed.size < maxAgreed) agreed.add(agreement(tool, grants));
      }
    },
    labels: () => ({ readPrivate, readOutside }),
  };
}

const forgotten: FlowSource = { tool: '', place: '', atMs: 0 };

const spelledOut = /[([{]\s*(?:at|dot)\s*[)\]}]/i;

/** `x [at] evil [dot] example` as one address. */
function joined(text: string): string {
  return text.replace(/\s*[([{]\s*at\s*[)\]}]\s*/gi, '@').replace(/\s*[([{]\s*dot\s*[)\]}]\s*/gi, '.');
}

/** An id that says nothing by itself: it cannot name whom a right is given to. */
function isOpaque(value: string): boolean {
  return /\d/.test(value) && !/[@\s]|:\/\//.test(value);
}

function agreement({ name }: FlowTool, granted: string): string {
  return `${name} ${granted}`;
}

/** Who agrees to a link agrees to its host: pages of one place lead to each other. */
function grantedBy(value: string): string {
  return hostOf(value) ?? normal(value).toLowerCase();
}

/** All that a call says: its words, the pairs of them, and its addresses. */
function keysIn(input: unknown): ReadonlySet<number> {
  const keys = new Set<number>();
  for (const { text } of leavesOf([], input)) {
    const words = wordsOf(text.slice(0, maxRepeatedChars));
    keys.add(keyOf(words));
    words.forEach(({ hash }, place) => {
      keys.add(hash);
      const next = words[place + 1];
      if (next) keys.add(follow(hash, next.hash));
    });
    for (const address of addressesIn(text)) {
      keys.add(keyOf(wordsOf(address)));
      keys.add(keyOf(wordsOf(hostOf(address) ?? '')));
    }
  }
  return keys;
}

/** What a call asked for, as a person recognizes it: its first short argument. */
function placeOf(input: unknown): string {
  const [first] = candidatesOf(input, undefined, true);
  return first?.value.slice(0, 80) ?? '';
}
