import type { DryRun } from '../../../contract/capabilities/dry-run.ts';
import { ToolError } from '../../../contract/error.ts';
import { limits } from '../../../contract/limits.ts';
import { type Text, text, verbatim } from '../../../contract/text/text.ts';
import type { ConfigCopies } from '../../git/config-copies.ts';
import type { LandedPaths, LandOptions } from '../../layer/land.ts';
import type { Layer } from '../../layer/open.ts';
import type { Child } from '../child/child.ts';
import type { Walls } from '../sandbox/walls.ts';

/** The layer of a command that is only tried. Throws `unavailable` where none can be had. */
export async function openTrial(walls: Walls, folders: readonly string[]): Promise<Layer> {
  const { backend } = walls;
  if (!backend.openLayer) throw noDryRun(notBuilt(walls));
  return backend.openLayer(folders).catch((cause: Error) => {
    throw noDryRun(verbatim(cause.message), cause);
  });
}

/** Why nothing can be tried behind these walls on these folders; undefined where it can. */
export async function whyNoTrial(walls: Walls, folders: readonly string[]): Promise<Text | undefined> {
  const { openLayer } = walls.backend;
  if (!openLayer) return notBuilt(walls);
  try {
    await (await openLayer(folders)).close();
    return undefined;
  } catch (error) {
    return verbatim(error instanceof Error ? error.message : String(error));
  }
}

function notBuilt({ backend }: Walls): Text {
  return text(
    `dry runs need bubblewrap and koffi, and commands run by ${backend.name === 'bubblewrap' ? 'bubblewrap alone' : backend.name} here`,
    `試し実行には bubblewrap と koffi が必要ですが、ここでは ${backend.name} だけでコマンドを実行しています`,
  );
}

function noDryRun(why: Text, cause?: Error): ToolError {
  return new ToolError(
    'unavailable',
    text(
      `Commands cannot be run dry here: ${why.en}.`,
      `ここではコマンドを試しに実行できません: ${why.ja}。`,
    ),
    {
      suggestion: text(
        'Nothing ran. Run it without dry_run, or ask the operator to look at `sekisho doctor`.',
        '何も実行していません。dry_run なしで実行するか、管理者に `sekisho doctor` の確認を依頼してください。',
      ),
      ...(cause && { cause }),
    },
  );
}

/** A command that is only tried. */
export interface Trial {
  /** What its reply is to say beside its output, when it has ended. */
  notes(): readonly string[];
  /** What it would have changed below the roots. */
  read(roots: readonly string[]): Promise<DryRun>;
  /** Puts that in place, and the settings of git that it wrote beside them as far as they may stand: notes say which may not. */
  land(
    options: Pick<LandOptions, 'roots' | 'protectedNames'>,
  ): Promise<LandedPaths & { readonly notes: readonly string[] }>;
  /** Its layer goes. */
  close(): Promise<void>;
}

/** Ends a command that writes more to its layer than the disk can spare. */
export function boundTrial(
  layer: Layer,
  child: Child,
  { settings, beganAtMs }: { readonly settings: ConfigCopies | undefined; readonly beganAtMs: number },
): Trial {
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
  return {
    notes: () =>
      isOver ? [`[dry run: ended, as it wrote more than ${Math.floor(most / 1024 ** 2)} MiB]\n`] : [],
    read: (roots) => layer.read(roots),
    async land(options) {
      const landed = await layer.land({ ...options, beganAtMs });
      return { ...landed, notes: (await settings?.settle()) ?? [] };
    },
    async close() {
      await settings?.discard();
      // What cannot be removed now is removed by the next server's first dry run.
      await layer.close().catch(() => undefined);
    },
  };
}

const spareShare = 0.8;
const lookEveryMs = 250;
