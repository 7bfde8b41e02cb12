import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { orElse } from '../../../ground/or-else.ts';

/**
 * Has programs in the sandbox find these hosts at its own loopback, by the hosts file in `etc`, a copy of `/etc`. Other
 * addresses of theirs go: a resolver returns all that it finds.
 */
export function writeHosts(etc: string, addresses: ReadonlyMap<string, string>): void {
  const path = join(etc, 'hosts');
  // Without a file, a sandbox still knows itself.
  const kept = orElse(() => readFileSync(path, 'utf8'), '127.0.0.1 localhost\n')
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
