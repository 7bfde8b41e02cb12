import { join } from 'node:path';
import type { CommandHistory } from '../contract/capabilities/command-life.ts';
import type { Attribution } from '../contract/capabilities/history.ts';
import type { LandingKeeper } from '../contract/capabilities/landing.ts';
import type { Contents } from './contents.ts';
import { createLandingKeeper } from './landing.ts';
import type { Recorder } from './recorder.ts';
import { openRecording } from './recordings.ts';

export interface CommandHistoryOptions {
  /** The folder for the recordings of commands that run on the folders themselves. */
  readonly watched: string;
  /** Host paths of the roots that commands may write. */
  readonly roots: readonly string[];
  readonly ignore: readonly string[];
  readonly recorder: Recorder;
  readonly contents: Contents;
  readonly maxBytes: number;
  readonly recovered: () => Promise<void>;
}

/**
 * The changes of a command on a layer are recorded when they land. For other commands, former contents are kept before a
 * change in the folders, and the changes are recorded at the end.
 */
export function createCommandHistory(options: CommandHistoryOptions): CommandHistory {
  const { recorder, contents, recovered, maxBytes } = options;
  // A command reports its changes, so git's own folder need not be left out.
  const ignore = options.ignore.filter((name) => name !== '.git');

  function keeperFor(who: Attribution): LandingKeeper {
    const maxFileBytes = Math.floor(maxBytes / 2);
    return createLandingKeeper({ recorder, contents, who, ignore, maxFileBytes, recovered });
  }

  return {
    keeper: () => keeperFor({ ...recorder.current() }),
    async record(writable = options.roots) {
      const who = { ...recorder.current() };
      await recovered();
      const recording = openRecording(options.watched, writable, who);
      const ours = new Set<string>();
      const forget = recorder.listen((root, path) => ours.add(join(root, path)));
      let isHeld = false;
      return {
        folder: recording.folder,
        ignore,
        isOurs: (hostPath, how) => recorder.madeBy.has(who.sessionId, hostPath, how),
        mostBytes: keeperFor(who).mostBytes,
        onHeld: (held) => {
          isHeld = held;
        },
        async end() {
          forget();
          const keeper = keeperFor(who);
          await recording.end(keeper, { ours, back: isHeld });
          return keeper.notes().join('');
        },
      };
    },
  };
}
