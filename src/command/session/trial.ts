import { relative } from 'node:path';
import type { LandingKeeper } from '../../contract/capabilities/landing.ts';
import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { ConfigCopies } from '../../git/config-copies.ts';
import type { Named } from '../../git/find-repositories.ts';
import { readSmall } from '../../git/small-file.ts';
import type { Child } from '../child/child.ts';
import type { LandedPaths } from '../layer/land.ts';
import type { Survey, SurveyOptions } from '../layer/losses/survey.ts';
import type { LandOptions } from '../layer/make-plan.ts';
import { whyNone } from '../layer/no-layer.ts';
import type { Layer } from '../layer/open.ts';
import { rootOf } from '../layer/overlay.ts';
import { protectedAnywhere } from '../layer/protection.ts';
import type { Walls } from '../sandbox/walls.ts';

/** Opens the layer of a dry run, also over the caches. Throws `unavailable` if there is none. */
export async function openTrial(walls: Walls, folders: readonly string[]): Promise<Layer> {
  const { backend } = walls;
  if (!backend.layers) throw noDryRun(notBuilt(walls));
  return backend.layers.open(folders, true).catch((cause: Error) => {
    throw noDryRun(whyNone(cause), cause);
  });
}

/** Why no command can run on a layer over these folders; undefined if one can. */
export async function whyNoLayer({ backend }: Walls, folders: readonly string[]): Promise<Text | undefined> {
  return backend.layers ? backend.layers.whyNot(folders) : notBuilt({ backend });
}

function notBuilt({ backend }: Pick<Walls, 'backend'>): Text {
  return text(
    `dry runs need bubblewrap and koffi, and commands run by ${backend.name === 'bubblewrap' ? 'bubblewrap alone' : backend.name} here`,
    `ドライランには bubblewrap と koffi が必要ですが、ここでは ${backend.name} だけでコマンドを実行しています`,
  );
}

function noDryRun(why: Text, cause?: Error): ToolError {
  return new ToolError(
    'unavailable',
    `Dry runs do not work here: ${why.en}.`,
    `ここではドライランを使えません: ${why.ja}。`,
    {
      suggestion: text(
        'Nothing ran. Run it without dry_run, or ask the operator to run `sekisho doctor`.',
        '何も実行していません。dry_run なしで実行するか、運用者に `sekisho doctor` の確認を依頼してください。',
      ),
      ...(cause && { cause }),
    },
  );
}

/** The layer of a running command. A dry run is ended if it writes more than the disk can spare. */
export class Trial {
  readonly layer: Layer;
  /** Notes for the command's reply besides its output, once it has ended. */
  readonly notes: () => readonly string[];
  readonly #settings: ConfigCopies | undefined;

  constructor(layer: Layer, child: Child, settings: ConfigCopies | undefined, isBounded: boolean) {
    this.layer = layer;
    this.#settings = settings;
    this.notes = isBounded ? boundTrial(layer, child) : () => [];
  }

  land(options: LandingOptions): Promise<LandedWhole> {
    return landAll(this.layer, this.#settings, options);
  }

  async close(): Promise<void> {
    await this.#settings?.discard();
    // If the removal fails, the next server does it.
    await this.layer.close().catch(() => undefined);
  }
}

function boundTrial(layer: Layer, child: Child): () => readonly string[] {
  const free = layer.freeBytes();
  const most = Math.min(limits.dryRunBytes, Math.floor(free * spareShare));
  let isOver = false;
  const timer = setInterval(() => {
    if (free - layer.freeBytes() <= most) return;
    isOver = true;
    child.destroy();
  }, lookEveryMs);
  const stop = () => clearInterval(timer);
  void child.exited.then(stop, stop);
  return () =>
    isOver ? [`[dry run: ended, as it wrote more than ${Math.floor(most / 1024 ** 2)} MiB]\n`] : [];
}

/** `names`: those that no tool writes, at any depth. */
export function surveyFor(
  layer: Layer,
  {
    names,
    keeper,
    ...given
  }: Pick<SurveyOptions, 'roots' | 'isObeyed' | 'isFetched'> & {
    readonly names: readonly string[];
    readonly keeper: LandingKeeper | undefined;
  },
): Promise<Survey> {
  const isProtected = protectedAnywhere(names);
  return layer.survey({
    ...given,
    isProtected: (path) => isProtected(`/${path}`, false),
    isOurs: keeper?.isOurs ?? (() => false),
    mostBytes: keeper?.mostBytes,
  });
}

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

const spareShare = 0.8;
const lookEveryMs = 250;
const shown = 20;
const shownChars = 200;

export const cannotWatch: Text = text(
  'as the kernel does not hand over the calls of commands here',
  'この環境では、カーネルがコマンドの呼び出しを引き渡さないため',
);
