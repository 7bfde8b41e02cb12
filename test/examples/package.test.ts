import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, test, vi } from 'vitest';
import { writeBundle } from '../../scripts/mcpb-bundle.ts';
import type { mcpbManifest } from '../../scripts/mcpb-manifest.ts';
import { composeNotices } from '../../scripts/notices.ts';
import { toolsetNames } from '../../src/config/toolset-names.ts';
import { needs, programs } from '../support/needs.ts';

// Thousands of files are packed, installed and packed again.
vi.setConfig({ testTimeout: 180_000 });

/** What npm would publish, installed in an empty folder as a stranger would, and used from there. */
const run = promisify(execFile);
const repository = join(import.meta.dirname, '../..');
const home = mkdtempSync(join(tmpdir(), 'sekisho-package-'));
const place = join(home, 'place');
const root = join(home, 'root');
const binary = join(place, 'node_modules/.bin/sekisho');
const environment = { HOME: home, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' };

const packed = await pack();
const problem = await install();
const lack = problem && `npm cannot install here: ${problem}`;

afterAll(() => rmSync(home, { recursive: true, force: true }));

test('only what runs is in it, and it is small', () => {
  const allowed =
    /^(dist\/.*\.(js|d\.ts)|dist\/chunks\/console\/[\w-]+\.(css|svg|png)|dist\/grammars\/[\w-]+\.wasm(\.br)?|dist\/THIRD-PARTY\.txt|docs\/[\w.-]+\.(md|json|1|png|svg)|packaging\/(docker\/Dockerfile|README\.md)|package\.json|README(\.ja)?\.md|(CHANGELOG|SECURITY)\.md|LICENSE)$/;
  expect(packed.files.map(({ path }) => path).filter((path) => !allowed.test(path))).toEqual([]);
  expect(packed.files.map(({ path }) => path)).toContain('dist/sekisho.js');
  expect(packed.size).toBeLessThan(4 * 1024 * 1024);
});

test('installed it takes 60 MB at most', needs(lack), () => {
  const { stdout } = spawnSync('du', ['-sm', '--apparent-size', join(place, 'node_modules')], {
    encoding: 'utf8',
  });
  console.log(`installed: ${stdout.split('\t')[0]} MB`);
  expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(60);
});

test('the licences of what is bundled come along', () => {
  const notices = readFileSync(join(repository, 'dist/THIRD-PARTY.txt'), 'utf8');
  for (const name of ['@vscode/tree-sitter-wasm', 'commander', 'htmx.org', 'kysely', 'zod'])
    expect(notices).toContain(`\n${name} `);
  const sections = notices.split(/\n-{80}\n/).slice(1);
  expect(new Set(sections).size).toBe(sections.length);
  // A name alone is no licence.
  for (const words of sections)
    expect(words).toMatch(
      /Permission|Redistribution|Licensed under|TERMS AND CONDITIONS|public domain|Blue Oak Model License/,
    );
});

test('what is bundled without a licence is not built', () => {
  const folder = join(home, 'node_modules/nameless');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name":"nameless","version":"1.0.0"}');
  expect(() => composeNotices([folder])).toThrow('nameless is bundled, and has no licence.');
});

test(`\`npx sekisho --version\` says the version`, needs(lack), async () => {
  const { stdout } = await run('npx', ['--no-install', 'sekisho', '--version'], {
    cwd: place,
    env: npmEnvironment(),
  });
  expect(stdout).toBe(`${versionOf(repository)}\n`);
});

test('every toolset works from it, threads and processes of its own too', needs(lack), async () => {
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'hay\nneedle\nhay\n');
  writeFileSync(join(root, 'code.ts'), 'export function passTheGate() { return 1; }\n');
  const site = createServer((_, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end('<title>Gate</title><main><h1>Gate</h1><p>Open.</p></main>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  const config = join(home, 'sekisho.jsonc');
  writeFileSync(
    config,
    JSON.stringify({ web: { allowPrivate: [host] }, assistant: { layout: 'workspace' } }),
  );
  const client = new Client({ name: 'package', version: '1' });
  const where = ['--root', root, '--state', join(home, 'state'), '--config', config];
  const args = ['serve', '--toolsets', toolsetNames.join(','), ...where];
  await client.connect(new StdioClientTransport({ command: binary, args, cwd: place, env: environment }));
  try {
    const words = async (name: string, input: Record<string, unknown>) => {
      const { content } = await client.callTool({ name, arguments: input });
      return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
    };
    expect(await words('file_read', { path: 'a.txt' })).toContain('needle');
    // ripgrep
    expect(await words('grep', { pattern: 'needle' })).toContain('a.txt');
    // a thread
    expect(await words('web_fetch', { url: `http://${host}/` })).toContain('Open.');
    // SQLite
    await words('remember', { content: 'The gate is open.' });
    expect(await words('recall', { query: 'gate' })).toContain('The gate is open.');
    expect(await words('vault_create', { path: 'note.md', content: '# Note\n' })).toContain('note.md');
    // a process with its grammars
    expect(await words('shelpa_pipe', { command: 'ctree_generate code.ts' })).toContain('passTheGate');
    expect(await words('shelpa_pipe', { command: 'rg needle a.txt | wc -l' })).toContain('1');
  } finally {
    await client.close();
    site.close();
  }
});

test('its sandboxes start', needs(lack), async () => {
  const here = spawnSync(process.execPath, [join(repository, 'src/cli/start.ts'), 'doctor', '--json'], {
    cwd: home,
    env: environment,
    encoding: 'utf8',
  });
  const there = spawnSync(binary, ['doctor', '--json'], { cwd: home, env: environment, encoding: 'utf8' });
  // Whatever works in development works from the package: the thread that loads the kernel's interface, and koffi.
  expect(sandboxesOf(there.stdout)).toEqual(sandboxesOf(here.stdout));
});

test("the library serves a tool of its user's own", needs(lack), async () => {
  const program = join(place, 'own.ts');
  writeFileSync(program, ownToolset);
  const { stdout } = await run(process.execPath, [program], { cwd: place, env: environment });
  expect(JSON.parse(stdout)).toEqual({ greeting: 'Hello, Hana.', described: 'Whom, e.g. "Hana".' });
});

test('its types are taken by a TypeScript project', needs(lack), () => {
  const folder = join(place, 'typed');
  mkdirSync(folder);
  symlinkSync(join(repository, 'node_modules/@types'), join(place, 'node_modules/@types'));
  writeFileSync(join(folder, 'main.mts'), librarySample());
  const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.mts'] }));
  const tsc = join(repository, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8', timeout: 120_000 });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

test('the program of docs/library.md runs', needs(lack), () => {
  const program = join(place, 'sample.ts');
  const folder = join(home, 'sample');
  mkdirSync(folder);
  writeFileSync(program, librarySample().replace('/srv/project', folder));
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'greet', arguments: { name: 'Hana' } },
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
    cwd: place,
    env: environment,
    input: `${JSON.stringify(call)}\n`,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    id: 1,
    result: { structuredContent: { greeting: 'Hello, Hana.' } },
  });
});

test('a bundle for desktop clients starts as its manifest says', needs(lack, programs('unzip')), async () => {
  const archive = join(home, 'sekisho.mcpb');
  const unpacked = join(home, 'unpacked');
  const { bytes } = await writeBundle(place, archive);
  await run('unzip', ['-q', archive, '-d', unpacked]);
  const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')) as Awaited<
    ReturnType<typeof mcpbManifest>
  >;
  const chosen: Record<string, string> = {
    __dirname: unpacked,
    'user_config.folder': home,
    'user_config.mode': 'read-only',
  };
  const args = manifest.server.mcp_config.args.map((arg) =>
    arg.replace(/\$\{([\w.]+)\}/g, (_, name: string) => chosen[name] ?? ''),
  );
  const client = new Client({ name: 'desktop', version: '1' });
  const env = { ...environment, HOME: join(home, 'state') };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: unpacked, env }));
  const grep = await client.callTool({ name: 'grep', arguments: { pattern: 'needle', path: 'root' } });
  const { tools } = await client.listTools();
  await client.close();

  expect(manifest.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(tools.map(({ name }) => name)),
  );
  expect(JSON.stringify(grep.content)).toContain('a.txt');
  expect(bytes).toBeLessThan(40 * 1024 * 1024);
});

