import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConstants } from '../../ground/machine/elf.ts';
import { compileProgram } from '../../ground/machine/static-program.ts';
import { closeOnExec } from '../../ground/machine/syscalls.ts';
import { compileFurnish } from '../child/furnish-program.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import type { StartChild } from '../child/start-child.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { openSupervisor, type Supervisor } from './supervisor.ts';

interface Means {
  readonly kernel: Kernel;
  readonly startChild: StartChild;
  /** The path of bubblewrap. */
  readonly program: string;
  readonly filter: Buffer;
}

/**
 * Opens a supervisor after a test: a program in the sandbox must be connected to its own socket. Throws the reason for
 * a failure: an old kernel, or a container that forbids a call.
 */
export async function trySupervisor(means: Means): Promise<Supervisor> {
  const supervisor = openSupervisor(means.kernel);
  try {
    await assertConnects(supervisor, means);
    return supervisor;
  } catch (error) {
    await supervisor.close();
    throw error;
  }
}

async function assertConnects(supervisor: Supervisor, { kernel, startChild, program, filter }: Means) {
  const [self, trial, channel] = [3, 4, 5];
  const opened: number[] = [];
  try {
    const next = `/proc/self/fd/${trial}`;
    opened.push(openMemoryProgram(kernel, compileFurnish({ links: [], filter, self, channel, next })));
    opened.push(openMemoryProgram(kernel, compileTrial(trial)));
    opened.push(supervisor.open());
    const started = await startChild({
      program,
      args: [
        ...['--unshare-all', '--die-with-parent', '--new-session', '--as-pid-1', '--cap-drop', 'ALL'],
        ...['--ro-bind', '/', '/', '--proc', '/proc', '--tmpfs', '/tmp', '--'],
        ...[`/proc/self/fd/${self}`, next, '/bin/sh', '-c', `exit ${connected}`],
      ],
      environment: { PATH: '/usr/bin:/bin' },
      stdin: 'null',
      extra: opened,
    });
    started.stdout.resume();
    started.stderr.resume();
    const over = new AbortController();
    // Aborted below, once the test has ended.
    const time = sleep(trialMs, undefined, { signal: over.signal }).catch(() => undefined);
    const exit = await Promise.race([started.exited, time]);
    over.abort();
    if (exit === undefined) process.kill(started.pid, 'SIGKILL');
    if (exit?.code !== connected) throw new Error('the kernel does not hand over connect(2) here');
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** Listens at a path, connects to it, and becomes the next program; a failed step ends it. */
function compileTrial(self: number): Buffer {
  const { put, putText, bytes } = createConstants();
  putText('/bin/sh');
  const path = Buffer.concat([Buffer.from([1, 0]), Buffer.from('/tmp/trial\0')]);
  const address = put(path);
  const open = { call: 'socket', args: [1, 1 | closeOnExec, 0] } as const;
  return compileProgram(
    [
      { call: 'close', args: [self] },
      open,
      { call: 'bind', args: [listening, address, path.length] },
      { call: 'listen', args: [listening, 1] },
      open,
      { call: 'connect', args: [listening + 1, address, path.length] },
    ],
    bytes(),
  );
}

/** The lowest free number after the streams. */
const listening = 3;
const connected = 42;
// A machine at its limit starts a program late; without support the program ends at once.
const trialMs = 60_000;
