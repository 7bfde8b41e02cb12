import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { mcpbManifest } from '../../scripts/mcpb-manifest.ts';
import { createProgram } from '../../src/cli/program/program.ts';
import { configSchema } from '../../src/config/schema.ts';
import { needs, programs } from '../support/needs.ts';

const serve = createProgram(() => {}).commands.find((command) => command.name() === 'serve') ?? new Command();
const text = z.string().min(1);

/** What the registry's schema (2025-12-11) asks of the fields that are used here. */
const registryEntry = z.strictObject({
  $schema: z.url(),
  name: text.max(200).regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: text.max(100),
  description: text.max(100),
  version: text.max(255),
  packages: z.array(
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: text,
      version: text.max(255),
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      packageArguments: z.array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('positional'), value: text }),
          z.strictObject({
            type: z.literal('named'),
            name: text,
            description: text,
            format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
            default: z.string().optional(),
            choices: z.array(z.string()).optional(),
          }),
        ]),
      ),
    }),
  ),
});

test('server.json is what the registry takes, and says what the package says', () => {
  const entry = registryEntry.parse(JSON.parse(readFileSync('packaging/server.json', 'utf8')));
  const [npm] = entry.packages;
  expect([entry.name, entry.version]).toEqual([packageJson.mcpName, packageJson.version]);
  expect([npm?.identifier, npm?.version]).toEqual([packageJson.name, packageJson.version]);
  for (const argument of npm?.packageArguments ?? []) {
    if (argument.type === 'positional') continue;
    const option = serve.options.find((each) => each.long === argument.name);
    expect(option, argument.name).toBeDefined();
    for (const choice of argument.choices ?? []) expect(option?.argChoices).toContain(choice);
  }
});

/** MCPB manifest 0.3, as far as it is used. */
const bundleManifest = z.strictObject({
  manifest_version: z.literal('0.3'),
  name: text,
  display_name: text,
  version: text,
  description: text,
  author: z.strictObject({ name: text }),
  license: text,
  keywords: z.array(text),
  server: z.strictObject({
    type: z.literal('node'),
    entry_point: text,
    mcp_config: z.strictObject({ command: text, args: z.array(text), env: z.record(text, z.string()) }),
  }),
  tools: z.array(z.strictObject({ name: text, description: text })),
  tools_generated: z.boolean(),
  compatibility: z.strictObject({
    platforms: z.array(z.enum(['darwin', 'win32', 'linux'])),
    runtimes: z.strictObject({ node: text }),
  }),
  user_config: z.record(
    text,
    z.strictObject({
      type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
      title: text,
      description: text,
      required: z.boolean().optional(),
      default: z.string().optional(),
    }),
  ),
});

test('the manifest of the bundle is what clients take, and asks for what it uses', async () => {
  const manifest = bundleManifest.parse(await mcpbManifest(packageJson, 'linux'));
  const used = manifest.server.mcp_config.args.flatMap(
    (arg) => /\$\{user_config\.(\w+)\}/.exec(arg)?.[1] ?? [],
  );
  expect(used.sort()).toEqual(Object.keys(manifest.user_config).sort());
  expect(manifest.tools.map(({ name }) => name)).toContain('read_file');
});

test.each(['docker/Dockerfile', 'docker/compose.yaml', 'systemd/sekisho.service'])(
  'packaging/%s starts the server with options that it has',
  (file) => {
    const words = readFileSync(`packaging/${file}`, 'utf8');
    const line = words.split('\n').find((each) => /^(CMD|ExecStart=|\s*command:)/.test(each)) ?? '';
    const flags = line.match(/--[a-z-]+/g) ?? [];
    expect(flags).toContain('--http');
    expect(serve.options.map((option) => option.long)).toEqual(expect.arrayContaining(flags));
  },
);

test('the configuration beside compose.yaml is one', () => {
  const value: unknown = parse(readFileSync('packaging/docker/sekisho.jsonc', 'utf8'));
  expect(configSchema.safeParse(value).error).toBeUndefined();
});

test('the image is built from files that exist', () => {
  const ignore = readFileSync('packaging/docker/Dockerfile.dockerignore', 'utf8');
  const taken = ignore.split('\n').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  expect(taken.filter((path) => !existsSync(path))).toEqual([]);
  for (const path of packageJson.files.filter((each) => each !== 'dist')) expect(taken).toContain(path);
});

test('systemd takes the unit', needs(programs('systemd-analyze')), () => {
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', 'packaging/systemd/sekisho.service'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
