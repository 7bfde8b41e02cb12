import type { Buffer } from 'node:buffer';
import { openSync } from 'node:fs';
import type { Folder } from '../../contract/files.ts';
import type { PipelineOrder, StageWalls } from '../../contract/pipeline.ts';
import { createDescriptorSet, type MakePipe } from '../process/os-pipe.ts';
import { readPort } from './ports.ts';
import type { Shelf } from './programs.ts';

export interface NameListerOptions {
  readonly folder: Folder;
  readonly shelf: Shelf;
  readonly makePipe: () => MakePipe;
  readonly stages: () => Promise<StageWalls>;
}

/** ripgrep's listing below a folder (the working folder where empty), in the same confinement as any stage. */
export type NameLister = (
  args: readonly string[],
  below: string,
  order: PipelineOrder,
) => AsyncIterable<Buffer>;

export function createNameLister({ folder, shelf, makePipe, stages }: NameListerOptions): NameLister {
  return async function* listNames(args, below, order) {
    const { spawn } = await stages();
    const program = await shelf.find('rg');
    const descriptors = createDescriptorSet();
    try {
      const none = descriptors.hold(openSync('/dev/null', 'r+'));
      const pipe = makePipe()();
      descriptors.hold(pipe.read);
      descriptors.hold(pipe.write);
      const child = await spawn({
        program: program.path,
        args: [...args, '--', ...(below === '' ? [] : [below])],
        environment: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' },
        workingFolder: folder.at(order.folder.path).hostPath,
        descriptors: [none, pipe.write, none],
        readable: [...folder.roots.map((root) => root.hostPath), program.path],
        writable: [],
      });
      descriptors.close(pipe.write);
      const kill = (): void => void child.kill();
      order.signal.addEventListener('abort', kill, { once: true });
      try {
        yield* readPort(descriptors.giveAway(pipe.read));
      } finally {
        order.signal.removeEventListener('abort', kill);
        await child.kill();
      }
    } finally {
      descriptors.closeAll();
    }
  };
}
