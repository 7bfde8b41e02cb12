import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** Which rooms each room may import beside `contract` and itself (ARCHITECTURE.md, the import rule). */
const rooms: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  call: [],
  confine: [],
  store: [],
  tools: [],
  transport: [],
  upstream: [],
  ask: [],
  identity: [],
  console: [],
  observe: [],
  config: [],
  cli: ['config', 'checkpoint', 'call', 'transport', 'confine', 'store', 'ask'],
  once: [],
  checkpoint: [
    'once',
    'ask',
    'call',
    'confine',
    'store',
    'tools',
    'transport',
    'upstream',
    'identity',
    'console',
    'observe',
    'config',
  ],
  index: ['checkpoint', 'config'],
};

/** Who may touch the world, and with what. */
const worldly: readonly (readonly [module: RegExp, rooms: readonly string[]])[] = [
  [/^node:(fs|fs\/promises|child_process|tls|dgram)$/, ['confine', 'config', 'cli', 'store', 'upstream']],
  [/^node:net$/, ['confine', 'transport', 'store', 'upstream']],
  [/^node:(http|https)$/, ['confine', 'transport', 'cli', 'upstream', 'observe']],
  [/^@modelcontextprotocol\//, ['transport', 'upstream', 'ask']],
  [/^(pg|kysely|node:sqlite)$/, ['store']],
  [/^(@opentelemetry\/.*)$/, ['observe']],
  [/^(koffi|undici|@vscode\/ripgrep)$/, ['confine']],
];

const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));

function roomOf(file: string): string {
  const [first = '', second] = normalize(file).split('/').slice(1);
  return second === undefined
    ? first.startsWith('checkpoint')
      ? 'checkpoint'
      : first.replace(/\.ts$/, '')
    : first;
}

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}

test('there is something to look at', () => {
  expect(files.length).toBeGreaterThan(50);
});

test.each(files)('%s imports only what its room may', (file) => {
  const room = roomOf(file);
  const allowed = rooms[room];
  expect(allowed, `${room} is not a room of the table`).toBeDefined();
  for (const name of importsOf(file)) {
    if (name.startsWith('.')) {
      const target = roomOf(join(dirname(file), name));
      const ok = target === room || target === 'contract' || allowed?.includes(target);
      expect(ok, `${file} imports ${name}: ${room} may not see ${target}`).toBe(true);
    }
    for (const [module, mayUse] of worldly) {
      if (module.test(name)) expect(mayUse, `${file} imports ${name}`).toContain(room);
    }
  }
});
