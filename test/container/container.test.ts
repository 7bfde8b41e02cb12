import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, test, vi } from 'vitest';
import { needs } from '../support/needs.ts';
import { hostBase } from './host-base.ts';
import { lackOfPodman, lackOfRootless, nobody, podman, podmanEnvironment } from './podman.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

/** The image built as a stranger builds it, and everything that people do with it, with a real engine. */
const repository = join(import.meta.dirname, '../..');
const sekisho = join(repository, 'dist/sekisho.js');
const folder = mkdtempSync(join(tmpdir(), 'sekisho-image-test-'));
const project = join(folder, 'project');
const lack = lackOfPodman() ?? (existsSync(sekisho) ? undefined : 'not built');
const environment = lack === undefined ? podmanEnvironment(folder) : {};
const image = `localhost/sekisho:${JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version}`;
const figures: string[] = [];

mkdirSync(project);
writeFileSync(join(project, 'a.txt'), 'one\ntwo\n');
if (lack === undefined) build();
const rootless = lack ?? lackOfRootless();
const home = join(folder, 'nobody');
const homeEnvironment = rootless === undefined ? openHome() : {};
/** While the other tests run. */
const loaded = rootless === undefined ? loadForNobody() : undefined;

afterAll(() => {
  if (figures.length > 0) console.log(figures.join('\n'));
  if (lack === undefined) spawnSync('podman', ['rm', '--all', '--force'], { env: environment });
  // Ends the process that holds the namespace for the next container of this user.
  if (rootless === undefined) asNobody('system', 'migrate');
  spawnSync('umount', [join(folder, 'store/overlay')], { stdio: 'ignore' });
  // Two stores of images: tens of thousands of files, one at a time, would take Node minutes on a busy machine.
  spawnSync('rm', ['-rf', folder]);
});

function build(): void {
  const dockerfile = readFileSync(join(repository, 'packaging/docker/Dockerfile'), 'utf8');
  const packages = /packages="([\w -]+)"/.exec(dockerfile)?.[1]?.split(' ') ?? [];
  const base = timed('base of installed packages', () => hostBase(folder, packages));
  timed('import', () => podman(environment, 'import', '--quiet', base, 'localhost/sekisho-base'));
  rmSync(base);
  const { status, stderr } = timed('sekisho image build', () =>
    run('image', 'build', '--engine', 'podman', '--base', 'localhost/sekisho-base'),
  );
  if (status !== 0) throw new Error(`The image is not built: ${stderr.slice(-2000)}`);
  const sizes = podman(environment, 'images', '--format', '{{.Repository}} {{.Size}}');
  figures.push(...sizes.split('\n').filter((line) => line.includes('sekisho')));
}

/** A home of nobody's with a project and an empty store; the variables for their podman. */
function openHome(): NodeJS.ProcessEnv {
  const own = join(home, 'project');
  const runtime = join(home, 'run');
  mkdirSync(own, { recursive: true });
  mkdirSync(runtime);
  writeFileSync(join(own, 'a.txt'), 'one\n');
  const variables = { ...podmanEnvironment(home), HOME: home, XDG_RUNTIME_DIR: runtime };
  chmodSync(folder, 0o711);
  for (const each of [home, own, runtime, join(home, 'store')]) chownSync(each, nobody.uid, nobody.gid);
  return variables;
}

function loadForNobody(): Promise<number | null> {
  const save = spawn('podman', ['save', '--quiet', image], {
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const options = { cwd: home, env: homeEnvironment, ...nobody };
  const load = spawn('podman', ['load', '--quiet'], { ...options, stdio: [save.stdout, 'ignore', 'ignore'] });
  return new Promise((resolve) => load.once('exit', resolve));
}

function asNobody(...args: readonly string[]) {
  return spawnSync('podman', args, {
    cwd: join(home, 'project'),
    env: homeEnvironment,
    encoding: 'utf8',
    ...nobody,
  });
}

function timed<T>(what: string, work: () => T): T {
  const startedMs = performance.now();
  const done = work();
  note(what, startedMs);
  return done;
}

function note(what: string, startedMs: number): void {
  figures.push(`${what}: ${Math.round(performance.now() - startedMs)} ms`);
}

function run(...args: readonly string[]) {
  return spawnSync(process.execPath, [sekisho, ...args], {
    cwd: project,
    env: environment,
    encoding: 'utf8',
  });
}

async function connected(...more: readonly string[]): Promise<Client> {
  const args = [sekisho, 'serve', '--profile', 'coding', '--root', project, ...more];
  const client = new Client({ name: 'container', version: '1' });
  const env = Object.fromEntries(Object.entries(environment).flatMap(([k, v]) => (v ? [[k, v]] : [])));
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: project, env, stderr: 'ignore' }),
  );
  return client;
}

