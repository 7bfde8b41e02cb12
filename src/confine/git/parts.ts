import type { Buffer } from 'node:buffer';
import { lstatSync } from 'node:fs';
import type { RemoteChanges } from '../../contract/capabilities/judgement.ts';
import { asBytes } from '../../ground/byte-paths.ts';
import { changesOf, type LeadsInside, withChanges } from './config-changes.ts';
import { printConfig, readConfig } from './config-file.ts';
import { entriesIn } from './find-repositories.ts';
import { maxPartBytes, readSmall } from './small-file.ts';

/** A file in a repository's folder from which git takes a program to run, or another place to work in. */
export interface Part {
  /** Below the repository's folder. */
  readonly path: string;
  /** What nothing but the system sets, so that two that are equal are the same file, unchanged. */
  readonly signature: string;
  readonly changedMs: number;
  readonly mode: number;
  /** Undefined where it is no file, or a larger one than git ever writes there. */
  readonly content: string | undefined;
}

/**
 * What is to be done about a part that a command wrote: nothing where it is harmless, else the content that it is given
 * instead; undefined for none.
 */
export type Verdict =
  | { readonly harmless: true }
  | { readonly harmless: false; readonly instead: string | undefined };

type Judge = (
  content: string,
  before: string | undefined,
  leadsInside: LeadsInside,
  agreed?: RemoteChanges,
) => Verdict;

const harmless: Verdict = { harmless: true };

/** What a command put there is not kept, whatever it holds. */
const neverKept: Judge = (content, before) =>
  content === before ? harmless : { harmless: false, instead: before };

/** The files by name, as gitrepository-layout(5) and git's sources have them. */
const files: Readonly<Record<string, Judge>> = {
  config: judgeConfig,
  'config.worktree': judgeConfig,
  commondir: judgePlaces((content) => [content.replace(/[\r\n]+$/, '')]),
  'objects/info/alternates': judgePlaces((content) =>
    content.split('\n').filter((line) => !/^(#|$)/.test(line)),
  ),
  // `exec` runs its line at the next `git rebase --continue`.
  'rebase-merge/git-rebase-todo': withoutLines(/^\s*(x|exec)\b/),
  // `git merge-NAME` is looked for in the working folder where NAME has a slash.
  'rebase-merge/strategy': withoutLines(/\//),
  'sequencer/opts': judgeOptions,
  // Whoever listens at it tells a person's git what has changed.
  'fsmonitor--daemon.ipc': neverKept,
};

/** Folders of which each file counts: the hooks, and remotes as git kept them before it had sections for them. */
const folders = ['hooks', 'remotes', 'branches'];

/** The parts of a repository as they are now. `folder` is where the kernel finds it. */
export function partsOf(folder: string, known: (path: string) => Part | undefined): Part[] {
  const read = (path: string) => readPart(folder, path, known(path)) ?? [];
  const isLink = (name: string) =>
    lstatSync(asBytes(`${folder}/${name}`), { throwIfNoEntry: false })?.isDirectory() === false;
  // In place of a folder, a link counts itself: it may lead anywhere a moment later.
  const links = [...folders, 'rebase-merge', 'sequencer'].filter(isLink);
  const single = Object.keys(files).filter((path) => !links.some((name) => path.startsWith(`${name}/`)));
  const inside = folders
    .filter((name) => !links.includes(name))
    .flatMap((name) =>
      entriesIn(`${folder}/${name}`).flatMap((entry) =>
        isSample(entry.name) ? [] : [`${name}/${entry.name}`],
      ),
    );
  return [...links, ...single, ...inside].flatMap(read);
}

/** git's own examples, which it never runs, and what was taken out before. */
function isSample(name: string): boolean {
  return name.endsWith('.sample') || name.includes('.disarmed');
}

/** Judges a part against what it held before any command ran. */
export function judgePart(
  { path, content }: Part,
  before: Part | undefined,
  leadsInside: LeadsInside,
  agreed?: RemoteChanges,
): Verdict {
  if (content === undefined) return { harmless: false, instead: before?.content };
  const judge = Object.hasOwn(files, path) ? files[path] : neverKept;
  return judge?.(content, before?.content, leadsInside, agreed) ?? harmless;
}

function readPart(folder: string, path: string, known: Part | undefined): Part | undefined {
  const host = asBytes(`${folder}/${path}`);
  const stat = statOf(host);
  if (!stat) return undefined;
  const signature = `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
  if (known?.signature === signature) return known;
  const changedMs = Number(stat.ctimeNs / 1_000_000n);
  const isFile = stat.isFile() && stat.size <= maxPartBytes;
  return {
    path,
    signature,
    changedMs,
    mode: Number(stat.mode) & 0o777,
    content: isFile ? readSmall(host) : undefined,
  };
}

function statOf(host: Buffer) {
  try {
    return lstatSync(host, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A file stands where its folder should.
    return undefined;
  }
}

/** Where one line is not to stay, all that may stay is written anew. */
function judgeConfig(
  content: string,
  before: string | undefined,
  leadsInside: LeadsInside,
  agreed?: RemoteChanges,
): Verdict {
  if (content === before) return harmless;
  const now = readConfig(content);
  const { allowed, refused } = changesOf(readConfig(before ?? ''), now, leadsInside, agreed);
  if (now.isPlain && refused.length === 0) return harmless;
  // Of what git cannot read nobody knows what was meant.
  const isKept = now.isReadable || before === undefined;
  return { harmless: false, instead: isKept ? withChanges(before ?? '', allowed) : before };
}

function judgePlaces(placesOf: (content: string) => readonly string[]): Judge {
  return (content, before, leadsInside) =>
    content === before || placesOf(content).every(leadsInside)
      ? harmless
      : { harmless: false, instead: before };
}

/** Lines that run something are taken out; a rebase that a person began keeps its own. */
function withoutLines(pattern: RegExp): Judge {
  return (content, before) => {
    const known = new Set(before?.split('\n'));
    const lines = content.split('\n');
    const kept = lines.filter((line) => !pattern.test(line) || known.has(line));
    return kept.length === lines.length ? harmless : { harmless: false, instead: kept.join('\n') };
  };
}

function judgeOptions(content: string, before: string | undefined): Verdict {
  if (content === before) return harmless;
  const { entries, isPlain } = readConfig(content);
  const kept = entries.filter(({ key, value }) => key !== 'strategy' || !value.includes('/'));
  return isPlain && kept.length === entries.length
    ? harmless
    : { harmless: false, instead: printConfig(kept) };
}
