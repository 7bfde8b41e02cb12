import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from '../../ground/waiting/once.ts';
import type { Child, SpawnOptions } from '../child/child.ts';
import { compileFurnish } from '../child/furnish-program.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import { readJournal } from '../journal/journal.ts';
import { defaultProcessLimits } from '../prelude.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { compileFilter, type FilterPlan } from '../seccomp/seccomp.ts';
import { Recording, type RecordingOptions } from './recording.ts';

/** A watched command about to start without namespaces. */
export interface Launch {
  readonly recording: Recording;
  /** The program that loads the filter, and the descriptor for handing it over, after the child's others. */
  readonly descriptors: readonly number[];
  /** The program to start in place of `/bin/sh`, whose words become its arguments. */
  readonly program: string;
  /** After the start or its failure. */
  close(): void;
}

export type OpenLaunch = (
  watched: NonNullable<SpawnOptions['watched']>,
  options: {
    /** The lowest free descriptor in the child. */
    readonly at: number;
    /** The paths that it may write. */
    readonly reach: NonNullable<RecordingOptions['reach']>;
  },
) => Launch;

/** `plan`: the command's other rights; a sandbox's own filter applies too. */
export function createLauncher(kernel: Kernel, plan: FilterPlan): OpenLaunch {
  const filter = compileFilter({ ...plan, files: 'watched' });
  return (watched, { at, reach }) => {
    const recording = new Recording(kernel, { ...watched, reach });
    const channel = recording.open();
    const program = openMemoryProgram(
      kernel,
      compileFurnish({
        links: [],
        filter,
        self: at,
        channel: at + 1,
        next: '/bin/sh',
        handsOverFilesOnly: true,
      }),
    );
    return {
      recording,
      descriptors: [program, channel],
      program: `/proc/self/fd/${at}`,
      close() {
        closeSync(program);
        closeSync(channel);
      },
    };
  };
}

/** Tests once whether a command's changes are kept. Resolves with the reason if not, otherwise undefined. */
export function tryWatching(
  spawn: (spawnOptions: SpawnOptions) => Promise<Child>,
): () => Promise<string | undefined> {
  return once(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-watching-'));
    try {
      const child = await spawn({
        command: { kind: 'program', program: '/bin/sh', args: ['-c', ': > made'] },
        limits: defaultProcessLimits,
        workingFolder: folder,
        environment: { PATH: '/usr/bin:/bin' },
        writable: [folder],
        stdin: 'null',
        watched: {
          folder: join(folder, 'kept'),
          roots: [folder],
          ignore: [],
          protectedNames: undefined,
          mostBytes: { file: 1, all: 1 },
          first: undefined,
          mayLose: async () => undefined,
          mayEnter: async () => 1 as const,
          ends: async () => {},
        },
      });
      child.stdout.resume();
      child.stderr.resume();
      const timer = setTimeout(() => child.destroy(), trialMs);
      await child.exited;
      clearTimeout(timer);
      const isKept = readJournal(join(folder, 'kept')).some(({ path }) => path === `${folder}/made`);
      return isKept ? undefined : 'the kernel does not hand over calls on files here';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

// A machine at its limit starts a program late; without support the program ends at once.
const trialMs = 60_000;
