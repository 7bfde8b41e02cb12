import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createProxyRules, createTunnelCheck } from '../network/proxy/rules.ts';
import { loadSettings } from './load.ts';
import { hostsOf, namedHosts, networkSets } from './network-sets.ts';

test('a set stands for its hosts, and other entries stay where they are', () => {
  const hosts = hostsOf(['a.example', 'pypi', 'b.example:8443', 'go']);
  expect(hosts.slice(0, 4)).toEqual(['a.example', 'pypi.org', 'b.example:8443', 'proxy.golang.org']);
  expect(new Set(hosts)).toEqual(
    new Set(['a.example', 'b.example:8443', ...(networkSets.pypi ?? []), ...(networkSets.go ?? [])]),
  );
});

test('what is shown names each set, with every host of it, and the rest by its key', () => {
  expect(namedHosts(['a.example', 'pypi'], 'process.network')).toEqual([
    { name: 'pypi', hosts: ['pypi.org', 'files.pythonhosted.org'] },
    { name: 'process.network', hosts: ['a.example'] },
  ]);
  expect(namedHosts([], 'process.network')).toEqual([]);
});

test.each(Object.entries(networkSets))(
  'every host of %s is one host over TLS, and no other site of it',
  (_, hosts) => {
    const rules = createProxyRules(hosts, 'process.network');
    for (const host of hosts) {
      expect(host).toMatch(/^[a-z.-]+\.[a-z]+$/);
      expect(rules.allows({ host, port: 443 })).toBe(true);
      expect(rules.allows({ host: `other.${host}`, port: 443 })).toBe(false);
      expect(rules.allows({ host, port: 22 })).toBe(false);
    }
  },
);

test.each(['NPM', 'npm:443', '*.npm', 'constructor', '__proto__', 'toString'])(
  '%s is a host, if anything, and no set',
  (entry) => {
    expect(hostsOf([entry])).toEqual([entry]);
  },
);

test.each([
  ['api.example.com', false],
  ['pinned.example.com', true],
  ['deep.pinned.example.com', false],
  ['a.raw.example.com', true],
  ['looked.raw.example.com', false],
])('the entry that names %s most exactly decides whether it is passed on unread', (host, isTunnel) => {
  const tunnels = ['pinned.example.com', '*.raw.example.com'];
  const entries = ['*.example.com', 'looked.raw.example.com', ...tunnels];
  expect(createTunnelCheck(entries, tunnels)({ host, port: 443 })).toBe(isTunnel);
});

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-sets-')));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['what its manifests need', {}, ['npm', 'crates']],
  ['more beside', { network: ['a.example', 'registries'] }, ['a.example', 'npm', 'crates']],
  ['what the file lists instead', { network: ['pypi'] }, ['pypi']],
  ['nothing, if the list is empty', { network: [] }, []],
])('a project under the profile coding reaches %s', (name, process, sets) => {
  const root = join(folder, name);
  mkdirSync(root);
  writeFileSync(join(root, 'package.json'), '{}');
  writeFileSync(join(root, 'Cargo.toml'), '');
  writeFileSync(join(root, '.npmrc'), '@evil:registry=https://evil.example/');
  const config = join(folder, `${name}.jsonc`);
  writeFileSync(config, JSON.stringify({ process }));
  const { process: settings } = loadSettings(
    { root, config, profile: 'coding', state: join(folder, 'state') },
    { HOME: folder },
    root,
  );
  expect(settings.networkAsNamed).toEqual(sets);
  expect(settings).toMatchObject({ network: hostsOf(sets), tunnels: [] });
});
