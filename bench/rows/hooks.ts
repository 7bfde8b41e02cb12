import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isFull, median, type Row, timed, within } from '../measure.ts';

const program = resolve('dist/sekisho.js');
const atOnce = 20;

/** A home with our hooks in the settings of Claude Code, and a project beside it. */
function openHome() {
  const home = mkdtempSync(join(tmpdir(), 'sekisho-bench-'));
  const work = join(home, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'a.txt'), 'a');
  writeFileSync(join(home, 'empty.mjs'), '');
  const options = { cwd: work, env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' } };
  for (const more of [['--root', '.'], ['--hooks']])
    spawnSync(process.execPath, [program, 'init', '--yes', ...more], options);
  const hook = join(home, '.local/state/sekisho/hooks/claude-hook');
  let uses = 0;
  /** One use of `Read`, as the client tells it. */
  const event = () =>
    JSON.stringify({
      session_id: 'bench',
      cwd: work,
      hook_event_name: 'PreToolUse',
      tool_name: 'Read',
      tool_use_id: `u${uses++}`,
      tool_input: { file_path: join(work, 'a.txt') },
    });
  async function run(file: string, args: readonly string[], input: string): Promise<void> {
    const child = spawn(file, args, options);
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const code = await new Promise((done) => child.once('close', done));
    if (code !== 0 || (input !== '' && !said.includes('"allow"')))
      throw new Error(`${file}: ${code} ${said}`);
  }
  return {
    allow: () => run(hook, [], event()),
    node: () => run(process.execPath, [join(home, 'empty.mjs')], ''),
    nothing: () => run('/bin/true', [], ''),
    servers: () => serversOf(home),
    close() {
      for (const pid of serversOf(home)) process.kill(pid, 'SIGKILL');
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function serversOf(home: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [words, variables] = ['cmdline', 'environ'].map((file) =>
          readFileSync(`/proc/${pid}/${file}`, 'utf8'),
        );
        return words?.startsWith('sekisho resident') && variables?.includes(`HOME=${home}\0`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

export const rows: readonly Row[] = [
  {
    name: 'hook',
    async run() {
      const home = openHome();
      await home.allow();
      const times: { ours: number[]; node: number[]; nothing: number[] } = {
        ours: [],
        node: [],
        nothing: [],
      };
      for (let round = 0; round < (isFull ? 200 : 40); round++) {
        times.ours.push(await timed(home.allow));
        times.node.push(await timed(home.node));
        times.nothing.push(await timed(home.nothing));
      }
      home.close();
      const ours = median(times.ours);
      const beside = (theirs: number) => ({ theirs, ratio: ours / theirs });
      const limit = within("a hook for a client's own tool", 30, ours);
      return [
        { ...limit, against: 'starting an empty Node', ...beside(median(times.node)) },
        {
          ...limit,
          row: `${limit.row}, compared with the smallest program`,
          against: 'starting true',
          ...beside(median(times.nothing)),
        },
      ];
    },
  },
  {
    name: 'hooks-at-once',
    async run() {
      const home = openHome();
      const allAtOnce = (run: () => Promise<void>) =>
        timed(() => Promise.all(Array.from({ length: atOnce }, run)));
      const theirs = await allAtOnce(home.node);
      const ms = await allAtOnce(home.allow);
      const servers = home.servers().length;
      home.close();
      return [
        {
          ...within(`${atOnce} hooks at once without a server, until the last answer`, 500, ms),
          against: `starting ${atOnce} empty Nodes`,
          theirs,
          ratio: ms / theirs,
        },
        within('servers started by these hooks', 1, servers, 'count'),
      ];
    },
  },
];
