import type { FlowSource } from '../contract/flow.ts';
import { decoded } from '../ground/decoded.ts';
import { leavesOf } from './leaves.ts';
import { createFolded, createOrigins, type Origin, type Origins, stood } from './origins.ts';
import { follow, keyOf, normal, scan, type Word, wordsOf } from './scan.ts';
import { addressesIn, hostOf, isAddress } from './targets.ts';

const addressSlots = 1 << 14;
const phraseSlots = 1 << 15;
const maxDecodings = 2;
const maxRepeatedChars = 4096;

/** Origins of text that sessions pass on through files, memories, notes and tasks. */
export type Carried = Origins;

export function createCarried(): Carried {
  return createOrigins(addressSlots, createFolded());
}

/** The origins of strings in one session's results, for looking up values. */
export class Memory {
  readonly #carried: Carried;
  /** Addresses, ids, file names, and short fields of records. */
  readonly #addresses = createOrigins(addressSlots, createFolded());
  /** Single words and pairs of words in prose. */
  readonly #phrases = createOrigins(phraseSlots);
  #repeated: ReadonlySet<number> = new Set();

  constructor(carried: Carried) {
    this.#carried = carried;
  }

  /** Notes for all sessions the origins of untrusted text that this call stores somewhere. */
  carry(input: unknown): void {
    // A single plain word would make every session that uses it suspect.
    for (const key of keysIn(input, (word) => word.marked)) {
      const origin = this.#addresses.find(key) ?? this.#phrases.find(key) ?? this.#carried.find(key);
      if (!origin || origin.flags & (stood.own | stood.rooted)) continue;
      this.#carried.add(key, origin.flags, origin.source ?? forgotten, origin.line ?? 1);
    }
  }

  originOf(value: string): { readonly origin: Origin; readonly isPlain: boolean } | undefined {
    const words = wordsOf(value);
    const [first] = words;
    if (!first) return undefined;
    const key = keyOf(words);
    const exact = this.#addresses.find(key) ?? this.#carried.find(key);
    const phrase = words.length > 1 ? this.#phraseOf(words) : this.#phrases.find(key);
    const flags = (exact?.flags ?? 0) | (phrase?.flags ?? 0);
    const origin = exact ?? phrase;
    const isPlain = words.length === 1 && !first.marked;
    if (origin) return { origin: { ...origin, flags }, isPlain };
    const host = hostOf(value);
    return host === undefined || host === value ? undefined : this.originOf(host);
  }

  /** The origin of an encoded value, or of an address split into parts, if the whole occurs nowhere. */
  hiddenOrigin(value: string): Origin | undefined {
    for (const spelling of spellings(value)) {
      const words = wordsOf(spelling);
      const found = words.length > 1 ? this.#phraseOf(words) : this.#addresses.find(keyOf(words));
      // Folded entries may be false positives, and this asks many times.
      if (found?.source) return found;
    }
    return isAddress(value) ? (this.#inParts(value) ?? this.#inHalves(value)) : undefined;
  }

  /** From here on, results belong to this call: text that repeats its input has the input's origin. */
  reading(input: unknown): void {
    this.#repeated = keysIn(input);
  }

  noteField(text: string, flags: number, source: FlowSource, line: number): void {
    const words = wordsOf(text);
    const key = keyOf(words);
    if (key !== 0) this.#note(key, flags, source, line);
    // A short sentence can be in a field, and name an account.
    const inner = words.length > 1 && flags & stood.field ? flags | stood.prose : flags;
    for (const { hash, marked } of words) if (marked) this.#note(hash, inner, source, line);
    for (const address of addressesIn(text)) {
      this.#note(keyOf(wordsOf(address)), flags, source, line);
      this.#readParts(address, flags, source, line);
    }
  }

  #note(key: number, flags: number, source: FlowSource, line: number, into = this.#addresses): void {
    if (this.#repeated.has(key)) return;
    // Text of a stranger keeps its origin when it is written to a file or note and read back.
    const brought = flags & stood.own ? this.#carried.find(key) : undefined;
    if (brought) into.add(key, brought.flags, brought.source ?? source, brought.line ?? line);
    else into.add(key, flags, source, line);
  }

  noteText(text: string, flags: number, source: FlowSource, line: number, depth = 0): void {
    const plain = normal(text);
    const isOwn = (flags & stood.own) !== 0;
    let before: number | undefined;
    scan(
      plain,
      {
        word: (hash, marked, start, end, at) => {
          if (marked) {
            this.#note(hash, flags, source, at);
            const word = plain.slice(start, end);
            this.#readParts(word, flags, source, at);
            const inner = depth < maxDecodings ? decoded(word) : undefined;
            if (inner !== undefined) this.noteText(inner, flags, source, at, depth + 1);
          }
          if (!isOwn) {
            this.#note(hash, flags, source, at, this.#phrases);
            if (before !== undefined) this.#note(follow(before, hash), flags, source, at, this.#phrases);
          }
          before = hash;
        },
      },
      line,
    );
    if (depth === 0 && spelledOut.test(plain))
      this.noteText(joined(plain), flags, source, line, maxDecodings);
  }

  /** Addresses inside a longer word, `mailto:x@evil.example`, and the hosts of links. */
  #readParts(word: string, flags: number, source: FlowSource, line: number): void {
    if (!/[@:=]|\/\/|^www\./.test(word)) return;
    for (const address of addressesIn(word)) {
      if (address !== word) this.#note(keyOf(wordsOf(address)), flags, source, line);
      const host = hostOf(address);
      if (host !== undefined) this.#note(keyOf(wordsOf(host)), flags, source, line);
    }
  }

