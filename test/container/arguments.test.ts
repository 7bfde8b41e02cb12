import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Engine, engineWithImage, ownImage, type Try } from '../../src/cli/container/engine.ts';
import { engineArguments, type Start } from '../../src/cli/container/engine-arguments.ts';
import { passedVariables, withoutSettings } from '../../src/cli/container/in-container.ts';
import { innerPath } from '../../src/cli/container/inner-path.ts';
import { mountsOf } from '../../src/cli/container/mounts.ts';
import { createProgram } from '../../src/cli/program/program.ts';
import { loadSettings } from '../../src/config/load.ts';
import { runtimeOf } from '../../src/config/runtime.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-container-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start: Start = {
  engine: 'docker',
  image: 'localhost/sekisho:1.0.0',
  platform: 'linux',
  user: { uid: 1000, gid: 100 },
  isRootless: false,
  mounts: [],
  isStateNamed: false,
  folder: '/home/me/project',
  variables: [],
  gpu: undefined,
  port: undefined,
  isTerminal: false,
  args: ['serve'],
};
const valuesOf = (args: readonly string[], flag: string) =>
  args.flatMap((arg, at) => (arg === flag ? [args[at + 1]] : []));

test('a container is read-only, has no capabilities, ends with its command, and is fetched from nowhere', () => {
  const args = engineArguments(start);
  expect(args.slice(0, 3)).toEqual(['run', '--rm', '--interactive']);
  expect(args).toContain('--read-only');
  expect(valuesOf(args, '--cap-drop')).toEqual(['ALL']);
  expect(valuesOf(args, '--pull')).toEqual(['never']);
  expect(valuesOf(args, '--security-opt')).toContain('no-new-privileges');
  expect(args.slice(-2)).toEqual(['localhost/sekisho:1.0.0', 'serve']);
});

test.each<[string, Start['engine'], readonly string[], readonly string[]]>([
  [
    'docker',
    'docker',
    ['/dev/dri', '/dev/kfd'],
    ['--device', '/dev/dri', '--device', '/dev/kfd', '--group-add', '44'],
  ],
  ['docker with NVIDIA', 'docker', ['/dev/nvidiactl'], ['--gpus', 'all', '--group-add', '44']],
  [
    'podman with NVIDIA',
    'podman',
    ['/dev/nvidiactl'],
    ['--device', 'nvidia.com/gpu=all', '--group-add', 'keep-groups'],
  ],
])('a container gets the graphics processors that the person lends: %s', (_, engine, nodes, expected) => {
  const args = engineArguments({ ...start, engine, gpu: { nodes, groups: [44] } });
  expect(args.join(' ')).toContain(expected.join(' '));
  const without = engineArguments({ ...start, engine }).join(' ');
  expect(without).not.toMatch(/--device|--gpus|--group-add/);
});

test.each<[string, Partial<Start>, readonly string[]]>([
  ['docker', {}, ['--user', '1000:100']],
  ['docker without root', { isRootless: true }, ['--user', '0:0']],
  ['podman', { engine: 'podman' }, ['--userns', 'keep-id', '--user', '1000:100']],
  ['podman as root', { engine: 'podman', user: { uid: 0, gid: 0 } }, ['--user', '0:0']],
  [
    'podman on a Mac',
    { engine: 'podman', platform: 'darwin', user: { uid: 501, gid: 20 } },
    ['--userns', 'keep-id'],
  ],
  ['docker on Windows', { platform: 'win32', user: undefined }, []],
])('what tools write is the person’s own: %s', (_, given, expected) => {
  const args = engineArguments({ ...start, ...given });
  const said = args.filter((arg, at) => /^--user/.test(arg) || /^--user/.test(args[at - 1] ?? ''));
  expect(said).toEqual(expected);
});

test('each account has a volume of its own, and a state folder that was named is used instead', () => {
  expect(valuesOf(engineArguments(start), '--volume')).toEqual(['sekisho-state-1000:/state']);
  expect(valuesOf(engineArguments({ ...start, isStateNamed: true }), '--volume')).toEqual([]);
});

test('a port is published where the person named it, and nowhere else', () => {
  const published = (host: string) =>
    valuesOf(engineArguments({ ...start, port: { host, port: 7040 } }), '--publish');
  expect(published('127.0.0.1')).toEqual(['127.0.0.1:7040:7040']);
  expect(published('::1')).toEqual(['[::1]:7040:7040']);
  expect(engineArguments(start)).not.toContain('--publish');
});

test('the settings are told anew, and everything else of a command line stays', () => {
  const program = createProgram(() => {});
  const find = (...names: string[]) =>
    names.reduce<Command>((at, name) => at.commands.find((each) => each.name() === name) ?? at, program);
  const kept = (line: string, ...names: string[]) =>
    withoutSettings(line.split(' '), find(...names)).join(' ');
  expect(kept('serve --root . --http 8080 --as boss --runtime container', 'serve')).toBe('serve --as boss');
  expect(kept('serve --http --profile=coding --no-console', 'serve')).toBe('serve --no-console');
  expect(kept('audit tail --state /x --lines 5 --follow', 'audit', 'tail')).toBe(
    'audit tail --lines 5 --follow',
  );
  expect(kept('run --root . -- ls --root x', 'run')).toBe('run -- ls --root x');
});

test.each([
  ['/Users/me/project', '/Users/me/project'],
  ['C:\\Users\\me\\my project', '/c/Users/me/my project'],
  ['d:/work', '/d/work'],
  ['--profile', '--profile'],
  ['coding', 'coding'],
])('%s is %s in the container', (outside, inside) => {
  expect(innerPath(outside)).toBe(inside);
});

const settingsOf = (flags: object) => loadSettings(flags, { HOME: '/nonexistent' }, folder);

