import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Whether one of these processes, which share a network namespace, holds a connection to the loopback from this local
 * port. False if the kernel does not tell.
 */
export function ownsPort(pids: readonly number[], port: number): boolean {
  const socket = pids.map((pid) => socketAt(pid, port)).find((found) => found !== undefined);
  return socket !== undefined && pids.some((pid) => descriptorsOf(pid).includes(socket));
}

/** The socket's name in `/proc/PID/fd`. */
function socketAt(pid: number, port: number): string | undefined {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const table of ['tcp', 'tcp6']) {
    for (const line of textOf(`/proc/${pid}/net/${table}`).split('\n')) {
      const [, address = '', , , , , , , , inode] = line.trim().split(/\s+/);
      if (address.endsWith(local) && inode !== undefined && inode !== '0') return `socket:[${inode}]`;
    }
  }
  return undefined;
}

function descriptorsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => linkOf(`/proc/${pid}/fd/${name}`));
  } catch {
    // It has ended, or hides its descriptors.
    return [];
  }
}

function linkOf(path: string): readonly string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
