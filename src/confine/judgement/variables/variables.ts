import { givesPath, isNewPath, programsFound } from '../words/substitutions.ts';
import type { Piece, Word } from '../words/word.ts';
import { separators } from './assignments.ts';
import { possibleValues, type Variables } from './values.ts';

/** How a value was given: written out, put together from words, computed as a number, or from somewhere else. */
export type Given =
  | { readonly kind: 'static'; readonly value: string }
  | { readonly kind: 'word' | 'found'; readonly word: Word }
  | { readonly kind: 'array'; readonly elements: readonly Word[] }
  /** The path of the first of these programs that is installed. */
  | { readonly kind: 'program'; readonly names: readonly string[] }
  /** The indices of an array. */
  | { readonly kind: 'keys'; readonly of: string }
  | { readonly kind: Exclude<Kind, 'program'> };

type Kind = 'number' | 'wild' | 'job' | 'new' | 'program' | 'path';

interface Entry {
  readonly statics: Set<string>;
  readonly words: Word[];
  readonly found: Word[];
  readonly arrays: (readonly Word[])[];
  readonly keysOf: Set<string>;
  readonly programs: Set<string>;
  readonly kinds: Set<Kind>;
}

const maxValues = 16;

/** How a word gives a value. */
export function givenBy(word: Word | undefined): Given {
  if (!word) return { kind: 'wild' };
  if (word.value !== undefined) return { kind: 'static', value: word.value };
  const [only, ...more] = word.pieces;
  if (more.length === 0 && only?.kind === 'variable' && only.name === '!') return { kind: 'job' };
  if (more.length === 0 && only?.kind === 'unknown' && isNewPath(only.script)) return { kind: 'new' };
  const programs = more.length === 0 && only?.kind === 'unknown' ? programsFound(only.script) : undefined;
  if (programs) return { kind: 'program', names: programs };
  if (more.length === 0 && only?.kind === 'unknown' && givesPath(only.script)) return { kind: 'path' };
  const isNumber = word.pieces.every(
    (piece) =>
      (piece.kind === 'unknown' && piece.isNumber === true) ||
      (piece.kind === 'variable' && /^[?#$!]$/.test(piece.name)) ||
      (piece.kind === 'literal' && /^-?\d*$/.test(piece.text)),
  );
  if (isNumber) return { kind: 'number' };
  const isMade = word.pieces.every(
    (piece) =>
      piece.kind === 'literal' ||
      (piece.kind === 'variable' && !/^([@*_-]|\d+)$/.test(piece.name)) ||
      (piece.kind === 'unknown' && (piece.otherwise !== undefined || piece.listOf !== undefined)),
  );
  return isMade ? { kind: 'word', word } : { kind: 'wild' };
}

/** Variables to which what is read is added. */
export interface Growing extends Variables {
  add(name: string, given: Given): void;
  /** From here on it is a map, unless something else was or is done with the name. */
  addMap(name: string): void;
  spoilMap(name: string): void;
  /** It is read from a listing, if that is one of all that is there. */
  list(name: string, isOfAll: () => boolean): void;
}

/** Variables of which all is known. */
export function settled(variables: Variables): Growing {
  const ignore = (): void => {};
  return { ...variables, add: ignore, addMap: ignore, spoilMap: ignore, list: ignore };
}

export function createVariables(): Growing {
  const entries = new Map<string, Entry>();
  const maps = new Map<string, boolean>();
  const lists = new Map<string, (() => boolean)[]>();
  /** Names whose values are being put together: one that needs itself is not known. */
  const open = new Set<string>();

  const closed = <T>(name: string, ask: (entry: Entry) => T, circular: T): T | undefined => {
    const entry = entries.get(name);
    if (!entry) return undefined;
    if (open.has(name) || open.size > maxValues) return circular;
    open.add(name);
    try {
      return ask(entry);
    } finally {
      open.delete(name);
    }
  };
  const variables = {
    add(name: string, given: Given) {
      const entry = entries.get(name) ?? {
        statics: new Set<string>(),
        words: [],
        found: [],
        arrays: [],
        keysOf: new Set<string>(),
        programs: new Set<string>(),
        kinds: new Set<Kind>(),
      };
      entries.set(name, entry);
      if (given.kind === 'static' && entry.statics.size < maxValues) entry.statics.add(given.value);
      else if (given.kind === 'word' && entry.words.length < maxValues) entry.words.push(given.word);
      else if (given.kind === 'found' && entry.found.length < maxValues) entry.found.push(given.word);
      else if (given.kind === 'array' && entry.arrays.length < maxValues) {
        entry.arrays.push(given.elements);
        for (const element of given.elements) variables.add(name, givenBy(element));
      } else if (given.kind === 'keys') entry.keysOf.add(given.of);
      else if (given.kind === 'program') {
        entry.kinds.add('program');
        for (const program of given.names) entry.programs.add(program);
      } else
        entry.kinds.add(
          given.kind === 'static' || given.kind === 'word' || given.kind === 'found' || given.kind === 'array'
            ? 'wild'
            : given.kind,
        );
    },
    addMap(name: string) {
      maps.set(name, !entries.has(name) && !maps.has(name));
    },
    spoilMap(name: string) {
      maps.set(name, false);
    },
    values(name: string): readonly string[] | undefined {
      return closed<readonly string[] | undefined>(
        name,
        (entry) => {
          if (entry.kinds.size > 0 || entry.found.length > 0 || entry.keysOf.size > 0) return undefined;
          const values = new Set(entry.statics);
          for (const word of entry.words) {
            const [only] = word.pieces.length === 1 ? word.pieces : [];
            // `old=$IFS; IFS=$old`: a copy of itself adds nothing, `x=${x:-a}` an a.
            if (only && open.has(nameOf(only) ?? '')) {
              if (only.kind === 'unknown' && only.otherwise !== undefined) values.add(only.otherwise);
              continue;
            }
            const made = possibleValues(word, variables);
            if (!made) return undefined;
            for (const value of made) values.add(value);
          }
          return values.size > maxValues ? undefined : [...values];
        },
        undefined,
      );
    },
    isTame(name: string): boolean {
      if (/^[?#$!]$/.test(name)) return true;
      if (/^([@*_-]|\d+|OPTARG|REPLY|BASH_.*|DIRSTACK|PIPESTATUS|MAPFILE)$/.test(name)) return false;
      if (!entries.has(name)) return true;
      return (
        closed(
          name,
          (entry) =>
            !hasKind(entry, 'wild', 'new', 'program', 'path') &&
            entry.found.length === 0 &&
            [...entry.keysOf].every((array) => !maps.has(array)) &&
            [...entry.statics].every((value) => /^(-?\d+)?$/.test(value)) &&
            entry.words.every((word) => word.pieces.every(isTamePiece)),
          true,
        ) ?? false
      );
    },
    isNumber(name: string): boolean {
      const entry = entries.get(name);
      return (
        entry?.kinds.has('number') === true &&
        entry.kinds.size === 1 &&
        entry.words.length + entry.found.length + entry.keysOf.size === 0 &&
        [...entry.statics].every((value) => /^-?\d*$/.test(value))
      );
    },
    isOwnJob(name: string): boolean {
      if (name === '!') return true;
      const entry = entries.get(name);
      return (
        entry?.kinds.has('job') === true &&
        entry.kinds.size === 1 &&
        entry.words.length + entry.found.length + entry.keysOf.size === 0 &&
        [...entry.statics].every((value) => value === '')
      );
    },
    isFileName(name: string): 'found' | 'new' | undefined {
      const entry = entries.get(name);
      if (
        !entry ||
        hasKind(entry, 'wild', 'number', 'job', 'program', 'path') ||
        entry.words.length + entry.keysOf.size > 0
      )
        return undefined;
      if (entry.found.length === 0 && !entry.kinds.has('new')) return undefined;
      if ([...entry.statics].some((value) => value.startsWith('-'))) return undefined;
      return entry.found.length > 0 || [...entry.statics].some((value) => value !== '') ? 'found' : 'new';
    },
    globs: (name: string) => entries.get(name)?.found ?? [],
    isSeparators(name: string): boolean {
      if (name === 'IFS' && !entries.has(name)) return true;
      return (
        closed(
          name,
          (entry) =>
            entry.kinds.size + entry.found.length + entry.keysOf.size === 0 &&
            [...entry.statics].every((value) => separators.test(value)) &&
            entry.words.every(({ pieces }) => {
              const [piece, ...more] = pieces;
              return more.length === 0 && piece?.kind === 'variable' && variables.isSeparators(piece.name);
            }),
          true,
        ) ?? false
      );
    },
    arrays(name: string): readonly (readonly Word[])[] | undefined {
      const entry = entries.get(name);
      const elements = entry?.arrays.reduce((count, array) => count + array.length, 0) ?? 0;
      // An element that came on its own stands in no list of ours.
      if (!entry || entry.arrays.length === 0 || hasKind(entry, 'wild', 'job', 'new', 'program'))
        return undefined;
      const all = entry.statics.size + entry.words.length + entry.found.length;
      return all <= elements && entry.keysOf.size === 0 ? entry.arrays : undefined;
    },
    isPath(name: string): boolean {
      const entry = entries.get(name);
      return (
        entry?.kinds.has('path') === true &&
        entry.kinds.size === 1 &&
        entry.words.length === 0 &&
        [...entry.statics].every((value) => /^([\w./@+][\w./@+-]*)?$/.test(value))
      );
    },
    programs(name: string): readonly string[] | undefined {
      const entry = entries.get(name);
      if (!entry?.kinds.has('program') || entry.kinds.size > 1) return undefined;
      if (entry.words.length + entry.found.length + entry.keysOf.size > 0) return undefined;
      return [...entry.programs, ...[...entry.statics].filter((value) => value !== '')];
    },
    list(name: string, isOfAll: () => boolean) {
      const known = lists.get(name) ?? [];
      known.push(isOfAll);
      lists.set(name, known);
    },
    isListed(name: string): boolean {
      if (open.has(name)) return false;
      open.add(name);
      try {
        return lists.get(name)?.some((isOfAll) => isOfAll()) === true;
      } finally {
        open.delete(name);
      }
    },
    isMap: (name: string) => maps.get(name) === true,
    has: (name: string) => entries.has(name),
    names: () => [...entries.keys()],
    seen: (name: string) => [...(entries.get(name)?.statics ?? [])],
  };
  return variables;

  function isTamePiece(piece: Piece): boolean {
    if (piece.kind === 'literal') return /^-?\d*$/.test(piece.text);
    if (piece.kind === 'unknown' && piece.otherwise !== undefined && !/^-?\d*$/.test(piece.otherwise))
      return false;
    const name = nameOf(piece);
    return name !== undefined && variables.isTame(name);
  }
}

function hasKind({ kinds }: Entry, ...asked: readonly Kind[]): boolean {
  return asked.some((kind) => kinds.has(kind));
}

/** The one variable that a piece gives the value of, or one of the elements of. */
function nameOf(piece: Piece | undefined): string | undefined {
  if (piece?.kind === 'variable') return piece.name;
  return piece?.kind === 'unknown' ? (piece.name ?? piece.listOf) : undefined;
}
