import { lstatSync, opendirSync } from 'node:fs';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { orElse } from '../../ground/or-else.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { isTemporaryName, shownPath } from '../names.ts';
import type { PlaceFacts } from '../place-facts.ts';
import { enterFolder, entryOf, itself, leaveFolder } from '../walk.ts';

/** Adds a suggestion with similar paths to an error, if there are any. Reads the disk. */
export function withHint(error: unknown, facts: PlaceFacts): unknown {
  if (!(error instanceof ToolError) || error.suggestion) return error;
  if (error.code !== 'not_found' && error.code !== 'unsupported_type') return error;
  const { code, text: message, details, cause } = error;
  const found = (code === 'not_found' ? lookalikesOf(facts) : namesIn(facts)).map(shownPath);
  if (found.length === 0) return error;
  const suggestion =
    code === 'not_found'
      ? text(`Did you mean ${found.join(' or ')}?`, `${found.join(' か ')} のことですか。`)
      : text(
          `Name a file in it; it contains ${found.join(', ')}.`,
          `中のファイルを指定してください。中身: ${found.join('、')}`,
        );
  return new ToolError(code, message, { suggestion, details, cause });
}

/** Up to three existing paths that resemble a missing one, in the caller's notation. */
export function lookalikesOf(facts: PlaceFacts): string[] {
  const { root, components, hidden, given, rootIndex } = facts;
  const depth = deepestFolder(facts);
  const wanted = components[depth];
  if (depth < hidden || wanted === undefined) return [];
  // Outside the first root paths are absolute, in the caller's spelling.
  const isLast = depth === components.length - 1;
  if (rootIndex !== 0 && !isLast) return [];
  const names = namesAt(facts, depth);
  // The entry exists but is no folder, as the error says.
  if (isLast && names.includes(wanted)) return [];
  const before = rootIndex === 0 ? components.slice(hidden, depth) : [given.slice(0, given.lastIndexOf('/'))];
  const backslashed = wanted.includes('\\') ? [wanted.replaceAll('\\', '/')] : [];
  const near = nearestNames(names, wanted);
  return [...backslashed, ...near]
    .map((name) => {
      const whole = [...components.slice(0, depth), ...name.split('/'), ...components.slice(depth + 1)];
      if (isThere(facts, whole)) return [...before, ...whole.slice(depth)].join('/');
      return backslashed.includes(name) ? undefined : [...before, name].join('/');
    })
    .filter((path) => path !== undefined)
    .slice(0, most);

  function isThere({ isShown }: PlaceFacts, path: readonly string[]): boolean {
    const isOnDisk = orElse(() => {
      const folder = enterFolder(root, path, path.length - 1, hidden);
      using _ = defer(() => leaveFolder(root, folder));
      return lstatSync(entryOf(folder, path.at(-1) ?? '')) !== undefined;
    }, false);
    return isOnDisk && isShown(path);
  }
}

const most = 3;
/**
 * The most similar names: first those that differ in case, width or separators, then in their ending, then by typos.
 */
export function nearestNames(names: readonly string[], wanted: string): string[] {
  const plain = plainName(wanted);
  const stem = stemOf(plain);
  const slips = Math.min(3, Math.floor(plain.length / 4) + 1);
  return names
    .map((name) => {
      const other = plainName(name);
      if (other === plain) return { name, far: 0 };
      if (stem.length > 1 && stemOf(other) === stem) return { name, far: 0.5 };
      return { name, far: distance(other, plain, slips) };
    })
    .filter(({ far }) => far <= slips && far < plain.length)
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

function plainName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/g, '');
}

function stemOf(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/, '');
}

/** The number of insertions, deletions, changes and swaps of neighbouring letters; beyond `limit` it is `limit` + 1. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    if (Math.min(...next) > limit) return limit + 1;
    before = row;
    row = next;
  }
  return row[b.length] ?? limit + 1;
}

/** The number of components up to the deepest existing folder. */
function deepestFolder({ root, components, hidden }: PlaceFacts): number {
  for (let depth = components.length - 1; depth > 0; depth--) {
    try {
      leaveFolder(root, enterFolder(root, components, depth, hidden));
      return depth;
    } catch {
      // Try one component less.
    }
  }
  return 0;
}

function namesIn(facts: PlaceFacts): string[] {
  const names = namesAt(facts, facts.components.length).sort();
  return names.length > mostNamed ? [...names.slice(0, mostNamed), '…'] : names;
}

const mostNamed = 8;

/**
 * Names in the folder of the first `depth` components that the caller may know; only the first ones of a huge folder.
 */
function namesAt({ root, components, hidden, isShown }: PlaceFacts, depth: number): string[] {
  const names: string[] = [];
  try {
    const folder = enterFolder(root, components, depth, hidden);
    using _folder = defer(() => leaveFolder(root, folder));
    const entries = opendirSync(itself(folder));
    using _ = defer(() => entries.closeSync());
    for (let entry = entries.readSync(); entry && names.length < mostEntries; entry = entries.readSync()) {
      const { name } = entry;
      if (isTemporaryName(name) || name.includes('\ufffd')) continue;
      if (isShown([...components.slice(0, depth), name])) names.push(name);
    }
  } catch {
    // The folder cannot be listed: no suggestion.
  }
  return names;
}

const mostEntries = 2000;
