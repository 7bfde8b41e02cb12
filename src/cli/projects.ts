import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openCheckpoint } from '../checkpoint/index.ts';
import { readConfigFile } from '../config/file/file.ts';
import { loadSettings } from '../config/load.ts';
import { spokenLocale } from '../config/locale.ts';
import { isParent, pathOfProject, placementOf, projectOf } from '../config/places/projects.ts';
import { homeOf, stateFolderOf } from '../config/places/state.ts';
import type { Flags } from '../config/settings.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { type Locale, text } from '../contract/text/text.ts';
import { orElse } from '../ground/or-else.ts';
import { say, sayJson } from './common/say.ts';

/** A folder that a server may work in, and its facts. Times are ISO 8601. */
interface KnownProject {
  readonly folder: string;
  /** The key in `projects` that gives its settings. */
  readonly key: string;
  readonly profile: string | undefined;
  readonly exists: boolean;
  /** When its records last changed; undefined if it was never used. */
  readonly usedAt: string | undefined;
  /** The number of open questions. */
  readonly waiting: number;
  /** Whether it is the project of the current folder. */
  readonly isHere: boolean;
}

/** Lists the projects of the configuration; for `PARENT/*` those that were used. */
export async function showProjects(flags: Flags, { json }: { readonly json?: boolean }): Promise<number> {
  const home = homeOf(process.env);
  const { file, path } = readConfigFile(flags.config, process.env, home, process.cwd());
  const keys = Object.keys(file.projects ?? {});
  const here = orElse(() => placementOf(keys, process.cwd(), home).root, undefined);
  const folders = new Set(keys.flatMap((key) => foldersOf(pathOfProject(key, home), home)));
  const known = await Promise.all([...folders].map((folder) => look(folder, keys, home, flags, here)));
  const locale = spokenLocale(process.argv, process.env);
  if (json) for (const project of known) sayJson(project);
  else if (keys.length === 0)
    say(
      `${path} names no projects. Run \`sekisho init\` in a folder to add it.`,
      `${path} にプロジェクトはありません。フォルダーで \`sekisho init\` を実行すると追加できます。`,
    );
  else say([...known.map((project) => lineOf(project, locale)), ...parentsOf(keys, locale)].join('\n'));
  return 0;
}

/** The folder itself; for `PARENT/*` its folders with records. */
function foldersOf(path: string, home: string): readonly string[] {
  if (!isParent(path)) return [path];
  const parent = dirname(path);
  if (!existsSync(parent)) return [];
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => realpathSync(join(parent, name)))
    .filter((folder) => usedAtMs(folder, home) !== undefined);
}

function usedAtMs(folder: string, home: string): number | undefined {
  const database = join(stateFolderOf(folder, process.env, home), 'sekisho.db');
  const times = [database, `${database}-wal`].flatMap(
    (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? [],
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

async function look(
  folder: string,
  keys: readonly string[],
  home: string,
  flags: Flags,
  here: string | undefined,
): Promise<KnownProject> {
  const key = projectOf(keys, folder, home)?.key ?? folder;
  const exists = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  const usedMs = usedAtMs(folder, home);
  const { file } = readConfigFile(flags.config, process.env, home, process.cwd());
  return {
    folder,
    key,
    profile: file.projects?.[key]?.profile ?? file.profile,
    exists,
    usedAt: usedMs === undefined ? undefined : new Date(usedMs).toISOString(),
    waiting: exists && usedMs !== undefined ? await waitingIn(folder, flags) : 0,
    isHere: folder === here,
  };
}

async function waitingIn(folder: string, flags: Flags): Promise<number> {
  await using checkpoint = await openCheckpoint(loadSettings({ config: flags.config, root: folder }));
  const { approvals } = await checkpoint.store();
  return (await approvals.list('pending', Date.now())).length;
}

function lineOf({ folder, profile, exists, usedAt, waiting, isHere }: KnownProject, locale: Locale): string {
  const state = exists
    ? (usedAt?.slice(0, 16).replace('T', ' ') ?? words.unused[locale])
    : words.missing[locale];
  const questions = waiting === 0 ? [] : [words.waiting(waiting)[locale]];
  return [`${isHere ? '*' : ' '} ${cleanLine(folder)}`, profile ?? '-', state, ...questions].join('  ');
}

function parentsOf(keys: readonly string[], locale: Locale): readonly string[] {
  return keys.filter(isParent).map((key) => `  ${cleanLine(key)}  ${words.each[locale]}`);
}

const words = {
  unused: text('never used', '未使用'),
  missing: text('the folder does not exist', 'フォルダーがありません'),
  waiting: (count: number) =>
    text(count === 1 ? '1 question waits' : `${count} questions wait`, `未回答の質問 ${count} 件`),
  each: text('each folder in it', 'その中の各フォルダー'),
} as const;
