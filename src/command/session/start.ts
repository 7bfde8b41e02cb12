import type { CommandLine } from '../../contract/capabilities/process.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import type { RunningCommand } from '../background.ts';
import { waitForEnd } from '../child/run-child.ts';
import { reachesHosts, startCommand } from '../child/start-command.ts';
import type { CommandOptions } from '../commands-options.ts';
import { defaultProcessLimits } from '../prelude.ts';
import { addBackground, assertRoom } from './backgrounds.ts';
import { createEndNotes } from './end-notes.ts';
import type { Recorder } from './recorder.ts';
import type { Runner } from './session.ts';

/** Starts a command that outlasts its call. */
export async function startInBackground(
  command: CommandLine,
  runOptions: CommandOptions,
  recorder: Recorder,
  runner: Runner,
): Promise<RunningCommand> {
  const { session, sandbox, options } = runner;
  assertRoom(session);
  const walls = await sandbox.open();
  const inSession = runOptions.inSession === true && reachesHosts(walls, options, command);
  const place = await session.place(walls, inSession);
  const begun = await startCommand(sandbox, walls, place, command, runOptions, recorder, runner, 'pipe');
  const { child, contacts } = begun;
  const { onOutput } = runOptions;
  if (onOutput) {
    child.stdout.on('data', (chunk) => onOutput('stdout', chunk.length));
    child.stderr.on('data', (chunk) => onOutput('stderr', chunk.length));
  }
  const stop = new AbortController();
  const ending = waitForEnd(child, {
    timeoutMs: options.maxBackgroundMs ?? defaultMaxBackgroundMs,
    signal: stop.signal,
    most: { ...defaultProcessLimits, ...options.limits },
  });
  const background = addBackground(session, child, {
    command,
    startedAtMs: Date.now(),
    ending,
    stop: () => stop.abort(),
    contacts,
    notes: createEndNotes(command, begun, walls, runner),
  });
  // The session may have ended during the start.
  if (session.closing.signal.aborted) {
    await background.kill();
    throw cancelled('command');
  }
  return background;
}

const defaultMaxBackgroundMs = 60 * 60 * 1000;
