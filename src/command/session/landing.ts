import { relative } from 'node:path';
import type { LandingKeeper } from '../../contract/capabilities/landing.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import type { ConfigCopies } from '../../git/config-copies.ts';
import type { Named } from '../../git/find-repositories.ts';
import { readSmall } from '../../git/small-file.ts';
import type { LandedPaths } from '../layer/land.ts';
import type { LandOptions } from '../layer/make-plan.ts';
import type { Layer } from '../layer/open.ts';
import { rootOf } from '../layer/read.ts';

export interface LandingOptions
  extends Pick<LandOptions, 'roots' | 'isProtected' | 'mayTurnBack' | 'overwrites' | 'keeper'> {
  /** Collects each name by which git could find a repository. */
  readonly left: Named[];
}

/** Paths that did not become as the command left them, and notes about refused settings. */
export interface LandedWhole extends LandedPaths {
  readonly notes: readonly string[];
}

/** Lands a layer's changes, and the git settings that the command wrote in its copies as far as they are allowed. */
export async function landAll(
  layer: Layer,
  settings: ConfigCopies | undefined,
  { left, ...options }: LandingOptions,
): Promise<LandedWhole> {
  const landed = await layer.land({
    ...options,
    onGitName: (path, isFolder) => left.push({ path, isFolder }),
  });
  const told = [
    ...revivedNotes(landed.revived),
    ...metNotes(landed.metRefs),
    ...(options.keeper?.notes() ?? []),
  ];
  if (!settings) return { ...landed, notes: told };
  const before = settings.copies.map(({ original }) => readSmall(original));
  const notes = await settings.settle();
  for (const [index, { original }] of settings.copies.entries()) {
    const was = before[index];
    const is = readSmall(original);
    if (options.keeper && was !== undefined && is !== undefined && was !== is)
      await tellSettings(options.keeper, original, options.roots, { was, is });
  }
  return { ...landed, notes: [...told, ...notes] };
}

function revivedNotes(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  return [
    `[layer: written in a folder that others changed meanwhile, where they may have removed it: ${listed(paths)}]\n`,
  ];
}

function metNotes(refs: LandedPaths['metRefs']): readonly string[] {
  if (refs.length === 0) return [];
  const commits = new Set(refs.flatMap(({ commit }) => commit ?? []));
  const own = commits.size === 0 ? '' : `; the command had set them to ${listed([...commits])}`;
  return [
    `[layer: another git moved these meanwhile, and they stay as it left them: ${listed(refs.map(({ path }) => path))}${own}]\n`,
  ];
}

/** Lists paths in a note, up to a limit. */
export function listed(paths: readonly string[]): string {
  const names = paths.slice(0, shown).map((path) => cleanLine(path).slice(0, shownChars));
  return `${names.join(', ')}${paths.length > shown ? ` and ${paths.length - shown} more` : ''}`;
}

async function tellSettings(
  keeper: LandingKeeper,
  path: string,
  roots: readonly string[],
  { was, is }: { readonly was: string; readonly is: string },
): Promise<void> {
  const root = rootOf(path, roots);
  if (root === undefined) return;
  await keeper.found({
    root,
    path: relative(root, path),
    before: Buffer.from(was, 'latin1'),
    after: Buffer.from(is, 'latin1'),
  });
}

const shown = 20;
const shownChars = 200;
