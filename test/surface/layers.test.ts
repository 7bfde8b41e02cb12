import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** Which rooms each room may import beside itself: the table of ARCHITECTURE.md, so that page and test cannot part. */
const rooms = new Map(
  [
    ...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/^\| `src\/([\w.]+)\/?` \| [^|]+ \| ([^|]+) \|$/gm),
  ].map(
    ([, room = '', allowed = '']) =>
      [room, allowed === 'nothing of ours' ? [] : allowed.split(', ')] as const,
  ),
);

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
  return normalize(file).split('/')[1] ?? '';
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
  const allowed = rooms.get(room);
  expect(allowed, `${room} is not a room of the table`).toBeDefined();
  for (const name of importsOf(file)) {
    if (name.startsWith('.')) {
      const target = roomOf(join(dirname(file), name));
      const ok = target === room || allowed?.includes(target);
      expect(ok, `${file} imports ${name}: ${room} may not see ${target}`).toBe(true);
    }
    for (const [module, mayUse] of worldly) {
      if (module.test(name)) expect(mayUse, `${file} imports ${name}`).toContain(room);
    }
  }
});
