import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { differing, tree } from './layer-world.ts';
import { startServer } from './servers.ts';

const pairs = process.env.SEKISHO_HAMMER ? 200 : 4;
const seed = Number(process.env.SEKISHO_SEED ?? 20_261_128);

/** The folder that the first makes holds only the file of the second. */
const bothInOneFolder: [string, string] = [
  'printf WHO > f; mkdir -p made; rm -f made/n',
  'mkdir -p made; printf WHO > made/n',
];

type Tree = Readonly<Record<string, string>>;
const start = { a: '1', b: '2', f: '3', 'd/x': '4', 'd/y': '5', 'd/e/z': '6' };

/** What a command does to a path of its own: others of the same command do nothing there. */
const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a', 'b', 'f', 'd/x', 'd/y', 'd/e/z', 'n', 'd/n', 'made/n'),
        fc.constantFrom('printf WHO > PATH', 'printf WHO >> PATH', 'rm -f PATH', 'chmod 600 PATH'),
      )
      .map(([path, words]) => ({ path, words: words.replace('PATH', path) })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('d', 'd/e').map((path) => ({ path, words: `rm -r ${path}` })),
  },
);
const command = fc
  .uniqueArray(change, {
    minLength: 2,
    maxLength: 5,
    comparator: (one, other) =>
      `${one.path}/`.startsWith(`${other.path}/`) || `${other.path}/`.startsWith(`${one.path}/`),
  })
  .map((changes) => changes.map(({ path, words }) => `mkdir -p ${dirname(path)}; ${words}`).join('; '));

