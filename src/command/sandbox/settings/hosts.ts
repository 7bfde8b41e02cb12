import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Has programs in the sandbox find these hosts at its own loopback, by the hosts file in `etc`, a copy of `/etc`. Other
 * addresses of theirs go: a resolver returns all that it finds.
 */
export function writeHosts(etc: string, addresses: ReadonlyMap<string, string>): void {
  const path = join(etc, 'hosts');
  const kept = textOf(path)
    .split('\n')
    .flatMap((line) => {
      const [address, ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
      const others = names.filter((name) => !addresses.has(name.toLowerCase()));
      return others.length > 0 ? [[address, ...others].join(' ')] : [];
    });
  const ours = [...addresses].map(([host, address]) => `${address} ${host}`);
  rmSync(path, { force: true });
  writeFileSync(path, `${[...kept, ...ours].join('\n')}\n`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Without one, a sandbox still knows itself.
    return '127.0.0.1 localhost\n';
  }
}
