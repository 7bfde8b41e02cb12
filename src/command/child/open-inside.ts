import { closeSync, openSync, statSync } from 'node:fs';
import { closeOnExec } from '../../ground/machine/syscalls.ts';
import type { Diagnose } from '../../network/publish/diagnosis.ts';
import type { Inside } from '../../network/publish/serving-command.ts';
import { compileSockets, type SocketCounts } from '../../network/publish/sockets-program.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { openMemoryProgram } from './memory-program.ts';
import { makeSocketPair, receiveDescriptor } from './passed-descriptors.ts';
import type { StartChild } from './start-child.ts';

/** Opens the network of a process for connections from outside. Rejects if it is the server's own, or gone. */
export async function openInside(kernel: Kernel, startChild: StartChild, pid: number): Promise<Inside> {
  const network = openSync(`/proc/${pid}/ns/net`, 'r');
  using opened = new DisposableStack();
  opened.defer(() => closeSync(network));
  if (statSync(`/proc/self/fd/${network}`).ino === statSync('/proc/self/ns/net').ino)
    throw new Error('it shares the network of this machine');
  // The network's owner, as the command itself may be in a user namespace below it.
  const user = kernel.syscall('ioctl', network, userNamespaceOf);
  if (user < 0) throw new Error('its network belongs to another user');
  opened.defer(() => closeSync(user));
  const make = (counts: SocketCounts) => makeSockets(kernel, startChild, { user, network }, counts);
  const [first = -1, ...sockets] = await make({ 4: firstBatch, 6: firstBatch });
  const outer = kernel.syscall('socket', netlink, raw | closeOnExec, socketDiagnosis);
  const kept = opened.move();
  const held = { 4: sockets.slice(0, firstBatch), 6: sockets.slice(firstBatch) };
  const closeAll = () => {
    for (const fd of [...held[4].splice(0), ...held[6].splice(0)]) closeSync(fd);
  };
  kept.defer(() => {
    for (const fd of [first, outer]) closeSync(fd);
    closeAll();
  });
  const filling: { [Family in 4 | 6]?: Promise<void> } = {};
  const fill = async (family: 4 | 6) => {
    const [spare = -1, ...more] = await make({ 4: 0, 6: 0, [family]: laterBatch });
    closeSync(spare);
    held[family].push(...more);
    if (kept.disposed) closeAll();
  };
  return {
    inner: diagnoseBy(kernel, first),
    outer: diagnoseBy(kernel, outer),
    async draw(family) {
      if (held[family].length < firstBatch) {
        filling[family] ??= fill(family).finally(() => delete filling[family]);
        // A connection that finds none waits for them.
        filling[family].catch(() => {});
      }
      if (held[family].length === 0) await filling[family];
      const fd = held[family].pop();
      if (fd === undefined) throw new Error('no socket could be made inside');
      return fd;
    },
    close: () => kept.dispose(),
  };
}

/** The socket that reports the network's others, then those of IPv4, then those of IPv6. */
async function makeSockets(
  kernel: Kernel,
  startChild: StartChild,
  { user, network }: { readonly user: number; readonly network: number },
  counts: SocketCounts,
): Promise<readonly number[]> {
  const program = openMemoryProgram(kernel, compileSockets(counts));
  const [ours, theirs] = makeSocketPair(kernel);
  const made: number[] = [];
  try {
    const extra = [program, user, network, theirs];
    const started = await startChild({
      program: '/proc/self/fd/3',
      args: [],
      environment: {},
      stdin: 'null',
      extra,
    });
    await started.exited;
    for (const stream of [started.stdout, started.stderr]) stream.destroy();
    while (made.length < 1 + counts[4] + counts[6]) made.push(receiveDescriptor(kernel, ours));
  } catch (error) {
    // A kernel without IPv6 makes only the others.
    if (made.length !== 1 + counts[4]) {
      for (const fd of made) closeSync(fd);
      throw error;
    }
  } finally {
    for (const fd of [program, ours, theirs]) closeSync(fd);
  }
  return made;
}

function diagnoseBy({ syscall }: Kernel, socket: number): Diagnose {
  const piece = Buffer.alloc(32_768);
  return (request) => {
    syscall('sendto', socket, request, request.length, 0, 0, 0);
    const answer: Buffer[] = [];
    for (;;) {
      const bytes = syscall('recvfrom', socket, piece, piece.length, dontWait, 0, 0);
      if (bytes <= 0) return Buffer.concat(answer);
      // The rest is read, so that it is not taken for a later answer.
      if (answer.length < mostPieces) answer.push(Buffer.from(piece.subarray(0, bytes)));
    }
  };
}

const firstBatch = 16;
const laterBatch = 64;
const mostPieces = 64;
/** NS_GET_USERNS */
const userNamespaceOf = 0xb701;
const netlink = 16;
const raw = 3;
const socketDiagnosis = 4;
const dontWait = 0x40;
