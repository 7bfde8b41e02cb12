import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const rows = [
  ...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/^\| `src\/([\w./]+?)\/?` \| [^|]+ \| ([^|]+) \|$/gm),
].map(([, room = '', allowed = '']) => ({
  room,
  allowed: allowed === 'nothing of ours' ? [] : allowed.split(', '),
}));

/** Which rooms each room may import beside itself: the tables of ARCHITECTURE.md, so that page and test cannot part. */
const rooms = new Map(rows.map(({ room, allowed }) => [room, allowed]));

/** Who may touch the world, and with what. */
const worldly: readonly (readonly [module: RegExp, rooms: readonly string[]])[] = [
  [/^node:(fs|fs\/promises|tls|dgram)$/, ['confine', 'config', 'cli', 'store', 'upstream']],
  [/^node:child_process$/, ['confine', 'config', 'cli', 'store', 'upstream', 'notify']],
  [/^node:net$/, ['confine', 'transport', 'store', 'upstream', 'cli']],
  [/^node:(http|https)$/, ['confine', 'transport', 'cli', 'upstream', 'observe']],
  [/^@modelcontextprotocol\//, ['transport', 'upstream', 'ask']],
  [/^(pg|kysely|node:sqlite)$/, ['store']],
  [/^(@opentelemetry\/.*)$/, ['observe']],
  [/^(web-push|nodemailer)$/, ['notify']],
  [/^(koffi|undici|@vscode\/ripgrep)$/, ['confine']],
];

/** The one file of `ground/` that writes. */
const writer = 'src/ground/write-whole.ts';

const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));

function roomOf(file: string): string {
  return normalize(file).split('/')[1] ?? '';
}

function partOf(file: string): string {
  return normalize(file).split('/').slice(1, 3).join('/');
}

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)'([^']+)'/g)].map((match) => match[1] ?? '');
}

function targetsOf(file: string): string[] {
  return importsOf(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => join(dirname(file), name));
}

test('there is something to look at', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(rooms.size).toBeGreaterThan(20);
});

test('every file and folder that the page names is there', () => {
  const named = [...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/`((?:src|docs|test)\/[^`*]+)`/g)];
  expect(named.length).toBeGreaterThan(30);
  expect(named.map(([, path = '']) => path).filter((path) => !existsSync(path))).toEqual([]);
});

test('the page begins with the way of a command through a dozen files', () => {
  const [, walk = ''] = readFileSync('ARCHITECTURE.md', 'utf8').split('\n## ');
  const named = [...walk.matchAll(/`(src\/[\w./-]+\.ts)`/g)].map(([, file]) => file);
  expect(named).toHaveLength(12);
  expect(new Set(named).size).toBe(12);
});

test('every folder of src is a room, and every room is there', () => {
  expect([...new Set(files.map(roomOf))].toSorted()).toEqual(
    [...rooms.keys()].filter((room) => !room.includes('/')).toSorted(),
  );
});

test.each(files.filter((file) => roomOf(file) === 'confine'))(
  '%s imports only what its part of confine may',
  (file) => {
    const part = partOf(file);
    const allowed = rooms.get(part);
    expect(allowed, `${part} is not in the table`).toBeDefined();
    for (const target of targetsOf(file).filter((path) => roomOf(path) === 'confine')) {
      const other = partOf(target);
      const ok = other === part || allowed?.some((name) => other === `confine/${name}`);
      expect(ok, `${file} imports ${target}`).toBe(true);
    }
  },
);

test('the composition root has one entrance', () => {
  const inside = (path: string) => path.startsWith('src/checkpoint/');
  const entering = files
    .filter((file) => !inside(normalize(file)))
    .flatMap((file) =>
      targetsOf(file)
        .filter(inside)
        .map((target) => `${file} → ${target}`),
    );
  expect(entering.length).toBeGreaterThan(5);
  expect(entering.filter((step) => !step.endsWith('→ src/checkpoint/index.ts'))).toEqual([]);
});

test('no files import each other in a circle, types included', () => {
  const state = new Map<string, 'open' | 'done'>();
  const path: string[] = [];
  const circles: string[] = [];
  const visit = (file: string) => {
    if (state.get(file) === 'open') circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (state.has(file)) return;
    state.set(file, 'open');
    path.push(file);
    for (const target of targetsOf(file)) visit(target);
    path.pop();
    state.set(file, 'done');
  };
  for (const file of files) visit(normalize(file));
  expect(circles).toEqual([]);
});

test.each(files)('%s imports only what its room may', (file) => {
  const room = roomOf(file);
  const allowed = rooms.get(room);
  expect(allowed, `${room} is not a room of the table`).toBeDefined();
  for (const target of targetsOf(file).map(roomOf)) {
    const ok = target === room || allowed?.includes(target);
    expect(ok, `${file}: ${room} may not see ${target}`).toBe(true);
  }
  for (const name of importsOf(file)) {
    for (const [module, mayUse] of worldly) {
      if (module.test(name) && file !== writer) expect(mayUse, `${file} imports ${name}`).toContain(room);
    }
  }
});