const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find(
  (path) => existsSync(path) && majorOf(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout) < 24,
);

test('an older Node says so in one line', needs(oldNode === undefined ? 'no older Node' : undefined), () => {
  const start = join(repository, 'dist/sekisho.js');
  const { status, stdout, stderr } = spawnSync(oldNode ?? '', [start, 'serve'], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(
    /^sekisho needs Node 24 or newer; this is v\d+\.\d+\.\d+\. `npx -p node@24 node .*` brings one\.\n$/,
  );
});

const ownToolset = `
import { defineTool, defineToolset, loadSettings, openCheckpoint, text } from 'sekisho';
import { z } from 'zod';
const greet = defineTool({
  name: 'greet', category: 'examples', title: text('Greet', '挨拶'), description: text('Greets.', '挨拶します。'),
  permission: 'authenticated',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: [],
  input: z.object({ name: z.string().describe('Whom, e.g. "Hana".') }),
  output: z.object({ greeting: z.string() }),
  ja: {},
  example: { name: 'Hana' },
  run: async ({ name }) => ({ greeting: \`Hello, \${name}.\` }),
});
const checkpoint = await openCheckpoint(loadSettings({ toolsets: [] }), { toolsets: [defineToolset('own', [greet])] });
const arrival = { transport: 'cli' };
const { tools } = await checkpoint.gateway.list(arrival);
const call = { tool: 'greet', input: { name: 'Hana' }, arrival, signal: new AbortController().signal };
const reply = await checkpoint.gateway.call(call);
const listed = tools.find((tool) => tool.name === 'greet').inputSchema('en');
console.log(JSON.stringify({ ...reply.structured, described: listed.properties.name.description }));
await checkpoint.close();
`;

async function pack(): Promise<{ file: string; size: number; files: readonly { path: string }[] }> {
  if (!existsSync(join(repository, 'dist/sekisho.js')) || !existsSync(join(repository, 'dist/index.d.ts'))) {
    await run(process.execPath, ['scripts/build.ts'], { cwd: repository });
  }
  // Scripts would build into the folder that other tests run from.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', home];
  const { stdout } = await run('npm', args, { cwd: repository, maxBuffer: 1 << 25 });
  const report: unknown = JSON.parse(stdout);
  // npm 11 and later answer by name, before that in a list.
  const [first] = Object.values(report as object) as {
    filename: string;
    size: number;
    files: { path: string }[];
  }[];
  if (!first) throw new Error('npm packed nothing.');
  return { file: join(home, first.filename), size: first.size, files: first.files };
}

function librarySample(): string {
  const page = readFileSync(join(repository, 'docs/library.md'), 'utf8');
  return /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
}

/** What npm says against it, or undefined. */
async function install(): Promise<string | undefined> {
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), '{ "private": true, "type": "module" }\n');
  // What everything below shows to work needs no script of any package.
  const args = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', packed.file];
  try {
    await run('npm', args, { cwd: place, timeout: 300_000 });
    return undefined;
  } catch (error) {
    return /npm error code (\w+)/.exec(String((error as { stderr?: string }).stderr))?.[1] ?? 'it failed';
  }
}

/** npm keeps its own home: its cache and its settings are there. */
function npmEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, HOME: userInfo().homedir, NODE_OPTIONS: '' };
}

function versionOf(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

function majorOf(version: string): number {
  return Number(/^v(\d+)/.exec(version)?.[1] ?? Number.NaN);
}

function sandboxesOf(json: string): unknown {
  const findings = JSON.parse(json) as { what: string; works: boolean }[];
  return findings.filter(({ what }) => what.startsWith('sandbox')).map(({ what, works }) => [what, works]);
}
