import { relative } from 'node:path';
import type { CommandReader } from '../contract/capabilities/judgement.ts';
import type { BackgroundCommand, CommandLine, Landed, RunOptions } from '../contract/capabilities/process.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { isBelow } from '../ground/inside.ts';
import { type Named, repositoriesOf } from './find-repositories.ts';
import { createGitGuard, type Watch } from './guard.ts';
import type { Disarmed } from './set-aside.ts';

/** Guards repositories below the roots against what commands plant in them. */
export interface CommandGuard {
  /** Looks at the repositories before a command. `left`: as in `Left`; undefined: only a look at all folders tells. */
  begin(command: CommandLine, spawnOptions: Writes, left?: Left): Promise<Guarding>;
  /** The same for a command on a layer whose changes land now. */
  land(command: CommandLine, spawnOptions: Writes, work: () => Promise<Landed>, left: Left): Promise<Landed>;
  /** Waits for the last looks. Commands have ended by then. */
  close(): Promise<void>;
}

export interface Guarding {
  /** Does the work that the command may change something by, and looks afterwards if it fails. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Looks at what an ended command left, and returns notes about it. */
  end(): Promise<string>;
  /** Looks now and then while a command goes on, and when it has ended. */
  follow(command: BackgroundCommand): void;
}

/** The paths that a command has put in place so far by which git could find a repository. */
export type Left = () => readonly Named[];

type Writes = Pick<RunOptions, 'reach' | 'workingFolder' | 'outside'>;

export interface CommandGuardOptions {
  readonly writable: () => readonly string[];
  /** The settings in them that the sandbox protects from a command. */
  readonly held: (runOptions: Writes) => Promise<readonly string[]>;
  /** The changes of remotes that a person approved. */
  readonly agreed?: CommandReader['remoteChanges'] | undefined;
  /** Also called with each note: the caller may be gone, and output in the background may stay unread. */
  readonly tell?: ((line: string) => void) | undefined;
}

export function createCommandGuard({
  writable,
  held,
  agreed,
  tell = () => {},
}: CommandGuardOptions): CommandGuard {
  const guard = createGitGuard(writable);
  const following = new Set<Promise<void>>();

  function note(disarmed: readonly Disarmed[]): string {
    const lines = disarmed.map((each) => `[git: ${describe(each, writable())}]`);
    for (const line of lines) tell(line);
    return lines.map((line) => `${line}\n`).join('');
  }

  /** Looks now and then while the command runs: a server in the background lives for hours. */
  async function follow(command: BackgroundCommand, watch: Watch, left?: Left): Promise<void> {
    const never = new AbortController().signal;
    while (command.status().running) {
      await command.wait(lookEveryMs, never);
      note(await watch.look(left && repositoriesOf(left())));
    }
    note(await watch.end(left && repositoriesOf(left())));
  }

  const begin: CommandGuard['begin'] = async (command, spawnOptions, left) => {
    const folders = spawnOptions.reach?.writable ?? writable();
    const watch = await guard.begin(folders, await held(spawnOptions), agreed?.(command));
    const end = async () => note(await watch.end(left && repositoriesOf(left())));
    return {
      end,
      during: (work) =>
        work().catch(async (error) => {
          await end();
          throw error;
        }),
      follow(started) {
        const followed = follow(started, watch, left).finally(() => following.delete(followed));
        following.add(followed);
      },
    };
  };

  return {
    begin,
    async land(command, spawnOptions, work, left) {
      const guarding = await begin(command, spawnOptions, left);
      const landed = await guarding.during(work);
      const noted = await guarding.end();
      return noted === '' ? landed : { ...landed, notes: [...landed.notes, noted] };
    },
    async close() {
      await Promise.all(following);
    },
  };
}

const lookEveryMs = 5000;

function describe({ path, isRestored }: Disarmed, roots: readonly string[]): string {
  const root = roots.find((each) => isBelow(path, each));
  const shown = cleanLine(root === undefined ? path : relative(root, path));
  const back = isRestored ? ' and what stood there before is back' : '';
  return `${shown} would have run or redirected git outside the sandbox: what the command wrote lies beside it as .disarmed${back}`;
}