test('folders are there under the names that the person and the client use', () => {
  mkdirSync(join(folder, 'real'));
  symlinkSync('real', join(folder, 'link'));
  const config = join(folder, 'sekisho.jsonc');
  writeFileSync(config, '{}');
  const mounts = mountsOf(settingsOf({ root: join(folder, 'link') }), [config], undefined);
  expect(mounts).toEqual([
    { outside: join(folder, 'real'), inside: join(folder, 'real'), writable: true },
    { outside: join(folder, 'real'), inside: join(folder, 'link'), writable: true },
    { outside: config, inside: config, writable: false },
  ]);
});

test('what is read-only outside is so inside, also in a writable folder', () => {
  mkdirSync(join(folder, 'a/generated'), { recursive: true });
  const config = join(folder, 'sekisho.jsonc');
  const roots = [join(folder, 'a'), { path: join(folder, 'a/generated'), writable: false }];
  writeFileSync(config, JSON.stringify({ roots }));
  expect(mountsOf(settingsOf({ config }), [], undefined)).toEqual([
    { outside: join(folder, 'a'), inside: join(folder, 'a'), writable: true },
    { outside: join(folder, 'a/generated'), inside: join(folder, 'a/generated'), writable: false },
  ]);
});

test.each(['/', '/etc', '/usr/share', '/tmp', '/proc'])('%s is not laid over the container’s own', (root) => {
  const given = { roots: [{ path: root, named: root, writable: true }], files: [] };
  const none = { process: { readable: [] }, vault: { root: '/nonexistent' } } as never;
  expect(() => mountsOf({ ...given, ...(none as object) } as never, [], undefined)).toThrow(
    'its own system is there',
  );
});

test.each([',ro', 'a,readonly=false', 'say "x"', 'two\nlines'])(
  'a name that an engine would misread is refused: %j',
  (name) => {
    const root = join(folder, name);
    mkdirSync(root);
    expect(() => mountsOf(settingsOf({ root }), [], undefined)).toThrow('cannot be mounted in the container');
  },
);

test('variables go along that a server reads or the configuration names, and none that are this machine’s', () => {
  const config = join(folder, 'sekisho.jsonc');
  writeFileSync(
    config,
    '{ "models": { "m": { "model": "m", "keyVariable": "MY_KEY" } }, "process": { "environment": ["HOME"] } }',
  );
  const environment = {
    MY_KEY: 'k',
    OTHER_KEY: 'o',
    HOME: '/home/me',
    PATH: '/bin',
    LD_PRELOAD: 'x',
    NODE_OPTIONS: '-r x',
    LANG: 'ja_JP.UTF-8',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x',
    SEKISHO_TOKEN: 't',
    SEKISHO_RUNTIME: 'container',
  };
  expect(passedVariables(environment, [config])).toEqual([
    'LANG',
    'MY_KEY',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'SEKISHO_TOKEN',
  ]);
});

test('flag, environment and file say where it runs; else only a machine without Linux has a container', () => {
  const config = join(folder, 'sekisho.jsonc');
  const of = (flags: object, environment: object, platform: NodeJS.Platform) => {
    const { runtime, isForced } = runtimeOf(flags, { HOME: '/nonexistent', ...environment }, platform);
    return isForced ? `${runtime}, forced` : runtime;
  };
  expect(of({}, {}, 'linux')).toBe('host');
  expect(of({}, {}, 'darwin')).toBe('container, forced');
  expect(of({}, {}, 'win32')).toBe('container, forced');
  expect(of({ runtime: 'host' }, {}, 'darwin')).toBe('host');
  expect(of({}, { SEKISHO_RUNTIME: 'container' }, 'linux')).toBe('container');
  writeFileSync(config, '{ "runtime": "container", "container": { "engine": "podman" } }');
  expect(of({ config }, {}, 'linux')).toBe('container');
  expect(of({ config, runtime: 'host' }, {}, 'linux')).toBe('host');
  expect(runtimeOf({ config }, { HOME: '/nonexistent' }, 'linux').engine).toBe('podman');
  expect(() => of({}, { SEKISHO_RUNTIME: 'vm' }, 'linux')).toThrow(
    'runtime must be one of host, container, got "vm".',
  );
});

/** Engines by what they answer: to `image inspect`, and to `info`. */
function engines(states: Partial<Record<Engine['name'], { image: number; info: number }>>): Try {
  return (name, [what]) => (what === 'image' ? states[name]?.image : states[name]?.info);
}
const none = { engine: undefined, image: undefined };
const asked = (states: Parameters<typeof engines>[0], choice = {}) =>
  engineWithImage({ ...none, ...choice }, 'npx sekisho', engines(states));

test('the engine that has the image starts it', () => {
  expect(asked({ podman: { image: 0, info: 0 } })).toEqual({ name: 'podman', image: ownImage() });
  expect(asked({ docker: { image: 1, info: 1 }, podman: { image: 0, info: 0 } }).name).toBe('podman');
  expect(() => asked({ podman: { image: 0, info: 0 } }, { engine: 'docker' })).toThrow(
    'A container needs docker, and',
  );
});

test('what is missing is named, and how it is had', () => {
  expect(() => asked({})).toThrow('A container needs docker or podman, and the PATH has none.');
  expect(() => asked({ docker: { image: 1, info: 1 } })).toThrow(
    'docker is installed but does not respond: start Docker',
  );
  expect(() => asked({ podman: { image: 1, info: 0 } })).toThrow(
    `podman has no image ${ownImage()}. \`npx sekisho image build\` makes it.`,
  );
  expect(() => asked({ docker: { image: 1, info: 0 } }, { image: 'registry.example.com/sekisho:1' })).toThrow(
    '`docker pull registry.example.com/sekisho:1` fetches it.',
  );
});
