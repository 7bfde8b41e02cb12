import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Command } from 'commander';
import { loadSettings } from '../../config/load.ts';
import { type Outside, outsideVariable } from '../../config/outside.ts';
import { placeFlags, repeatSettings } from '../../config/repeat.ts';
import type { RuntimeChoice } from '../../config/runtime.ts';
import type { Flags, Settings } from '../../config/settings.ts';
import { ConfigError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { isInside } from '../../ground/inside.ts';
import { accountName } from '../common/account-name.ts';
import { flagsOf } from '../common/options.ts';
import { ownCommand, ownName, ownProgram } from '../common/own-command.ts';
import { note } from '../common/say.ts';
import { nameOf } from '../program/help.ts';
import { addressOf } from '../serving/address.ts';
import { type Engine, engineWithImage } from './engine.ts';
import { engineArguments } from './engine-arguments.ts';
import { innerPath } from './inner-path.ts';
import { mountsOf } from './mounts.ts';
import { notInside } from './not-inside.ts';
import { withoutSettings } from './own-arguments.ts';
import { namedState, ownFilesOf } from './own-files.ts';
import { runEngine } from './run-engine.ts';
import { passedVariables } from './variables.ts';

type Options = Readonly<Record<string, unknown>>;

/**
 * Runs this command line in a container and returns its exit code: the folders of its settings are mounted under their
 * own names, its state is in a volume, its port is published, and input, output and signals are passed through. Throws
 * `ConfigError` if that is not possible.
 */
export async function runInContainer(
  args: readonly string[],
  command: Command,
  choice: RuntimeChoice,
): Promise<number> {
  const refusal = notInside[nameOf(command)];
  if (refusal) throw new ConfigError(refusal);
  const options: Options = command.optsWithGlobals();
  const flags = flagsOf(options);
  const settings = loadSettings(flags);
  const engine = engineWithImage(choice, ownProgram());
  if (choice.isForced && tellsOfIt.has(command.name())) note(noLinux(engine));
  const address =
    options.http === undefined ? undefined : await freeAddress(addressOf(options.http, settings));
  const files = ownFilesOf(flags, process.env);
  const state = namedState(settings, process.env);
  if (state) mkdirSync(state, { recursive: true, mode: 0o700 });
  const repeated = repeatSettings(
    { ...flags, config: files.config, envFile: files.variables, state },
    settings,
    // This machine's state folder does not apply in the container.
    { ...process.env, XDG_STATE_HOME: undefined },
  );
  const variables = {
    ...(files.servers && { MCP_CONFIG_PATH: innerPath(files.servers) }),
    ...(files.authorities && { NODE_EXTRA_CA_CERTS: innerAuthorities }),
  };
  const outside: Outside = {
    name: ownName(),
    program: ownProgram(),
    user: accountName(),
    stdio: sameServer(options, flags, settings),
    where: `${placeFlags(flags)}${runtimeArgs(options)
      .map((arg) => ` ${arg}`)
      .join('')}`,
    container: `${engine.name}, ${engine.image}`,
    address,
  };
  const started = engineArguments({
    engine: engine.name,
    image: engine.image,
    platform: process.platform,
    user: personOf(process),
    isRootless: isDockerRootless(engine),
    mounts: [
      ...mountsOf(
        settings,
        [files.config, files.variables, files.servers].flatMap((path) => path ?? []),
        state,
      ),
      ...(files.authorities
        ? [{ outside: files.authorities, inside: innerAuthorities, writable: false }]
        : []),
    ],
    isStateNamed: state !== undefined,
    folder: innerPath(folderOf(settings)),
    variables: [
      ...passedVariables(
        process.env,
        [files.config, files.servers].flatMap((path) => path ?? []),
      ),
      ...Object.keys(variables),
    ],
    port: address,
    isTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
    args: [
      ...withoutSettings(args, command),
      ...(address ? ['--http', `0.0.0.0:${address.port}`] : []),
      ...repeated.args.map(innerPath),
    ],
  });
  return runEngine(engine.name, started, {
    ...process.env,
    ...variables,
    [outsideVariable]: JSON.stringify(outside),
  });
}

/** The path in the container, whatever the path outside. */
const innerAuthorities = '/run/sekisho-authorities.pem';

const tellsOfIt = new Set(['serve', 'doctor']);

function noLinux({ name, image }: Engine): Text {
  return text(
    `This machine has no Linux kernel, so Sekisho runs in a container (${name}, ${image}).`,
    `このマシンには Linux カーネルがないため、Sekisho はコンテナー（${name}、${image}）で動きます。`,
  );
}

/** The lines to paste: they start this same program, which starts the container. */
function sameServer(options: Options, flags: Flags, settings: Settings): Outside['stdio'] {
  const { args, env } = repeatSettings(flags, settings);
  const role = options.as === undefined ? [] : ['--as', String(options.as)];
  const { command, args: whole } = ownCommand(['serve', ...args, ...role, ...runtimeArgs(options)]);
  return { command, args: [...whole], ...(Object.keys(env).length > 0 && { env: { ...env } }) };
}

/** Left out if the file or the machine already decides it. */
function runtimeArgs({ runtime }: Options): readonly string[] {
  return runtime === undefined ? [] : ['--runtime', String(runtime)];
}

/** The current folder if the container has it, else its first folder. */
function folderOf({ roots }: Settings): string {
  const cwd = process.cwd();
  const isShown = roots.some(({ path }) => isInside(cwd, path));
  return isShown ? cwd : (roots[0]?.path ?? '/workspace');
}

function personOf({ getuid, getgid }: NodeJS.Process): { uid: number; gid: number } | undefined {
  return getuid && getgid ? { uid: getuid(), gid: getgid() } : undefined;
}

/** Rootless Docker maps its root to the person, and every other number to an unrelated one. */
function isDockerRootless({ name }: Engine): boolean {
  if (name !== 'docker' || process.platform !== 'linux') return false;
  const { stdout } = spawnSync('docker', ['info', '--format', '{{.SecurityOptions}}'], { encoding: 'utf8' });
  return String(stdout).includes('name=rootless');
}

/** The port is published by its number, so a free one is found here if none was named. */
async function freeAddress(address: { host: string; port: number }): Promise<{ host: string; port: number }> {
  if (address.port !== 0) return address;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, address.host, resolve);
  });
  const bound = server.address();
  await new Promise((resolve) => server.close(resolve));
  return { ...address, port: typeof bound === 'object' && bound ? bound.port : 0 };
}