describe('', needs(lackOfLayers), () => {
  const base = realpathSync(mkdtempSync('/var/tmp/sekisho-pairs-'));
  const root = join(base, 'root');
  const servers = ['one', 'two'].map((name) => {
    mkdirSync(root, { recursive: true });
    return startServer(root, join(base, name));
  });
  const [one, two] = servers as [ReturnType<typeof startServer>, ReturnType<typeof startServer>];

  beforeAll(async () => {
    for (const server of servers) await server.run('true');
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
    rmSync(base, { recursive: true, force: true });
  });

  test(`${pairs} pairs of commands at once, half of them of two servers: what both changed is told, the last stays whole, and each is taken back`, async () => {
    const counts = { conflicts: 0, quiet: 0 };
    let round = 0;
    await fc.assert(
      fc.asyncProperty(command, command, async (former, latter) => {
        round += 1;
        plant(round);
        const before = look();
        const acts = [former, latter].map((words, at) => ({
          name: `w${at}-${round}`,
          words: words.replaceAll('WHO', `w${at}-${round}`),
          server: round % 2 === 0 ? one : (servers[at] ?? one),
        }));
        const plain = acts.map(({ name, words }) => lookPlain(`${words}; printf m > ${name}`));
        const running = acts.map(({ name, words, server }) =>
          server.run(`${words}; printf m > ${name}; ${wait}`, name),
        );
        // Both have done what they do, each on its layer.
        for (const { name } of acts)
          await expect.poll(() => globSync(join(base, `*/layers/*/0/upper/${name}`)).length).toBe(1);
        expect(look()).toEqual(before);
        for (let at = 0; at < 3000; at++) writeFileSync(join(root, `go/${at}`), '');
        const said = (await Promise.all(running)).map(toldIn);
        const after = look();

        // One of them came second.
        const orders = [0, 1].map((second) => {
          const [mine, theirs] = [plain[second] ?? {}, plain[1 - second] ?? {}];
          return { second, theirs, ...landedOn(before, theirs, mine) };
        });
        const fitting = orders.filter((order) => differing(order.after, after).length === 0);
        const found = fitting.find(({ second }) => said[1 - second]?.length === 0) ?? fitting[0];
        expect({ words: acts.map(({ words }) => words), said, after }).toEqual({
          words: acts.map(({ words }) => words),
          said,
          after: found?.after ?? orders[1]?.after,
        });
        const { second, theirs, both } = found ?? { second: 1, theirs: {}, both: [] };
        expect({ second, said }).toEqual({ second, said: said.with(1 - second, []) });
        const told = said[second] ?? [];
        expect({ told, untold: both.filter((path) => !told.some((each) => isIn(path, each))) }).toEqual({
          told,
          untold: [],
        });
        const theirPaths = differing(before, theirs);
        expect(
          told.filter((each) => !theirPaths.some((path) => isIn(path, each) || isIn(each, path))),
        ).toEqual([]);
        counts[told.length > 0 ? 'conflicts' : 'quiet'] += 1;

        const undo = async (at: number) => (await acts[at]?.server.undo(acts[at]?.name ?? '')) ?? [];
        const left = (await undo(second)).filter((step) => !step.startsWith('undone'));
        // Where nothing is told, either may have been first: a folder that it made stays for what the other put there.
        if (told.length === 0) expect(left).toEqual(left.length > 0 ? ['stays made'] : []);
        else expect([left, differing(theirs, look())]).toEqual([[], []]);
        expect((await undo(1 - second)).filter((step) => !step.startsWith('undone'))).toEqual([]);
        expect(await undo(second)).toEqual(left.length > 0 ? ['undone made'] : []);
        expect(differing(before, look())).toEqual([]);
      }),
      { numRuns: pairs, seed, examples: [bothInOneFolder], endOnFailure: true },
    );
    if (process.env.SEKISHO_HAMMER) console.log(counts);
    expect(counts.conflicts).toBeGreaterThan(0);
  }, 3_600_000);

  test('what lies in a folder that landed meanwhile is as new as its landing, though it was written before', async () => {
    for (const name of globSync('*', { cwd: root })) rmSync(join(root, name), { recursive: true });
    const begin = async (server: typeof one, name: string, words: string) => {
      mkdirSync(join(root, `go-${name}`));
      const running = server.run(`${words}; printf m > m-${name}; ${waitIn(`go-${name}`)}`);
      await expect.poll(() => globSync(join(base, `*/layers/*/0/upper/m-${name}`)).length).toBe(1);
      return () => {
        for (let at = 0; at < 3000; at++) writeFileSync(join(root, `go-${name}/${at}`), '');
        return running;
      };
    };
    const makes = (who: string) =>
      `mkdir -p made/in; for f in made/both made/in/both made/${who}; do printf ${who} > $f; done; ln -s ${who} made/link`;
    for (const [at, other] of [two, one].entries()) {
      rmSync(join(root, 'made'), { recursive: true, force: true });
      const endFormer = await begin(one, `former-${at}`, makes('former'));
      // Later than what the other has written by then.
      const endLatter = await begin(other, `latter-${at}`, makes('latter'));
      expect(toldIn(await endFormer())).toEqual([]);
      expect(toldIn(await endLatter()).toSorted()).toEqual(['made/both', 'made/in/both', 'made/link']);
      const held = ['both', 'in/both', 'former', 'latter'].map((name) =>
        readFileSync(join(root, 'made', name), 'utf8'),
      );
      expect(held).toEqual(['latter', 'latter', 'former', 'latter']);
      await other.undo(`m-latter-${at}`);
      expect(readFileSync(join(root, 'made/in/both'), 'utf8')).toBe('former');
    }
  });

  test('a tool of one server and a command of another lose nothing of each other that was acknowledged', async () => {
    writeFileSync(join(root, 'lines'), '');
    const rounds = process.env.SEKISHO_HAMMER ? 100 : 2;
    for (let at = 0; at < rounds; at++) {
      const [ran, edited] = await Promise.all([
        one.run(`echo run-${at} >> lines; printf m > run-${at}`),
        two.call('write_file', { path: 'lines', content: `edit-${at}\n` }),
      ]);
      expect(edited).toMatchObject({ kind: 'output' });
      const lines = readFileSync(join(root, 'lines'), 'utf8');
      // The edit came before the command began, while it ran, or after.
      if (!lines.includes(`edit-${at}`)) expect(toldIn(ran)).toEqual(['lines']);
      if (!lines.includes(`run-${at}`)) expect(lines).toBe(`edit-${at}\n`);
      if (toldIn(ran).length === 0) continue;
      await one.undo(`run-${at}`);
      expect(readFileSync(join(root, 'lines'), 'utf8')).toBe(`edit-${at}\n`);
    }
  }, 3_600_000);

  function plant(round: number): void {
    for (const name of globSync('*', { cwd: root })) rmSync(join(root, name), { recursive: true });
    mkdirSync(join(root, 'go'));
    for (const [path, content] of Object.entries(start)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), `${content}-${round}`);
    }
  }

  function look(): Tree {
    return Object.fromEntries(Object.entries(tree(root)).filter(([path]) => !isIn(path, 'go')));
  }

  /** What a command leaves that nobody else comes between. */
  function lookPlain(words: string): Tree {
    const copy = mkdtempSync(join(base, 'plain-'));
    try {
      cpSync(root, copy, { recursive: true });
      rmSync(join(copy, 'go'), { recursive: true });
      execFileSync('bash', ['-c', words], { cwd: copy, stdio: 'pipe' });
      return tree(copy);
    } finally {
      rmSync(copy, { recursive: true });
    }
  }
});

// A name that was looked up once may stay absent for a command that is on a layer.
const waitIn = (folder: string) => `n=0; until [ -e ${folder}/$n ]; do n=$((n+1)); sleep 0.05; done`;
const wait = waitIn('go');

/** What is there after the second landed on what the first left, and which paths both changed. */
function landedOn(before: Tree, first: Tree, second: Tree) {
  const [theirs, mine] = [differing(before, first), differing(before, second)];
  const after: Record<string, string> = { ...first };
  const gone = mine.filter((path) => before[path]?.startsWith('folder') && second[path] === undefined);
  for (const path of Object.keys(after)) if (gone.some((folder) => isIn(path, folder))) delete after[path];
  for (const path of mine) {
    const now = second[path];
    if (now === undefined) delete after[path];
    else after[path] = now;
    // What a path lies in is there with it.
    for (let above = dirname(path); above !== '.'; above = dirname(above)) {
      const folder = second[above];
      if (folder !== undefined) after[above] ??= folder;
    }
  }
  const both = theirs.filter(
    (path) =>
      first[path] !== second[path] &&
      !first[path]?.startsWith('folder') &&
      !(before[path] ?? '').startsWith('folder') &&
      (mine.includes(path) || gone.some((folder) => isIn(path, folder))),
  );
  return { after, both };
}

function toldIn(said: string): readonly string[] {
  return /overwritten: ([^;\n]*)/.exec(said)?.[1]?.split(', ') ?? [];
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
