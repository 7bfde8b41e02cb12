import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { createLineClient, type LineClient } from '../support/clients.ts';
import { needs, sandbox, superuser } from '../support/needs.ts';
import { runCommand, startFile } from '../support/run-command.ts';
import { some } from '../support/some.ts';
import { plantRepository, tree } from './layer-world.ts';

/* The product as it is installed, with programs that lose what nothing else keeps, started in all ways. */

const files: Readonly<Record<string, string>> = {
  'wipe.py': 'import glob, os\n[os.remove(path) for path in glob.glob("data/*")]\n',
  'w.py': 'import shutil\n[shutil.rmtree(".git/" + name) for name in ("objects", "refs")]\n',
  'package.json': '{"scripts": {"start": "python3 wipe.py"}}',
  Makefile: 'run:\n\tpython3 w.py\n',
  'other/f': 'f',
};

const onLayer: readonly string[] = [
  'python3 w.py; : x --watch',
  'python3 wipe.py; : x --watch',
  ': vite; python3 wipe.py',
  'python3 wipe.py; echo vite; echo tsc -w',
  'python3 w.py # npm run dev',
  "A='tail -f' python3 wipe.py",
  'echo "make serve"; python3 w.py',
  "cat <<'X'\nnpx nodemon\nX\npython3 w.py",
  'if true; then python3 wipe.py; fi; : --serve',
  'timeout 60 python3 wipe.py --watch',
  'python3 wipe.py; timeout 1 tail -f a.txt',
  'python3 wipe.py & wait',
  '(python3 w.py &); while [ -e .git/refs ]; do sleep 0.1; done',
  'nohup python3 w.py > /dev/null 2>&1',
  'setsid -w python3 wipe.py',
  'make run',
  'npm start',
  "bash -c 'python3 w.py; : --watch'",
  'xargs -n1 python3 <<< wipe.py',
  'find . -name w.py -exec python3 {} serve ";"',
  'env -i PATH="$PATH" python3 wipe.py dev',
  'python3 -c "exec(open(\'w.py\').read())" --watch',
  'mv other other2; rm data/*',
  'mv other other2 && rm -r data',
  'git worktree list; rm data/*',
];
const inBackground = [
  ...['python3 wipe.py', 'python3 w.py', 'nohup python3 wipe.py', 'setsid -w python3 w.py'],
  ...['make run', 'npm start', 'python3 wipe.py & wait'],
];
const beside = ['python3 wipe.py', 'python3 w.py & wait', 'npm start', 'setsid -w make run'];
const withoutLayers = ['python3 wipe.py', 'python3 w.py; : x --watch', 'npm start'];

type Way = 'run' | 'background' | 'beside';
type Row = readonly [command: string, way: Way];

const rowsOf = (commands: readonly string[], way: Way): readonly Row[] =>
  commands.map((command) => [command, way] as const);

const hidingBubblewrap = 'mount --bind /dev/null "$(command -v bwrap)" && exec "$0" "$@"';

/** A server, its configuration, the program that starts it, what it is asked for, and what that needs. */
const servers: readonly (readonly [
  title: string,
  config: object,
  launcher: readonly string[],
  rows: readonly Row[],
  lack: string | undefined,
])[] = [
  [
    'with layers',
    {},
    [],
    [...rowsOf(onLayer, 'run'), ...rowsOf(inBackground, 'background'), ...rowsOf(beside, 'beside')],
    lackOfLayers,
  ],
  ['without layers', { process: { layer: 'off' } }, [], rowsOf(withoutLayers, 'run'), lackOfLayers],
  [
    'behind Landlock alone',
    {},
    ['unshare', '--mount', 'bash', '-c', hidingBubblewrap],
    [...rowsOf(withoutLayers, 'run'), ...rowsOf(withoutLayers, 'background')],
    sandbox('landlock') ?? superuser(),
  ],
];

describe.each(servers)('A server %s', (_, config, [program = process.execPath, ...launcher], rows, lack) => {
  const base = realpathSync(mkdtempSync('/var/tmp/sekisho-wipes-'));
  const root = join(base, 'root');
  const places = ['--root', root, '--state', join(base, 'state'), '--config', join(base, 'sekisho.jsonc')];
  let child: ChildProcess;
  let client: LineClient;

  beforeAll(async () => {
    for (const folder of ['data', 'other']) mkdirSync(join(root, folder), { recursive: true });
    const settings = { ...config, profile: 'coding', approval: { waitMs: 170_000 } };
    writeFileSync(join(base, 'sekisho.jsonc'), JSON.stringify(settings));
    plantRepository(root);
    for (const [path, content] of Object.entries(files)) writeFileSync(join(root, path), content);
    for (let n = 0; n < 60; n++)
      writeFileSync(join(root, `data/${n}.csv`), `row ${n}: what nothing else has, in so many words\n`);
    const serve = [startFile, 'serve', '--alone', ...places];
    const args = launcher.length > 0 ? [...launcher, process.execPath, ...serve] : serve;
    const env = { HOME: base, PATH: process.env.PATH, LANG: 'C.UTF-8' };
    const started = spawn(program, args, { cwd: root, env, stdio: ['pipe', 'pipe', 'inherit'] });
    child = started;
    client = createLineClient(started.stdin, started.stdout);
    const clientInfo = { name: 'wipes', version: '1' };
    await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  });
  afterAll(async () => {
    const gone = once(child, 'exit');
    client?.end();
    await gone;
    rmSync(base, { recursive: true, force: true });
  });

  const sekisho = (...args: string[]) => runCommand([...args, ...places], root, { HOME: base });

  async function call(tool: string, input: object): Promise<Readonly<Record<string, unknown>>> {
    const { result } = await client.call(tool, input);
    return Object(Object(result).structuredContent);
  }

  /** Runs it to its end. How often a person was asked, who answered so. */
  async function run([command, way]: Row, answer: readonly string[]): Promise<number> {
    const server = way === 'beside' && (await call('bash', { command: 'sleep 600', background: true }));
    let asked = 0;
    let isOver = false;
    const person = async () => {
      const { stdout } = await sekisho('approve', '--json');
      for (const [, id = ''] of stdout.matchAll(/"id": ?"(\w+)"/g))
        if ((await sekisho('approve', id, ...answer)).code === 0) asked += 1;
    };
    const answering = (async () => {
      while (!isOver) {
        await person();
        await sleep(50);
      }
    })();
    const { process_id } = await call('bash', { command, ...(way === 'background' && { background: true }) });
    if (way === 'background')
      while ((await call('bash_output', { process_id, wait: 5 })).running === true) await sleep(50);
    isOver = true;
    await answering;
    if (server) await call('bash_kill', { process_id: server.process_id });
    return asked;
  }

  test.each(some(4, rows))(
    'asks, and loses nothing at a no and nothing for good at a yes: %s (%s)',
    needs(lack),
    async (...row) => {
      const before = tree(root, { withoutObjects: false });
      expect(await run(row, ['--deny'])).toBeGreaterThan(0);
      await expect.poll(() => tree(root, { withoutObjects: false })).toEqual(before);

      expect(await run(row, [])).toBeGreaterThan(0);
      expect(tree(root)).not.toEqual(before);
      const [newest] = (await sekisho('history', '--json', '--limit', '1')).stdout.split('\n');
      const { id } = JSON.parse(newest ?? '') as { readonly id: string };
      expect(await sekisho('undo', id, '--call')).toMatchObject({ code: 0 });
      expect(tree(root, { withoutObjects: false })).toEqual(before);
    },
  );
});
