import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { orElse } from '../../ground/or-else.ts';

/** Whether one of these processes of one network namespace is connected to the loopback from this local port. */
export function ownsPort(pids: readonly number[], port: number): boolean {
  const socket = pids.map((pid) => socketAt(pid, port)).find((found) => found !== undefined);
  return socket !== undefined && pids.some((pid) => descriptorsOf(pid).includes(socket));
}

/** The socket's name in `/proc/PID/fd`. */
function socketAt(pid: number, port: number): string | undefined {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const table of ['tcp', 'tcp6']) {
    for (const line of orElse(() => readFileSync(`/proc/${pid}/net/${table}`, 'utf8'), '').split('\n')) {
      const [, address = '', , , , , , , , inode] = line.trim().split(/\s+/);
      if (address.endsWith(local) && inode !== undefined && inode !== '0') return `socket:[${inode}]`;
    }
  }
  return undefined;
}

/** The sockets that these processes hold, by inode, as far as the search goes: a program may open any number. */
export function socketsOf(pids: readonly number[]): ReadonlySet<number> {
  const found = pids.slice(0, mostSearched).flatMap((pid) => descriptorsOf(pid, mostSearched));
  return new Set(found.flatMap((name) => /^socket:\[(\d+)\]$/.exec(name)?.slice(1).map(Number) ?? []));
}

const mostSearched = 256;

function descriptorsOf(pid: number, most = Infinity): readonly string[] {
  // It has ended, or hides its descriptors.
  return orElse(
    () =>
      readdirSync(`/proc/${pid}/fd`)
        .slice(0, most)
        .flatMap((name) => orElse(() => [readlinkSync(`/proc/${pid}/fd/${name}`)], [])),
    [],
  );
}
