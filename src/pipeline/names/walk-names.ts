import { setImmediate as immediate } from 'node:timers/promises';
import type { FileKind, Folder, Place } from '../../contract/capabilities/files.ts';
import type { NameListQuery } from '../../contract/capabilities/pipeline.ts';
import { ToolError } from '../../contract/error.ts';
import { type IgnoreLevel, ignoreLevel, ruleOf } from './ignore-rules.ts';

export interface NameListing {
  readonly folder: Folder;
  readonly cwd: string;
}

export interface Walked {
  /** As printed, a folder with its slash. */
  readonly shown: string;
  readonly kind: FileKind;
  readonly place: Place;
  /** Relative to the start. */
  readonly inside: string;
  readonly name: string;
  readonly depth: number;
}

/** Entries below a folder (the working folder if empty) except ignored ones, unsorted. Does not follow links. */
export async function* walkNames(
  start: string,
  query: Pick<NameListQuery, 'hidden' | 'noIgnore' | 'exclude' | 'maxDepth'>,
  { folder, cwd }: NameListing,
  signal: AbortSignal,
): AsyncGenerator<Walked> {
  const giveWay = createGiveWay();
  const prefix = start === '.' ? './' : start === '' || start.endsWith('/') ? start : `${start}/`;
  const excluded = query.exclude.flatMap(ruleOf);
  yield* visit(folder.at(start === '' ? '.' : start, { base: cwd }), '', 1, undefined);

  async function* visit(
    here: Place,
    below: string,
    depth: number,
    above: IgnoreLevel | undefined,
  ): AsyncGenerator<Walked> {
    if (depth > query.maxDepth) return;
    const level = query.noIgnore
      ? undefined
      : await ignoreLevel(folder, here.hostPath, above ?? (await levelAbove(folder, here)));
    for await (const entries of entriesOf(here, below, signal)) {
      for (const { name, kind } of entries) {
        await giveWay();
        const place = folder.at(name, { base: here.hostPath });
        const isFolder = kind === 'folder';
        const inside = `${below}${name}`;
        const rule = excluded.findLast((one) => (isFolder || !one.foldersOnly) && one.matches(inside, name));
        const verdict = level?.verdict(place.hostPath, isFolder);
        // A name that an ignore file keeps (`!name`) is not hidden.
        const isHidden = name.startsWith('.') && !query.hidden && verdict !== 'kept';
        if (isHidden || (rule && !rule.isNegated) || verdict === 'ignored') continue;
        const shown = `${prefix}${inside}${isFolder ? '/' : ''}`;
        yield { shown, inside, name, kind, place, depth };
        if (isFolder) yield* visit(place, `${inside}/`, depth + 1, level);
      }
    }
  }
}

/** The rules of the folders above, from the root down, which also apply below. */
async function levelAbove(folder: Folder, here: Place): Promise<IgnoreLevel | undefined> {
  const root = folder.roots[here.rootIndex]?.hostPath ?? here.hostPath;
  let level: IgnoreLevel | undefined;
  for (let at = root; at !== here.hostPath; ) {
    level = await ignoreLevel(folder, at, level);
    const next = here.hostPath.indexOf('/', at.length + 1);
    at = next === -1 ? here.hostPath : here.hostPath.slice(0, next);
  }
  return level;
}

async function* entriesOf(here: Place, below: string, signal: AbortSignal) {
  try {
    yield* here.portions(signal);
  } catch (error) {
    // Removed since its folder was read, or unreadable: the rest can still be listed.
    if (!(error instanceof ToolError) || below === '') throw error;
  }
}

const longestMs = 2;

/** For loops over many small things: yields to other calls after each 2 ms of work. */
export function createGiveWay(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < longestMs) return undefined;
    return immediate(undefined).then(() => {
      since = performance.now();
    });
  };
}
