import { isNewPath, type Piece, type Word } from './words.ts';

/** What a script puts into its variables, wherever it does: order and branches are not followed. */
export interface Variables {
  /** The values that a name can hold, if the script alone decides and writes them out. */
  values(name: string): readonly string[] | undefined;
  /** Can the name hold nothing but a number, or what the environment had before? Such a name is no code. */
  isTame(name: string): boolean;
  /** Can the name hold nothing but `$!`, a process that the script itself started? */
  isOwnJob(name: string): boolean;
  /** Is it surely a file's name that no program takes for an option? `new` is one that mktemp made. */
  isFileName(name: string): 'found' | 'new' | undefined;
  /** Values that a name was seen to get, though it may get others. */
  seen(name: string): readonly string[];
}

/** How a value was given: written out, computed as a number, or from somewhere else. */
export type Given =
  | { readonly kind: 'static'; readonly value: string }
  | { readonly kind: 'number' | 'wild' | 'job' | 'found' | 'new' };

interface Entry {
  readonly statics: Set<string>;
  numbers: boolean;
  jobs: boolean;
  found: boolean;
  made: boolean;
  wild: boolean;
}

const maxValues = 16;

/** How a word gives a value. */
export function givenBy(word: Word | undefined): Given {
  if (!word) return { kind: 'wild' };
  if (word.value !== undefined) return { kind: 'static', value: word.value };
  const [only, ...more] = word.pieces;
  if (more.length === 0 && only?.kind === 'variable' && only.name === '!') return { kind: 'job' };
  if (more.length === 0 && only?.kind === 'unknown' && isNewPath(only.script)) return { kind: 'new' };
  const isNumber = word.pieces.every(
    (piece) =>
      (piece.kind === 'unknown' && piece.isNumber === true) ||
      (piece.kind === 'variable' && /^[?#$!]$/.test(piece.name)) ||
      (piece.kind === 'literal' && /^-?\d*$/.test(piece.text)),
  );
  return isNumber ? { kind: 'number' } : { kind: 'wild' };
}

export function createVariables(): Variables & {
  add(name: string, given: Given): void;
} {
  const entries = new Map<string, Entry>();
  return {
    add(name, given) {
      const entry = entries.get(name) ?? {
        statics: new Set<string>(),
        numbers: false,
        jobs: false,
        found: false,
        made: false,
        wild: false,
      };
      entries.set(name, entry);
      if (given.kind === 'static' && entry.statics.size < maxValues) entry.statics.add(given.value);
      else if (given.kind === 'number') entry.numbers = true;
      else if (given.kind === 'job') entry.jobs = true;
      else if (given.kind === 'found') entry.found = true;
      else if (given.kind === 'new') entry.made = true;
      else entry.wild = true;
    },
    values(name) {
      const entry = entries.get(name);
      return entry && isStatic(entry) ? [...entry.statics] : undefined;
    },
    isTame(name) {
      if (/^[?#$!]$/.test(name)) return true;
      if (/^([@*_-]|\d+|OPTARG|REPLY|BASH_.*|DIRSTACK|PIPESTATUS|MAPFILE)$/.test(name)) return false;
      const entry = entries.get(name);
      if (!entry) return true;
      return !isOpen(entry) && [...entry.statics].every((value) => /^(-?\d+)?$/.test(value));
    },
    isOwnJob(name) {
      if (name === '!') return true;
      const entry = entries.get(name);
      return (
        entry?.jobs === true &&
        !isOpen(entry) &&
        !entry.numbers &&
        [...entry.statics].every((value) => value === '')
      );
    },
    isFileName(name) {
      const entry = entries.get(name);
      if (!entry || !isOpen(entry) || entry.wild || entry.numbers || entry.jobs) return undefined;
      if ([...entry.statics].some((value) => value.startsWith('-'))) return undefined;
      return entry.found || [...entry.statics].some((value) => value !== '') ? 'found' : 'new';
    },
    seen: (name) => [...(entries.get(name)?.statics ?? [])],
  };
}

/** Holds something of which only the kind is known. */
function isOpen(entry: Entry): boolean {
  return entry.wild || entry.found || entry.made;
}

function isStatic(entry: Entry): boolean {
  return !isOpen(entry) && !entry.numbers && !entry.jobs;
}

/** `"$f"` where f is surely the name of a file. */
export function fileNameOf(word: Word, variables: Variables): 'found' | 'new' | undefined {
  const [only, ...more] = word.pieces;
  return only?.kind === 'variable' && only.quoted && more.length === 0
    ? variables.isFileName(only.name)
    : undefined;
}

/** All that a word can stand for, or nothing if that is not known. Bounded. */
export function possibleValues(word: Word, variables: Variables): readonly string[] | undefined {
  if (word.value !== undefined) return [word.value];
  let made: string[] = [''];
  for (const piece of word.pieces) {
    const values = valuesOf(piece, variables);
    if (!values || made.length * values.length > maxValues) return undefined;
    made = made.flatMap((start) => values.map((value) => start + value));
  }
  return made;
}

/**
 * Values that a word could well have, though not all: what is not known counts as empty, or as what it was seen to
 * hold. Good for a suspicion, never for an acquittal.
 */
export function candidateValues(word: Word, variables: Variables): readonly string[] {
  let made: string[] = [''];
  for (const piece of word.pieces) {
    const values = valuesOf(piece, variables) ?? suspected(piece, variables);
    made = made.flatMap((start) => values.map((value) => start + value)).slice(0, maxValues);
  }
  return made;
}

function suspected(piece: Piece, variables: Variables): readonly string[] {
  if (piece.kind === 'unknown') return ['', ...(piece.candidates ?? [])];
  if (piece.kind === 'variable') return ['', ...variables.seen(piece.name)];
  return piece.kind === 'glob' ? [piece.text.replace(/^\[(.).*\]$/s, '$1')] : [''];
}

function valuesOf(piece: Piece, variables: Variables): readonly string[] | undefined {
  if (piece.kind === 'literal') return [piece.text];
  if (piece.kind === 'brace') return bracesOf(piece.text);
  if (piece.kind !== 'variable') return undefined;
  const values = variables.values(piece.name);
  // Unquoted, a value with a space or a wildcard becomes other words.
  if (!values || (!piece.quoted && values.some((value) => !/^[\w./=@+-]+$/.test(value)))) return undefined;
  return values;
}

function bracesOf(text: string): readonly string[] | undefined {
  const inside = /^\{([\w./=:,-]*,[\w./=:,-]*)\}$/.exec(text)?.[1];
  const values = inside?.split(',');
  return values && values.length <= maxValues ? values : undefined;
}
