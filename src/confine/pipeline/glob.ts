import { Buffer } from 'node:buffer';
import type { Folder, FolderEntry } from '../../contract/files.ts';

/** So many names at most: more would not fit on a command line. */
const mostNames = 4000;

/**
 * Names that a shell's pattern matches below a folder, by code point. A backslash makes the next character a plain
 * one. Names with a leading dot need a pattern with one; links are named, and not walked through.
 */
export function expandGlob(folder: Folder, cwd: string, pattern: string): string[] {
  const alternatives = expandBraces(pattern);
  const names = alternatives.flatMap((alternative) => {
    const found = matches(folder, cwd, alternative);
    // One of several that finds nothing stays as it is.
    return found.length > 0 || alternatives.length === 1 ? found : [plainText(alternative)];
  });
  return names.slice(0, mostNames);
}

function matches(folder: Folder, cwd: string, pattern: string): string[] {
  if (!/(^|[^\\])(\\\\)*[*?[]/.test(pattern)) return [plainText(pattern)];
  const isAbsolute = pattern.startsWith('/');
  let found: string[] = [isAbsolute ? '/' : ''];
  for (const component of splitPattern(pattern)) {
    const next: string[] = [];
    const isGlob = /(^|[^\\])(\\\\)*[*?[]/.test(component);
    for (const start of found) {
      if (!isGlob) {
        next.push(join(start, plainText(component)));
        continue;
      }
      for (const { name } of entriesOf(folder, cwd, start)) {
        if (name.startsWith('.') && !component.startsWith('.')) continue;
        if (matchesName(component, name)) next.push(join(start, name));
        if (next.length > mostNames) return next;
      }
    }
    found = next;
  }
  // A slash at the end asks for folders, and stays with their names.
  if (pattern.endsWith('/'))
    return found
      .filter((path) => isFolderIn(folder, cwd, path))
      .map((path) => `${path}/`)
      .sort(byCodePoint);
  return found.filter((path) => existsIn(folder, cwd, path)).sort(byCodePoint);
}

function splitPattern(pattern: string): string[] {
  return pattern.split('/').filter((component) => component !== '');
}

function join(start: string, name: string): string {
  return start === '' || start.endsWith('/') ? `${start}${name}` : `${start}/${name}`;
}

function entriesOf(folder: Folder, cwd: string, path: string): FolderEntry[] {
  try {
    return folder.at(path === '' ? '.' : path, { base: cwd }).entries();
  } catch {
    // Not a folder, or not inside: a shell finds nothing there either.
    return [];
  }
}

function isFolderIn(folder: Folder, cwd: string, path: string): boolean {
  try {
    return folder.at(path, { base: cwd }).stat().kind === 'folder';
  } catch {
    return false;
  }
}

function existsIn(folder: Folder, cwd: string, path: string): boolean {
  try {
    return folder.at(path, { base: cwd }).exists();
  } catch {
    return false;
  }
}

/** `*`, `?`, `[a-z]`, `[!a]` in time linear in both, whatever the pattern. */
export function matchesName(pattern: string, name: string): boolean {
  const parts = compile(pattern);
  const characters = [...name];
  let part = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < characters.length) {
    const current = parts[part];
    if (current === 'star') {
      star = part++;
      resume = at;
    } else if (current?.(characters[at] ?? '')) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++resume;
    } else return false;
  }
  while (parts[part] === 'star') part++;
  return part === parts.length;
}

type Part = 'star' | ((character: string) => boolean);

function compile(pattern: string): Part[] {
  const parts: Part[] = [];
  const characters = [...pattern];
  for (let at = 0; at < characters.length; at++) {
    const next = characters[at] ?? '';
    if (next === '*') {
      if (parts.at(-1) !== 'star') parts.push('star');
    } else if (next === '?') parts.push(() => true);
    else if (next === '[') {
      const set = readSet(characters, at);
      if (set) {
        parts.push(set.has);
        at = set.end;
      } else parts.push((character) => character === '[');
    } else {
      const wanted = next === '\\' ? (characters[++at] ?? '\\') : next;
      parts.push((character) => character === wanted);
    }
  }
  return parts;
}

const classes: Readonly<Record<string, RegExp>> = {
  alpha: /\p{L}/u,
  digit: /\d/,
  alnum: /[\p{L}\d]/u,
  upper: /\p{Lu}/u,
  lower: /\p{Ll}/u,
  space: /\s/,
  punct: /[!-/:-@[-`{-~]/,
};

function readSet(
  characters: readonly string[],
  start: number,
): { has: (character: string) => boolean; end: number } | undefined {
  let at = start + 1;
  const negated = characters[at] === '!' || characters[at] === '^';
  if (negated) at++;
  const tests: ((character: string) => boolean)[] = [];
  for (let first = true; at < characters.length; first = false) {
    let from = characters[at] ?? '';
    if (from === ']' && !first) {
      return { has: (character) => tests.some((test) => test(character)) !== negated, end: at };
    }
    const named = from === '[' ? /^\[:(\w+):\]/.exec(characters.slice(at, at + 12).join('')) : null;
    const known = named ? classes[named[1] ?? ''] : undefined;
    if (named && known) {
      tests.push((character) => known.test(character));
      at += named[0].length;
      continue;
    }
    if (from === '\\') from = characters[++at] ?? '';
    at++;
    if (characters[at] === '-' && characters[at + 1] !== ']' && characters[at + 1] !== undefined) {
      let to = characters[at + 1] ?? '';
      at += 2;
      if (to === '\\') to = characters[at++] ?? '';
      tests.push((character) => character >= from && character <= to);
    } else tests.push((character) => character === from);
  }
  return undefined;
}

/** `a{b,c}d` as `abd acd`, and `{1..3}`, as bash does. Bounded, so that nothing multiplies without end. */
function expandBraces(pattern: string): string[] {
  let done: string[] = [];
  let pending = [pattern];
  while (pending.length > 0 && done.length + pending.length < 256) {
    const next: string[] = [];
    for (const one of pending) {
      const group = innerGroup(one);
      if (!group) done.push(one);
      else
        for (const choice of group.choices)
          next.push(`${one.slice(0, group.start)}${choice}${one.slice(group.end)}`);
    }
    pending = next;
  }
  done = [...done, ...pending];
  return done;
}

/** The first innermost `{…,…}` that is not quoted. */
function innerGroup(pattern: string): { start: number; end: number; choices: string[] } | undefined {
  let start = -1;
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === '{') start = at;
    else if (pattern[at] === '}' && start >= 0) {
      const inner = pattern.slice(start + 1, at);
      const choices = rangeOf(inner) ?? inner.split(/(?<!\\),/);
      if (choices.length > 1) return { start, end: at + 1, choices };
      start = -1;
    }
  }
  return undefined;
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

function plainText(pattern: string): string {
  return pattern.replace(/\\(.)/gs, '$1');
}

export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
