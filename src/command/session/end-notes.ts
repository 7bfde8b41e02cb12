import type { CommandLine } from '../../contract/capabilities/process.ts';
import type { EndNotes } from '../child/run-child.ts';
import { isCutOff, reachesHosts, type StartedCommand } from '../child/start-command.ts';
import { networkNotes } from '../network-notes.ts';
import { aroundProxyNotes, cutOffNotes } from '../output/cut-off.ts';
import { defaultProcessLimits } from '../prelude.ts';
import { wallNotes } from '../sandbox/wall-notes.ts';
import type { Walls } from '../sandbox/walls.ts';
import { missedNotes } from '../toolchains/missed.ts';
import { isPrivate } from '../toolchains/prove.ts';
import { settingNotes } from './git-notes.ts';
import type { Runner } from './session.ts';

/** Explains why an ended command may have failed, and what would help. */
export function createEndNotes(
  command: CommandLine,
  { contacts, commitNotes, environment, folder, unsettled }: StartedCommand,
  walls: Walls,
  { session, sandbox, options }: Runner,
): EndNotes {
  const key = options.network?.key;
  const { memoryBytes } = { ...defaultProcessLimits, ...options.limits };
  const mostMemory = `${Math.floor(memoryBytes / 1024 ** 2)} MiB of memory`;
  return (how, outputs) => {
    const failed = how.exitCode !== 0 && walls.backend.name !== 'none';
    const isAlone = failed && isCutOff(walls, options);
    const missing = () => ({ leftOut: sandbox.toolchains().leftOut, told: session.toldWalls });
    const scene = (failed: boolean) => ({
      home: environment.HOME ?? '/nonexistent',
      seen: [
        ...(environment.TMPDIR === undefined ? [] : [environment.TMPDIR]),
        '/tmp',
        ...sandbox.roots().all.map(({ hostPath }) => hostPath),
        ...sandbox.toolchains().folders.map(({ real }) => real),
        ...sandbox.toolchains().links.map(({ at }) => at),
        // These have notes of their own.
        ...sandbox.toolchains().leftOut.flatMap(({ path, because }) => (isPrivate(because) ? [] : [path])),
        ...(walls.caches ? [walls.caches.place] : []),
        ...(options.readable ?? []),
      ],
      refuses: walls.backend.name === 'landlock',
      failed,
      told: session.toldWalls,
    });
    return [
      ...unsettled,
      ...(how.stoppedBy === 'processes' ? ['[stopped: too many processes]\n'] : []),
      ...(how.stoppedBy === 'memory' ? [`[stopped: it used more than ${mostMemory}]\n`] : []),
      ...networkNotes(contacts(), key),
      ...(failed && !reachesHosts(walls, options, command) ? [unreadNote] : []),
      ...settingNotes(outputs, command, walls.git, folder),
      ...commitNotes(),
      ...(failed && walls.proxy && reachesHosts(walls, options, command) ? aroundProxyNotes(outputs) : []),
      ...(isAlone ? cutOffNotes(outputs, { command, exitCode: how.exitCode, key }) : []),
      ...(failed && !how.stoppedBy ? missedNotes(outputs, missing()) : []),
      ...(walls.backend.name !== 'none' && !how.stoppedBy ? wallNotes(outputs, scene(failed)) : []),
    ];
  };
}

const unreadNote =
  '[network: it ran without hosts, as it starts what is only known when it runs; write the names of its programs out]\n';
