import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Text } from '../../contract/text/text.ts';
import { freeBytes, thisProcess } from '../../files/changing/under-way.ts';
import { isBelow, isInside } from '../../ground/inside.ts';
import { type InTurn, landLayers } from './land.ts';
import { claimEnded, type EndedCommand, layerPrefix, noteEnded, readEnded, removeLayer } from './left.ts';
import { type SurveyOptions, surveyLayers } from './losses/survey.ts';
import type { LandOptions } from './make-plan.ts';
import type { Marks } from './marks.ts';
import { NoLayer } from './no-layer.ts';
import type { Makers } from './obeyed/makers.ts';
import { type Overlay, outermost, overlayOn } from './overlay.ts';
import { readLayers } from './read.ts';

/** Takes the writes of one command in place of the folders that it may write. */
export type Layer = ReturnType<typeof layerAt>;

/** Makes layers for commands. */
export interface Layers {
  /** With `withCaches` also over the caches. Throws the reason if no layer works over these folders. */
  open(folders: readonly string[], withCaches?: boolean): Promise<Layer>;
  /** Takes over the layers of killed servers whose commands had ended. */
  left(): readonly LeftLayer[];
  /** Why no layer works over these folders; undefined if one does. */
  whyNot(folders: readonly string[]): Promise<Text | undefined>;
}

/** The layer of a command that had ended when its server was killed. */
export interface LeftLayer {
  readonly command: EndedCommand;
  readonly layer: Layer;
}

/** Throws if `base` is in one of the folders, as a layer must not lie in what it covers, or a mount is in one. */
export function assertFree(base: string, folders: readonly string[]): void {
  const inside = folders.find((folder) => isInside(base, folder));
  if (inside !== undefined)
    throw new NoLayer(
      `the state folder lies in ${inside}, which the layer would cover`,
      `状態フォルダーが、レイヤーの覆う ${inside} の中にあります`,
    );
  const mount = mountIn(folders);
  if (mount !== undefined)
    throw new NoLayer(
      `a file system of its own is mounted at ${mount}, which no layer covers`,
      `${mount} に別のファイルシステムがマウントされていて、レイヤーで覆えません`,
    );
}

/** Opens a layer in a new folder below `base`. Later changes below it count as others'. Throws as `assertFree`. */
export function openLayer(base: string, folders: readonly string[], options: LayerOptions): Layer {
  assertFree(base, folders);
  mkdirSync(base, { recursive: true, mode: 0o700 });
  const at = mkdtempSync(join(base, layerPrefix));
  const head = join(at, 'owner');
  writeFileSync(head, `${JSON.stringify(thisProcess())}\n`);
  const overlays = outermost(folders).map((folder, index) => {
    const overlay = overlayOn(folder, join(at, String(index)));
    mkdirSync(join(at, String(index)));
    mkdirSync(overlay.upper);
    // The kernel shows this folder in place of the real one: its mode decides who may write there, and the group of new
    // files.
    chmodSync(overlay.upper, lstatSync(folder).mode & 0o7777);
    mkdirSync(overlay.work);
    return overlay;
  });
  return layerAt(at, overlays, timeOfChange(head), options);
}

export interface LayerOptions {
  readonly marks: Marks;
  readonly inTurn: InTurn;
  readonly makers: Makers;
}

function layerAt(
  at: string,
  overlays: readonly Overlay[],
  beganAtMs: number,
  { marks, inTurn, makers }: LayerOptions,
) {
  return {
    overlays,
    /** Notes that the command has ended, so that another server can deal with the layer. */
    ended(command: EndedCommand): void {
      const folders = overlays.map(({ on, upper }) => ({ on, upper }));
      noteEnded(at, { ...command, overlays: folders, beganAtMs });
    },
    freeBytes: (): number => freeBytes(at),
    /** The changes below `roots`, with a diff if wanted. The command must have ended. */
    read: (roots: readonly string[], withDiff: boolean) => readLayers(overlays, roots, marks, withDiff),
    /** Finds the losses among the changes, and paths that are obeyed later. */
    survey: (options: Omit<SurveyOptions, 'marks' | 'makers' | 'beganAtMs'>) =>
      surveyLayers(overlays, { ...options, marks, makers, beganAtMs }),
    land: (options: Omit<LandOptions, 'beganAtMs' | 'trash'>) =>
      inTurn(
        overlays.map(({ on }) => on),
        () => landLayers(overlays, at, { ...options, beganAtMs }, marks),
      ),
    close: () => removeLayer(at),
  };
}

/** Takes over the layers of killed servers whose commands had ended. */
export function openLeft(base: string, options: LayerOptions): readonly LeftLayer[] {
  return claimEnded(base).flatMap((at) => {
    const note = readEnded(at);
    if (!note) return [];
    const overlays = note.overlays.map((each) => ({ ...each, data: '' }));
    return [{ command: note, layer: layerAt(at, overlays, note.beganAtMs, options) }];
  });
}

/**
 * The current time by the file system's clock, which advances in steps of milliseconds. Since Linux 6.13 it is finer
 * for a file that was just looked at, and no later change gets an earlier time.
 */
function timeOfChange(file: string): number {
  lstatSync(file);
  chmodSync(file, 0o600);
  return lstatSync(file).ctimeMs;
}

/** Finds a mount below one of these. The kernel puts no unprivileged layer over a tree with mounts in it. */
function mountIn(folders: readonly string[]): string | undefined {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => unescaped(line.split(' ', 5)[4] ?? ''))
    .find((mount) => folders.some((folder) => isBelow(mount, folder)));
}

/** Space, tab, line break and backslash are written in octal (proc_pid_mountinfo(5)). */
function unescaped(words: string): string {
  return words.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
