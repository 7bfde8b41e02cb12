import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ClientDriver, clients } from './clients.ts';
import { type Call, type Conversation, follow } from './conversation.ts';
import type { Say } from './dialects/dialect.ts';
import { install } from './install.ts';
import { startModel } from './model.ts';
import { sayIn } from './names.ts';
import { nativeClients } from './native-clients.ts';
import { endGroup } from './world.ts';

/**
 * `npm run clients:projects`: three projects in one home, and in each of them at the same time Claude Code, Codex and Gemini CLI
 * (over stdio and with our hooks) and a program over HTTP. Each call writes where it thinks that it is; the run prints how many
 * calls were made, and each that came to another project than its own.
 */
const run = promisify(execFile);
const program = join(import.meta.dirname, '../../dist/sekisho.js');
const projects = ['shop', 'blog', 'tools'];
const callsOfTools = 14;
const callsOfShell = 6;
const callsOverHttp = 10;

const top = mkdtempSync(join(process.env.SEKISHO_CLIENTS_TMP ?? '/var/tmp', 'sekisho-projects-'));
const home = join(top, 'home');
const folderOf = (project: string) => join(home, 'code', project);
const person = { PATH: process.env.PATH, HOME: home, TERM: 'dumb' };
mkdirSync(join(home, '.config/sekisho'), { recursive: true });
for (const project of projects) {
  mkdirSync(folderOf(project), { recursive: true });
  await run('git', ['init', '-q', folderOf(project)]);
}
writeFileSync(
  join(home, '.config/sekisho/sekisho.jsonc'),
  JSON.stringify({ projects: { '~/code/*': { profile: 'coding' } } }),
);

async function all(): Promise<[made: number, strays: string[]]> {
  const expected: string[] = [];
  // One client's settings are written for each run of it, so that the same client in two projects takes turns.
  for (const [turn] of projects.entries()) {
    const runs = nativeClients.map(({ bin }, at) => {
      const project = projects[(turn + at) % projects.length] as string;
      expected.push(...marksOf(project, bin, [...toolSteps, ...shellSteps]));
      return drive(bin, project);
    });
    const project = projects[turn] as string;
    expected.push(...marksOf(project, 'http', httpSteps));
    await Promise.all([...runs, overHttp(project)]);
  }
  const found = projects.flatMap((project) =>
    readdirSync(folderOf(project))
      .filter((name) => name.endsWith('.mark'))
      .map((name) => `${project} has ${name}: ${readFileSync(join(folderOf(project), name), 'utf8').trim()}`),
  );
  const strays = [
    ...expected.filter((line) => !found.includes(line)).map((line) => `missing: ${line}`),
    ...found.filter((line) => !expected.includes(line)).map((line) => `elsewhere: ${line}`),
  ];
  return [expected.length, strays];
}

type Step = readonly [name: string, kind: 'write' | 'tool shell' | 'own shell'];

const toolSteps: readonly Step[] = Array.from({ length: callsOfTools }, (_, at) => [
  `tool-${at}`,
  at % 2 === 0 ? 'write' : 'tool shell',
]);
const shellSteps: readonly Step[] = Array.from({ length: callsOfShell }, (_, at) => [
  `shell-${at}`,
  'own shell',
]);
const httpSteps: readonly Step[] = Array.from({ length: callsOverHttp }, (_, at) => [
  `http-${at}`,
  at % 2 === 0 ? 'write' : 'tool shell',
]);

try {
  const [made, strays] = await all();
  for (const stray of strays) console.log(stray);
  console.log(`${made} calls in ${projects.length} projects, ${strays.length} of them elsewhere`);
  process.exitCode = strays.length === 0 && made >= 200 ? 0 : 1;
} finally {
  rmSync(top, { recursive: true, force: true, maxRetries: 5 });
}

function marksOf(project: string, client: string, steps: readonly Step[]): string[] {
  return steps.map(([name]) => `${project} has ${client}-${name}.mark: ${project}`);
}

/** A relative path alone tells nothing: a shell writes the name of the folder that it is in. */
function callOf(project: string, client: string, [name, kind]: Step): Call {
  const path = `${client}-${name}.mark`;
  if (kind === 'write') return { tool: 'write_file', input: { path, content: `${project}\n` } };
  return { tool: kind, input: { command: `basename "$PWD" > ${path}` } };
}

async function drive(bin: string, project: string): Promise<void> {
  const driver = clients.find((each) => each.bin === bin) as ClientDriver;
  const native = nativeClients.find((each) => each.bin === bin);
  const installed = install(driver);
  if (!installed.ok) throw new Error(installed.why);
  const model = await startModel();
  const work = folderOf(project);
  const world = {
    home,
    work,
    modelUrl: model.url,
    server: { command: process.execPath, args: [program, 'serve'] },
  };
  driver.prepare(world);
  const env = { ...person, ...driver.env(world) };
  await run(process.execPath, [program, 'init', '--client', bin, '--hooks', '--yes'], { env, cwd: work });

  const ours = sayIn(model);
  const say = ({ tool, input }: Call): Say => {
    if (tool === 'own shell') return native?.shell(String(input.command)) ?? { text: 'done' };
    return ours({ tool: tool === 'write_file' ? tool : 'bash', input });
  };
  const script = follow(steps(project, bin), say);
  model.follow(({ results }) => script(results));
  const ofDriver = driver.args('Please go on.', world);
  const child = spawn(installed.bin, native?.args?.(ofDriver) ?? ofDriver, {
    cwd: work,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(said)));
  await Promise.race([ended, setTimeout(300_000)]);
  await endGroup({ child, ended });
  await model.close();
  if (process.env.SHOW) console.log(bin, project, said.slice(-600));
}

async function* steps(project: string, client: string): Conversation {
  for (const step of [...toolSteps, ...shellSteps]) yield callOf(project, client, step);
}

async function overHttp(project: string): Promise<void> {
  const args = [program, 'serve', '--http', '127.0.0.1:0', '--no-console'];
  const child = spawn(process.execPath, args, {
    cwd: folderOf(project),
    env: person,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  for await (const chunk of child.stderr) {
    said += chunk;
    if (/\/mcp[\s\S]*token +\S+\n/.test(said)) break;
  }
  child.stderr.resume();
  const url = /http:\/\/\S+\/mcp/.exec(said)?.[0] ?? '';
  const token = /token +(\S+)/.exec(said)?.[1] ?? '';
  const post = (method: string, params: object, session?: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const clientInfo = { name: 'a program', version: '1' };
  const hello = await post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  await hello.text();
  for (const step of httpSteps) {
    const { tool, input } = callOf(project, 'http', step);
    const name = tool === 'write_file' ? tool : 'bash';
    const reply = await post(
      'tools/call',
      { name, arguments: input },
      hello.headers.get('mcp-session-id') ?? '',
    );
    const words = await reply.text();
    if (process.env.SHOW) console.log(relative(home, folderOf(project)), words.slice(0, 200));
  }
  child.kill('SIGTERM');
}
