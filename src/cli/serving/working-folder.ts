import { mkdirSync } from 'node:fs';
import { loadSettings } from '../../config/load.ts';
import { UnnamedFolderError } from '../../config/projects.ts';
import type { Flags, Settings } from '../../config/settings.ts';
import { homeOf, nowhereFolderOf } from '../../config/state.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { ownName } from '../common/own-command.ts';

/**
 * The settings of a server that a client starts. In a home or a system folder that was not named, it serves an empty
 * folder and refuses every call with the reason, since a client shows a reply to a call and hides a failed start.
 */
export function settingsAtStart(flags: Flags, cwd: string = process.cwd()): Settings {
  // The shell's PWD does not apply to another folder.
  const environment = cwd === process.cwd() ? process.env : { ...process.env, PWD: cwd };
  try {
    return loadSettings(flags, environment, cwd);
  } catch (error) {
    if (!(error instanceof UnnamedFolderError)) throw error;
    const folder = nowhereFolderOf(process.env, homeOf(process.env));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const settings = loadSettings({ ...flags, root: folder });
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
): Settings | undefined {
  const [first = '', ...others] = folders;
  const main = tryLoading(flags, first);
  if (!main) return undefined;
  const more = others.flatMap((folder) =>
    tryLoading(flags, folder)?.project ? [rootOf(flags, folder)] : [],
  );
  const added = [...new Set(more)].filter((folder) => folder !== main.roots[0]?.path);
  const settings = added.length === 0 ? main : withOtherProjects(flags, first, added);
  const isSame = pathsOf(settings).join('\0') === pathsOf(present).join('\0');
  return isSame && settings.startedBelow === present.startedBelow ? undefined : settings;
}

function tryLoading(flags: Flags, folder: string): Settings | undefined {
  try {
    return loadSettings(flags, process.env, folder);
  } catch {
    // The folder is missing, or is a home: the start folder stays the project.
    return undefined;
  }
}

function rootOf(flags: Flags, folder: string): string {
  return tryLoading(flags, folder)?.roots[0]?.path ?? folder;
}

function withOtherProjects(flags: Flags, first: string, added: readonly string[]): Settings {
  const allowPath = [...(flags.allowPath ?? []), ...added];
  const settings = loadSettings({ ...flags, allowPath }, process.env, first);
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
export function unnamedFolderNote(settings: Settings): Text | undefined {
  const { roots, rules } = settings;
  const [root] = roots;
  if (!isUnnamed(settings) || !root) return undefined;
  const refusal = rules.find(({ id }) => id === 'no-project');
  if (refusal) return text(refusal.because, refusal.because);
  return text(
    `Serving ${root.path}, which is not among your projects. \`${ownName()} init\` adds it.`,
    `${root.path} を提供します。登録済みのプロジェクトではありません。\`${ownName()} init\` で追加できます。`,
  );
}
