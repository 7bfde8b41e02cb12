import type { CommandLine } from '../../../contract/capabilities/process.ts';
import type { EndNotes } from '../child/run-child.ts';
import { isCutOff, type StartedCommand } from '../child/start-command.ts';
import { networkNotes } from '../network-notes.ts';
import { cutOffNotes } from '../output/cut-off.ts';
import type { Walls } from '../sandbox/sandbox.ts';
import { toolFolders } from '../sandbox/system-paths.ts';
import { wallNotes } from '../sandbox/wall-notes.ts';
import type { Runner } from './session.ts';

/** Why a command that has ended may have failed, and what would help. */
export function createEndNotes(
  command: CommandLine,
  { contacts, environment, unsettled }: StartedCommand,
  walls: Walls,
  { session, sandbox, options }: Runner,
): EndNotes {
  const key = options.network?.key;
  return (how, outputs) => {
    const failed = how.exitCode !== 0 && walls.backend.name !== 'none';
    const isAlone = failed && isCutOff(walls, options);
    const scene = () => ({
      home: environment.HOME ?? '/nonexistent',
      seen: [
        ...(environment.TMPDIR === undefined ? [] : [environment.TMPDIR]),
        '/tmp',
        ...sandbox.roots().all.map(({ hostPath }) => hostPath),
        ...toolFolders(environment.PATH),
        ...(options.readable ?? []),
      ],
      refuses: walls.backend.name === 'landlock',
      told: session.toldWalls,
    });
    return [
      ...unsettled,
      ...(how.stoppedBy === 'crowd' ? ['[stopped: too many processes]\n'] : []),
      ...networkNotes(contacts(), key),
      ...(isAlone ? cutOffNotes(outputs, { command, exitCode: how.exitCode, key }) : []),
      ...(failed && !how.stoppedBy ? wallNotes(outputs, scene()) : []),
    ];
  };
}
