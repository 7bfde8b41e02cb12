import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { isTaggedServer, tagServer } from './child/tag.ts';
import { openKernel } from './seccomp/kernel.ts';

/**
 * Ends everything that this process starts from now on if it is killed: what a sandbox has not yet bound to it, and what
 * left its group, session and parent outside of one. A small shell waits for the end of its input, which a killed
 * process cannot prevent, and kills all that inherited the tag. A process that ends by itself has ended its commands.
 */
export async function endWithServer(): Promise<void> {
  const kernel = await openKernel().catch(() => undefined);
  if (!kernel || isTaggedServer(kernel)) return;
  // Before the tag, which it must not inherit.
  const guard = spawn('/bin/sh', ['-c', watching], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    // The server's terminal and group are not its own.
    detached: true,
  });
  // Without a shell nothing is guarded, as without koffi.
  guard.on('error', () => {});
  guard.unref();
  const input = guard.stdin as Writable & { unref(): void };
  input.on('error', () => {});
  input.unref();
  const tag = tagServer(kernel);
  if (tag === undefined) {
    input.end('over\n');
    return;
  }
  input.write(`${tag} ${process.pid}\n`);
  process.once('exit', () => input.write('over\n'));
}

/** Bounded, because dead processes keep their tag until their parent reaps them. */
const watching = [
  'read -r tag server && [ "$tag" != over ] || exit; read -r word && exit; n=0',
  'while [ $n -lt 200 ]; do n=$((n+1))',
  'pids=$(grep -ls " $tag " /proc/[0-9]*/limits | tr -cd "0-9\\n" | grep -vx "$server") || exit',
  'kill -9 $pids; sleep 0.02; done',
].join('; ');