  #phraseOf(words: readonly { readonly hash: number }[]): Origin | undefined {
    let found: Origin | undefined;
    for (let place = 1; place < words.length; place++) {
      const pair = follow(words[place - 1]?.hash ?? 0, words[place]?.hash ?? 0);
      found = this.#phrases.find(pair) ?? this.#carried.find(pair);
      if (!found) return undefined;
    }
    return found;
  }

  #inParts(value: string): Origin | undefined {
    const parts = value.split(/[@/.:]+/).filter((part) => part.length > 3 && !/^https?$/.test(part));
    const found = parts.map((part) => this.#phrases.find(keyOf(wordsOf(part))));
    return parts.length < 2 || found.includes(undefined) ? undefined : found[0];
  }

  #inHalves(value: string): Origin | undefined {
    for (let place = 4; place < value.length - 3; place++) {
      const first = this.#phrases.find(keyOf(wordsOf(value.slice(0, place))));
      if (first && this.#phrases.find(keyOf(wordsOf(value.slice(place))))) return first;
    }
    return undefined;
  }
}

const forgotten: FlowSource = { tool: '', place: '', atMs: 0 };

const spelledOut = /[([{]\s*(?:at|dot)\s*[)\]}]/i;

/** `x [at] evil [dot] example` as one address. */
function joined(text: string): string {
  return text.replace(/\s*[([{]\s*at\s*[)\]}]\s*/gi, '@').replace(/\s*[([{]\s*dot\s*[)\]}]\s*/gi, '.');
}

/** All words, pairs of words and addresses of a call. */
function keysIn(input: unknown, takes: (word: Word) => boolean = () => true): ReadonlySet<number> {
  const keys = new Set<number>();
  for (const { text } of leavesOf([], input)) {
    const words = wordsOf(text.slice(0, maxRepeatedChars));
    if (words.length > 1) keys.add(keyOf(words));
    words.forEach((word, place) => {
      if (takes(word)) keys.add(word.hash);
      const next = words[place + 1];
      if (next) keys.add(follow(word.hash, next.hash));
    });
    for (const address of addressesIn(text)) {
      keys.add(keyOf(wordsOf(address)));
      keys.add(keyOf(wordsOf(hostOf(address) ?? '')));
    }
  }
  return keys;
}

const radio =
  'alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu'.split(
    ' ',
  );
const a = 97;

/**
 * Encodings in which a value may have been hidden in a text: a short list of those that models read easily. Derived
 * from the value about to be sent, so that read text need not be decoded.
 */
function spellings(value: string): readonly string[] {
  const letters = [...value];
  const small = value.toLowerCase();
  const thrice = (text: string) => [1, 2, 3].reduce((inner) => Buffer.from(inner).toString('base64'), text);
  return [
    letters.toReversed().join(''),
    small.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - a + 13) % 26) + a)),
    letters.filter((letter) => letter !== ' ').join(' '),
    [...small].map((letter) => radio[letter.charCodeAt(0) - a] ?? letter).join(' '),
    letters.map((letter) => `&#${letter.codePointAt(0)};`).join(''),
    letters.map((letter) => `&#x${letter.codePointAt(0)?.toString(16)};`).join(''),
    thrice(value),
  ];
}
