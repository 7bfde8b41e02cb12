import { execFileSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import type { ClientDriver } from './clients.ts';
import { fillWorkspace, follow } from './conversation.ts';
import type { ScriptedModel } from './model.ts';
import { sayIn } from './names.ts';
import { endGroup, openStage, type Running, until } from './world.ts';

/** How a client leaves in the middle of a call. */
export const leavings = {
  /** All of the client and nothing of its server: some start by a launcher that passes no signal on. */
  cancel({ child }: Running) {
    for (const line of execFileSync('ps', ['-eo', 'pid=,pgid=,args='], { encoding: 'utf8' }).split('\n')) {
      const [, pid, group, args = ''] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
      if (Number(group) === child.pid && !/tap\.mjs|sekisho\.js|bwrap/.test(args)) end(Number(pid));
    }
  },
  /** Ctrl-C: the terminal tells all of the group, and the client tells its server once more. */
  async interrupt({ child }: Running) {
    if (child.pid === undefined) return;
    process.kill(-child.pid, 'SIGINT');
    await setTimeout(30);
    // The first may have ended it, by its exit code or as a signal.
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGINT');
  },
} as const;

/** Whether nothing of the call goes on, the log lists it, and history has what it changed. */
export async function leave(
  how: keyof typeof leavings,
  driver: ClientDriver,
  bin: string,
  model: ScriptedModel,
): Promise<string> {
  const stage = openStage(model.url);
  fillWorkspace(stage.work);
  const seconds = 97_000 + Math.floor(Math.random() * 1000);
  async function* once() {
    yield { tool: 'bash', input: { command: `echo begun > begun.txt; sleep ${seconds}`, timeout: 600 } };
  }
  const say = follow(once(), sayIn(model));
  model.follow((turn) => say(turn.results));
  const running = stage.start(driver, bin);
  try {
    // What it writes is on its layer until it ends.
    const isBegun = () => isRunning(`sleep ${seconds}`) || undefined;
    await Promise.race([until(isBegun, 90_000), running.ended]);
    if (!isBegun()) return 'the call never began';
    await setTimeout(500);
    await leavings[how](running);
    const isEnded = await Promise.race([running.ended.then(() => true), setTimeout(12_000, false)]);
    await endGroup(running);
    if (!isEnded) return `the client ignores ${how === 'cancel' ? 'SIGTERM' : 'Ctrl-C'}`;
    const isGone = await until(() => !isRunning(`sleep ${seconds}`) || undefined, 15_000);
    if (!isGone) return 'the command goes on';
    // The next call's start closes what nobody else did.
    await stage.sekisho('call', 'list_files', '{}');
    // A server that was told to end writes down what its last call did, a moment after it.
    const isIn = async (...args: string[]) =>
      (await stage.sekisho(...args, '--json')).includes('begun.txt') || undefined;
    if (!(await until(() => isIn('audit', 'search', '--tool', 'bash'), 5000)))
      return 'the log has no such call';
    return (await until(() => isIn('history'), 5000)) ? '✓' : 'history misses the file';
  } finally {
    await endGroup(running);
    if (!process.env.SEKISHO_CLIENTS_KEEP) stage.close();
  }
}

function isRunning(command: string): boolean {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n').includes(command);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // Its parent took it along.
  }
}
