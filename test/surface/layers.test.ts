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

/** The parts of the machine that a tool may touch, beside its records. */
const worldRooms = ['files', 'network', 'git', 'command', 'search', 'history', 'vault', 'pipeline'];

/** Who may touch the world, and with what. */
const worldly: readonly (readonly [module: RegExp, rooms: readonly string[]])[] = [
  [/^node:(fs|fs\/promises|tls|dgram)$/, [...worldRooms, 'config', 'cli', 'entries', 'store', 'upstream']],
  [/^node:child_process$/, [...worldRooms, 'config', 'cli', 'store', 'upstream', 'notify']],
  [/^node:net$/, [...worldRooms, 'transport', 'store', 'upstream', 'cli']],
  [/^node:(http|https)$/, ['network', 'transport', 'cli', 'upstream', 'observe']],
  [/^@modelcontextprotocol\//, ['transport', 'upstream', 'ask']],
  [/^(pg|kysely|node:sqlite)$/, ['store']],
  [/^(@opentelemetry\/.*)$/, ['observe']],
  [/^(web-push|nodemailer)$/, ['notify']],
  [/^koffi$/, ['files', 'command']],
  [/^undici$/, ['network']],
  [/^@vscode\/ripgrep$/, ['search', 'pipeline']],
];

/** The one file of `ground/` that writes. */
const writer = 'src/ground/write-whole.ts';

const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));

function roomOf(file: string): string {
  return normalize(file).split('/')[1] ?? '';
}

/** The part of `command/` that has a row of its own. */
function partOf(file: string): string | undefined {
  const part = normalize(file).split('/').slice(1, 3).join('/');
  return rooms.has(part) ? part : undefined;
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
  expect(rooms.size).toBeGreaterThan(25);
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

test.each(files.filter(partOf))('%s imports only what its part of the room may', (file) => {
  const part = partOf(file) ?? '';
  for (const target of targetsOf(file).filter((path) => roomOf(path) === roomOf(file))) {
    const other = partOf(target);
    const ok = other === part || rooms.get(part)?.some((name) => other === `${roomOf(file)}/${name}`);
    expect(ok, `${file} imports ${target}`).toBe(true);
  }
});

test('no room may import one that is listed below it', () => {
  const order = [...rooms.keys()].filter((room) => !room.includes('/'));
  const back = order.flatMap((room, index) =>
    (rooms.get(room) ?? []).filter((name) => order.indexOf(name) >= index).map((name) => `${room} → ${name}`),
  );
  expect(back).toEqual([]);
});

test('no room holds more than 15 % of the lines', () => {
  const lines = new Map<string, number>();
  for (const file of files) {
    const count = readFileSync(file, 'utf8').split('\n').length - 1;
    lines.set(roomOf(file), (lines.get(roomOf(file)) ?? 0) + count);
  }
  const all = [...lines.values()].reduce((sum, count) => sum + count, 0);
  expect([...lines].filter(([, count]) => count > all * 0.15)).toEqual([]);
});

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
