import { closeSync } from 'node:fs';
import { ToolError } from '../contract/error.ts';
import { defer } from '../ground/waiting/defer.ts';
import { notAFile } from './fault.ts';
import type { ProvenPath } from './place-facts.ts';
import { enterFolder, holdFolder, leaveFolder } from './walk.ts';

/** Makes the folder and those above it; existing ones are fine. */
export function makeFolder(place: ProvenPath): void {
  place.assertWritable();
  const { root, components, facts } = place;
  leaveFolder(root, enterFolder(root, components, components.length, facts.hidden, teller(place)));
}

/** Runs `work` in the folder of the place's last name, which is made if missing. */
export function inOwnFolder<T>(
  place: ProvenPath,
  work: (folder: number, name: string) => Promise<T>,
): Promise<T> {
  return inFolder(place, place.components.length - 1, true, work);
}

/** The same with the folder of the first `depth` names, made only if `make` is true. */
export async function inFolder<T>(
  place: ProvenPath,
  depth: number,
  make: boolean,
  work: (folder: number, name: string) => Promise<T>,
): Promise<T> {
  const name = place.components[depth];
  if (name === undefined) throw notAFile(place.shown, 'folder');
  const folder = await open(place, depth, make);
  using _ = defer(() => closeSync(folder));
  return await work(folder, name);
}

/** Missing folders are made only when something may change. */
async function open(place: ProvenPath, depth: number, make: boolean): Promise<number> {
  const { root, components, facts } = place;
  try {
    return holdFolder(root, components, depth, facts.hidden);
  } catch (error) {
    if (!make || !(error instanceof ToolError) || error.code !== 'not_found') throw error;
  }
  await facts.dependencies.observer?.mayChange?.();
  return holdFolder(root, components, depth, facts.hidden, teller(place));
}

function teller(place: ProvenPath): (count: number) => void {
  return (count) =>
    place.facts.dependencies.observer?.folderMade?.({
      rootHostPath: place.root.hostPath,
      path: place.components.slice(0, count).join('/'),
    });
}
