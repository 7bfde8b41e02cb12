import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { ConfigCopies } from '../../git/config-copies.ts';
import type { Child } from '../child/child.ts';
import { whyNone } from '../layer/no-layer.ts';
import type { Layer } from '../layer/open.ts';
import type { Walls } from '../sandbox/walls.ts';
import { type LandedWhole, type LandingOptions, landAll } from './landing.ts';

/** Opens the layer of a dry run, also over the caches. Throws `unavailable` if there is none. */
export async function openTrial(walls: Walls, folders: readonly string[]): Promise<Layer> {
  const { backend } = walls;
  if (!backend.openLayer) throw noDryRun(notBuilt(walls));
  return backend.openLayer(folders, true).catch((cause: Error) => {
    throw noDryRun(whyNone(cause), cause);
  });
}

/** Why no command can run on a layer over these folders; undefined if one can. */
export async function whyNoLayer({ backend }: Walls, folders: readonly string[]): Promise<Text | undefined> {
  return backend.whyNoLayer ? backend.whyNoLayer(folders) : notBuilt({ backend });
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
    text(`Dry runs do not work here: ${why.en}.`, `ここではドライランを使えません: ${why.ja}。`),
    {
      suggestion: text(
        'Nothing ran. Run it without dry_run, or ask the operator to run `sekisho doctor`.',
        '何も実行していません。dry_run なしで実行するか、運用者に `sekisho doctor` の確認を依頼してください。',
      ),
      ...(cause && { cause }),
    },
  );
}

/** A layer of a running command. */
export interface Trial extends Pick<Layer, 'read' | 'survey' | 'ended'> {
  /** Notes for the command's reply besides its output, once it has ended. */
  notes(): readonly string[];
  land(options: LandingOptions): Promise<LandedWhole>;
  close(): Promise<void>;
}

/** Wraps the layer of a running command. A dry run is ended if it writes more than the disk can spare. */
export function createTrial(
  layer: Layer,
  child: Child,
  settings: ConfigCopies | undefined,
  isBounded: boolean,
): Trial {
  const notes = isBounded ? boundTrial(layer, child) : () => [];
  return {
    notes,
    read: layer.read,
    survey: layer.survey,
    ended: layer.ended,
    land: (options) => landAll(layer, settings, options),
    async close() {
      await settings?.discard();
      // If the removal fails, the next server does it.
      await layer.close().catch(() => undefined);
    },
  };
}

function boundTrial(layer: Layer, child: Child): Trial['notes'] {
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

const spareShare = 0.8;
const lookEveryMs = 250;
