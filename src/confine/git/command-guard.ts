import { relative } from 'node:path';
import type { CommandReader } from '../../contract/capabilities/judgement.ts';
import type {
  Attended,
  BackgroundCommand,
  CommandLine,
  Landed,
  RunOptions,
} from '../../contract/capabilities/process.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { isBelow } from '../../ground/inside.ts';
import { type Named, repositoriesOf } from './find-repositories.ts';
import { createGitGuard, type Watch } from './guard.ts';
import type { Disarmed } from './set-aside.ts';

/** Guards repositories below the roots against what commands plant in them. */
export interface CommandGuard {
  /** `left`, for a command on a layer: the paths it put in place at its end by which git could find a repository. */
  attend(
    command: CommandLine,
    spawnOptions: Writes,
    work: () => Promise<Attended>,
    left?: readonly Named[],
  ): Promise<Attended>;
  start<C extends BackgroundCommand>(
    command: CommandLine,
    spawnOptions: Writes,
    work: () => Promise<C>,
  ): Promise<C>;
  /** The same for a command on a layer whose changes land now. */
  land(
    command: CommandLine,
    spawnOptions: Writes,
    work: () => Promise<Landed>,
    left: readonly Named[],
  ): Promise<Landed>;
  /** Waits for the last looks. Commands have ended by then. */
  close(): Promise<void>;
}

type Writes = Pick<RunOptions, 'writable' | 'workingFolder' | 'dryRun'>;

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
  async function follow(command: BackgroundCommand, watch: Watch, left?: readonly Named[]): Promise<void> {
    const never = new AbortController().signal;
    while (command.status().running) {
      await command.wait(lookEveryMs, never);
      // Changes on a layer are in no folder before the command ends.
      if (!left) note(await watch.look());
    }
    note(await watch.end(left && repositoriesOf(left)));
  }

  function go(command: BackgroundCommand, watch: Watch, left?: readonly Named[]): void {
    const followed = follow(command, watch, left).finally(() => following.delete(followed));
    following.add(followed);
  }

  const begin = async (command: CommandLine, spawnOptions: Writes) =>
    guard.begin(spawnOptions.writable ?? writable(), await held(spawnOptions), agreed?.(command));

  return {
    async attend(command, spawnOptions, work, left) {
      const watch = await begin(command, spawnOptions);
      const end = async () => note(await watch.end(left && repositoriesOf(left)));
      let attended: Attended;
      try {
        attended = await work();
      } catch (error) {
        await end();
        throw error;
      }
      if (attended.kind === 'going') {
        go(attended.command, watch, left);
        return attended;
      }
      const { result } = attended;
      const notes = await end();
      return notes === ''
        ? attended
        : { ...attended, result: { ...result, stderr: `${result.stderr}${notes}` } };
    },
    async start(command, spawnOptions, work) {
      const watch = await begin(command, spawnOptions);
      try {
        const started = await work();
        go(started, watch);
        return started;
      } catch (error) {
        note(await watch.end());
        throw error;
      }
    },
    async land(command, spawnOptions, work, left) {
      const watch = await begin(command, spawnOptions);
      const end = async () => note(await watch.end(repositoriesOf(left)));
      let landed: Landed;
      try {
        landed = await work();
      } catch (error) {
        await end();
        throw error;
      }
      const noted = await end();
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