test('a stdio client works through the container as it does directly', needs(lack), async () => {
  const words: string[][] = [];
  for (const runtime of ['container', 'host']) {
    const said: string[] = [];
    let startedMs = performance.now();
    const client = await connected('--runtime', runtime, '--state', join(folder, `state-${runtime}`));
    const ask = async (name: string, input: Record<string, unknown>) => {
      startedMs = performance.now();
      const { content } = await client.callTool({ name, arguments: input });
      note(`${runtime}: ${name}`, startedMs);
      said.push(content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n'));
    };
    await client.listTools();
    note(`${runtime}: start to tools/list`, startedMs);
    await ask('read_file', { path: 'a.txt' });
    await ask('edit_file', { path: 'a.txt', old_string: 'two', new_string: 'three' });
    await ask('bash', { command: 'pwd; id -u; cat a.txt; echo made > made.txt' });
    await ask('bash', { command: 'true' });
    await client.close();
    words.push(said);
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\nthree\n');
    expect(statSync(join(project, 'made.txt')).uid).toBe(process.getuid?.());
    writeFileSync(join(project, 'a.txt'), 'one\ntwo\n');
    rmSync(join(project, 'made.txt'));
  }
  expect(words[0]).toEqual(words[1]);
  expect(words[0]?.[2]).toContain(`${project}\n`);
  expect(podman(environment, 'ps', '--all', '--quiet')).toBe('');
});

test('an HTTP client reaches it at the address that it prints, and Ctrl-C ends it', needs(lack), async () => {
  const args = [sekisho, 'serve', '--http', '127.0.0.1:0', '--profile', 'coding', '--runtime', 'container'];
  const server = spawn(process.execPath, args, {
    cwd: project,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  const ended = new Promise<number | null>((resolve) => server.once('exit', resolve));
  try {
    await vi.waitFor(() => expect(said).toContain('Ctrl-C stops the server'), {
      timeout: 60_000,
      interval: 50,
    });
    const [, url = '', token = ''] = /address {3}(\S+)\n {2}token {5}(\S+)/.exec(said) ?? [];
    const client = new Client({ name: 'container', version: '1' });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    const { content } = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
    expect(JSON.stringify(content)).toContain('one');
    await client.close();
    // The lines to paste start this program here, not the one in the container.
    expect(said).toContain(JSON.stringify(sekisho));
    expect(said).toContain('"--runtime"');
    expect(said).not.toContain('0.0.0.0');
    const link = run('console', '--runtime', 'container');
    expect(link.stdout).toContain(url.replace('/mcp', '/login?code='));
  } finally {
    server.kill('SIGINT');
  }
  expect(await ended).toBe(0);
  expect(podman(environment, 'ps', '--all', '--quiet')).toBe('');
  // The records of that server are there for the next command.
  expect(run('audit', 'tail', '--runtime', 'container').stdout).toContain('read_file');
});

const sandboxes = (json: string) =>
  (JSON.parse(json) as { what: string; works: boolean }[])
    .filter(({ what }) => what.startsWith('sandbox'))
    .map(({ what, works }) => `${what.slice(8)}: ${works}`);

test('its sandboxes pass their self-test inside', needs(lack), () => {
  const { stdout } = timed('doctor in the container', () =>
    run('doctor', '--json', '--runtime', 'container'),
  );
  expect(sandboxes(stdout)).toEqual(['bubblewrap: true', 'landlock: true']);
  expect(stdout).toContain(`podman, ${image}`);
});

const bare = ['run', '--rm', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

test('Landlock holds where the container may make no namespaces, for any user', needs(lack), () => {
  const profile = join(folder, 'seccomp.json');
  const namespaces = {
    names: ['unshare', 'clone3', 'setns', 'mount'],
    action: 'SCMP_ACT_ERRNO',
    errnoRet: 38,
  };
  // CLONE_NEWUSER, as Docker's own profile masks it.
  const users = {
    names: ['clone'],
    action: 'SCMP_ACT_ERRNO',
    errnoRet: 1,
    args: [{ index: 0, value: 0x10000000, valueTwo: 0x10000000, op: 'SCMP_CMP_MASKED_EQ' }],
  };
  writeFileSync(profile, JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW', syscalls: [namespaces, users] }));
  const args = [
    ...bare,
    '--security-opt',
    `seccomp=${profile}`,
    '--user',
    '4242:4242',
    image,
    'doctor',
    '--json',
  ];
  const { status, stdout } = spawnSync('podman', args, { env: environment, encoding: 'utf8' });
  expect(status).toBe(0);
  expect(sandboxes(stdout)).toEqual(['bubblewrap: false', 'landlock: true']);
});

test('as the README runs it, any user is served', needs(lack), () => {
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'file_read', arguments: { path: 'a.txt' } } })}\n`;
  const args = [
    ...bare,
    '--interactive',
    '--user',
    '4242:4242',
    '-v',
    `${project}:/workspace`,
    image,
    'serve',
  ];
  const { stdout, stderr } = spawnSync('podman', args, { env: environment, encoding: 'utf8', input });
  expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringContaining('one') });
});

test('without root it runs as the docs say, and files are their owner’s', needs(rootless), async () => {
  expect(await loaded).toBe(0);
  const own = join(home, 'project');
  const { stdout, stderr } = asNobody(
    ...['run', '--rm', '--network', 'none', '--userns', 'keep-id', '--user', `${nobody.uid}:${nobody.gid}`],
    ...['seccomp', 'systempaths', 'apparmor'].flatMap((what) => ['--security-opt', `${what}=unconfined`]),
    ...['--volume', `${own}:/workspace`, image],
    ...['call', 'shell_exec', '{"command": "cp a.txt made.txt; ls -d /state"}'],
  );
  // Bubblewrap shows nothing of it; Landlock would let it be listed.
  expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringContaining('No such file') });
  expect(statSync(join(own, 'made.txt')).uid).toBe(nobody.uid);
});
