import { createConstants } from '../../ground/machine/elf.ts';
import { compileProgram, putMessage, type Step } from '../../ground/machine/static-program.ts';
import { closeOnExec, thisProcessor } from '../../ground/machine/syscalls.ts';

/** Descriptors of the program, after the three streams: itself, the two namespaces, and the socket that takes what it makes. */
const [self, user, network, channel] = [3, 4, 5, 6];

/** How many of IPv4 and of IPv6. */
export type SocketCounts = Readonly<Record<4 | 6, number>>;

/**
 * A program that enters a network, makes sockets there and sends them out unconnected: one that reports the network's
 * sockets, then those of IPv4, then those of IPv6 if the kernel has it. A socket stays in the network in which it
 * was made, so nothing has to remain inside, and no socket of the outside ever goes in.
 */
export function compileSockets(counts: SocketCounts, architecture = thisProcessor()): Buffer {
  const { put, bytes } = createConstants();
  const message = putMessage(put, self);
  const handing = (domain: number, type: number, protocol: number, mayFail: boolean): readonly Step[] => [
    { call: 'socket', args: [domain, type | notBlocking | closeOnExec, protocol], mayFail },
    { call: 'sendmsg', args: [channel, message, 0], mayFail },
    { call: 'close', args: [self], mayFail },
  ];
  const times = (length: number, steps: readonly Step[]) => Array.from({ length }, () => steps).flat();
  const steps: readonly Step[] = [
    // Fails without harm if the network belongs to the user namespace that this program is in.
    { call: 'setns', args: [user, 0], mayFail: true },
    { call: 'setns', args: [network, 0] },
    // From here on, this is the lowest free number.
    { call: 'close', args: [self] },
    ...handing(netlink, raw, socketDiagnosis, false),
    ...times(counts[4], handing(inet, stream, 0, false)),
    ...times(counts[6], handing(inet6, stream, 0, true)),
    { call: 'exit', args: [0] },
  ];
  return compileProgram(steps, bytes(), architecture);
}

const netlink = 16;
const raw = 3;
const socketDiagnosis = 4;
const inet = 2;
const inet6 = 10;
const stream = 1;
const notBlocking = 0o4000;
