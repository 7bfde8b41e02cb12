import { mkdirSync } from 'node:fs';
import { loadSettings } from '../../config/load.ts';
import { UnnamedFolderError } from '../../config/places/projects.ts';
import { homeOf, nowhereFolderOf } from '../../config/places/state.ts';
import type { Flags, Settings } from '../../config/settings.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { orElse } from '../../ground/or-else.ts';
import { ownName, type Started } from '../common/own-command.ts';

/**
 * The settings of a server that a client starts. In a home or a system folder that was not named, it serves an empty
 * folder and refuses every call with the reason, since a client shows a reply to a call and hides a failed start.
 */
export function settingsAtStart(
  flags: Flags,
  cwd: string = process.cwd(),
  // The shell's PWD does not apply to another folder.
  environment: NodeJS.ProcessEnv = cwd === process.cwd() ? process.env : { ...process.env, PWD: cwd },
): Settings {
  try {
    return loadSettings(flags, environment, cwd);
  } catch (error) {
    if (!(error instanceof UnnamedFolderError)) throw error;
    const folder = nowhereFolderOf(environment, homeOf(environment));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const settings = loadSettings({ ...flags, root: folder }, environment, cwd);
    const because = error.text[settings.locale];
    const refusal = { id: 'no-project', tool: '*', decision: 'deny' as const, because };
    return { ...settings, rules: [refusal], startedIn: folder };
  }
}

/**
 * The settings for a client that reports its folders, if they differ from the present ones: the first folder is the
 * project. The others count only if they are projects, too, and writing there is asked about.
 */
export function settingsIn(
  folders: readonly string[],
  flags: Flags,
  present: Settings,
  environment: NodeJS.ProcessEnv,
): Settings | undefined {
  const [first = '', ...others] = folders;
  const main = tryLoading(flags, first, environment);
  if (!main) return undefined;
  const more = others.flatMap((folder) =>
    tryLoading(flags, folder, environment)?.project ? [rootOf(flags, folder, environment)] : [],
  );
  const added = [...new Set(more)].filter((folder) => folder !== main.roots[0]?.path);
  const settings = added.length === 0 ? main : withOtherProjects(flags, first, added, environment);
  const isSame = pathsOf(settings).join('\0') === pathsOf(present).join('\0');
  return isSame && settings.startedBelow === present.startedBelow ? undefined : settings;
}

function tryLoading(flags: Flags, folder: string, environment: NodeJS.ProcessEnv): Settings | undefined {
  // The folder is missing, or is a home: the start folder stays the project.
  return orElse(() => loadSettings(flags, environment, folder), undefined);
}

function rootOf(flags: Flags, folder: string, environment: NodeJS.ProcessEnv): string {
  return tryLoading(flags, folder, environment)?.roots[0]?.path ?? folder;
}

function withOtherProjects(
  flags: Flags,
  first: string,
  added: readonly string[],
  environment: NodeJS.ProcessEnv,
): Settings {
  const allowPath = [...(flags.allowPath ?? []), ...added];
  const settings = loadSettings({ ...flags, allowPath }, environment, first);
  const because = text(
    'It is another project than the one that this session works in.',
    'このセッションの作業対象とは別のプロジェクトです。',
  )[settings.locale];
  const rules = added.map((folder) => ({
    id: 'other-project',
    path: `${folder}/**`,
    annotations: { readOnly: false },
    decision: 'ask' as const,
    because,
  }));
  const effectRules = added.map((folder) => ({
    id: 'other-project',
    effect: { writes: `${folder}/**` },
    then: 'ask' as const,
    because,
  }));
  return {
    ...settings,
    rules: [...settings.rules, ...rules],
    effectRules: [...settings.effectRules, ...effectRules],
  };
}

function pathsOf({ roots }: Settings): readonly string[] {
  return roots.map(({ path }) => path);
}

/** Whether the folder was named neither by a flag nor among the projects. */
export function isUnnamed({ startedIn, project }: Settings): boolean {
  return startedIn !== undefined && project === undefined;
}

/** One line for a server whose folder was not named. */
export function unnamedFolderNote(settings: Settings, from?: Started): Text | undefined {
  const { roots, rules } = settings;
  const [root] = roots;
  if (!isUnnamed(settings) || !root) return undefined;
  const refusal = rules.find(({ id }) => id === 'no-project');
  if (refusal) return text(refusal.because, refusal.because);
  const name = ownName(from);
  return text(
    `Serving ${root.path}, which is not among your projects. \`${name} init\` adds it.`,
    `${root.path} を提供します。登録済みのプロジェクトではありません。\`${name} init\` で追加できます。`,
  );
}
