import { lstatSync } from 'node:fs';
import type { RemoteChanges } from '../contract/capabilities/judgement.ts';
import { asBytes } from '../ground/machine/byte-paths.ts';
import { orElse } from '../ground/or-else.ts';
import { changesOf, type LeadsInside, withChanges } from './config-changes.ts';
import { printConfig, readConfig } from './config-file.ts';
import { entriesIn } from './find-repositories.ts';
import { maxPartBytes, readSmall } from './small-file.ts';

/** A file in a repository's folder from which git takes a program to run, or another location. */
export interface Part {
  /** Relative to the repository's folder. */
  readonly path: string;
  /** Properties that only the system sets: if two are equal, the file is unchanged. */
  readonly signature: string;
  readonly changedMs: number;
  readonly mode: number;
  /** Undefined if it is not a file, or larger than git ever writes there. */
  readonly content: string | undefined;
}

/** What to do about a part that a command wrote: nothing, or replace it by `instead`; undefined removes it. */
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

/** A command's version is never kept, whatever it contains. */
const neverKept: Judge = (content, before) =>
  content === before ? harmless : { harmless: false, instead: before };

/** The files by name, after gitrepository-layout(5) and git's sources. */
const files: Readonly<Record<string, Judge>> = {
  config: judgeConfig,
  'config.worktree': judgeConfig,
  commondir: judgePlaces((content) => [content.replace(/[\r\n]+$/, '')]),
  'objects/info/alternates': judgePlaces((content) =>
    content.split('\n').filter((line) => !/^(#|$)/.test(line)),
  ),
  // `exec` runs its line at the next `git rebase --continue`.
  'rebase-merge/git-rebase-todo': withoutLines(/^\s*(x|exec)\b/),
  // `git merge-NAME` is searched in the working folder if NAME contains a slash.
  'rebase-merge/strategy': withoutLines(/\//),
  'sequencer/opts': judgeOptions,
  // A listener on it tells a person's git what has changed.
  'fsmonitor--daemon.ipc': neverKept,
};

/** Folders in which each file counts: hooks, and remotes in git's form before configuration sections. */
const folders = ['hooks', 'remotes', 'branches'];

/** The current parts of a repository. `folder` is a kernel path. */
export function partsOf(folder: string, known: (path: string) => Part | undefined): Part[] {
  const read = (path: string) => readPart(folder, path, known(path)) ?? [];
  const isLink = (name: string) =>
    lstatSync(asBytes(`${folder}/${name}`), { throwIfNoEntry: false })?.isDirectory() === false;
  // A link in place of a folder counts as a part: it may lead anywhere a moment later.
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

/** git's own examples, which it never runs, and parts that were removed before. */
function isSample(name: string): boolean {
  return name.endsWith('.sample') || name.includes('.disarmed');
}

/** Compares a part with its content before any command ran. */
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
  const stat = orElse(() => lstatSync(host, { bigint: true, throwIfNoEntry: false }), undefined);
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

/** If a line must go, the file is rewritten from the allowed changes. */
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
  // The meaning of settings that git cannot read is unknown.
  const isKept = now.isReadable || before === undefined;
  return { harmless: false, instead: isKept ? withChanges(before ?? '', allowed) : before };
}

function judgePlaces(placesOf: (content: string) => readonly string[]): Judge {
  return (content, before, leadsInside) =>
    content === before || placesOf(content).every(leadsInside)
      ? harmless
      : { harmless: false, instead: before };
}

/** Removes lines that run something; a rebase that a person began keeps its own. */
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
