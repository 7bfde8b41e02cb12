import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { findGpu } from '../../config/gpu.ts';
import { loadSettings } from '../../config/load.ts';
import { type Outside, outsideVariable } from '../../config/places/outside.ts';
import { configFolderOf, configPathOf, homeOf, stateFolderOf } from '../../config/places/state.ts';
import { placeFlags, repeatSettings } from '../../config/repeat.ts';
import type { EngineName, RuntimeChoice } from '../../config/runtime.ts';
import type { Flags, Settings } from '../../config/settings.ts';
import { ConfigError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { isInside } from '../../ground/inside.ts';
import { orElse } from '../../ground/or-else.ts';
import { accountName } from '../common/account-name.ts';
import { type Options, settingsHeading } from '../common/options.ts';
import { ownCommand, ownName, ownProgram } from '../common/own-command.ts';
import { note } from '../common/say.ts';
import { nameOf } from '../program/help.ts';
import { addressOf } from '../serving/address.ts';
import { type Engine, engineWithImage } from './engine.ts';
import { engineArguments } from './engine-arguments.ts';
import { innerPath } from './inner-path.ts';
import { mountsOf } from './mounts.ts';
import { notInside } from './not-inside.ts';

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
  const flags: Flags = options;
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
    gpu: settings.process.devices.includes('gpu') ? findGpu() : undefined,
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

/** A command line without the common settings and `--http`, which are added again with the container's values. */
export function withoutSettings(args: readonly string[], command: Command): readonly string[] {
  const dropped = command.options.filter(
    ({ helpGroupHeading, long }) => helpGroupHeading === settingsHeading.en || long === '--http',
  );
  const kept: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') return [...kept, ...args.slice(at)];
    const option = dropped.find(({ long }) => arg === long || arg.startsWith(`${long}=`));
    if (!option) {
      kept.push(arg);
      continue;
    }
    const takesNext = arg === option.long && (option.required || (option.optional && isValue(args[at + 1])));
    if (takesNext) at++;
  }
  return kept;
}

function isValue(arg: string | undefined): boolean {
  return arg !== undefined && !arg.startsWith('-');
}

/** Files outside every root that the server reads at start, each if it exists. */
function ownFilesOf(flags: Flags, environment: NodeJS.ProcessEnv) {
  const home = homeOf(environment);
  const there = (path: string | undefined) => (path && existsSync(path) ? resolve(path) : undefined);
  return {
    config: there(configPathOf(flags.config, environment, home, process.cwd())),
    variables: there(flags.envFile ?? join(configFolderOf(environment, home), '.env')),
    /** The list of servers that `MCP_CONFIG_PATH` names. */
    servers: there(environment.MCP_CONFIG_PATH),
    /** A company's certificate authorities. */
    authorities: there(environment.NODE_EXTRA_CA_CERTS),
  };
}

/** The state folder, if a flag or the file named one; otherwise a volume has the state. */
function namedState(
  { stateFolder, roots }: Pick<Settings, 'stateFolder' | 'roots'>,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const usual = stateFolderOf(roots[0]?.path ?? '/', environment, homeOf(environment));
  return stateFolder === usual ? undefined : stateFolder;
}

/**
 * Starts the engine with this process's own input, output and terminal, forwards signals, and returns its exit code,
 * which is that of the command in the container. Rejects if it cannot be started.
 */
function runEngine(
  engine: EngineName,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(engine, args, { stdio: 'inherit', env: environment, windowsHide: true });
    // Ctrl-C reaches the engine from the terminal as well; a server takes both as one.
    const forward = (signal: NodeJS.Signals) => child.kill(signal);
    const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
    for (const signal of signals) process.on(signal, forward);
    const forget = () => {
      for (const signal of signals) process.off(signal, forward);
    };
    child.once('error', (error) => {
      forget();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      forget();
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

/**
 * Names of the variables that go into the container: those that every server reads, and those that the given files
 * name, such as a model's `keyVariable`. Variables for programs' and homes' paths do not apply there.
 */
export function passedVariables(environment: NodeJS.ProcessEnv, files: readonly string[]): readonly string[] {
  const named = new Set(
    files.flatMap((file) => orElse(() => readFileSync(file, 'utf8'), '').match(/[A-Za-z_]\w*/g) ?? []),
  );
  return Object.keys(environment)
    .filter((name) => !ofThisMachine.test(name) && (read.test(name) || named.has(name)))
    .sort();
}

const read =
  /^(?:SEKISHO_TOKEN|OTEL_\w+|MCP_\w+|HARD_MAX_CHARS|VAULT_\w+|ZAI_API_KEY|PG\w+|LANG|LC_\w+|TZ|TERM|NO_COLOR|COLUMNS|(?:HTTPS?|NO|ALL)_PROXY|(?:https?|no|all)_proxy)$/;

const ofThisMachine =
  /^(?:PATH|HOME|PWD|OLDPWD|SHELL|USER|LOGNAME|TMPDIR|TEMP|TMP|XDG_\w+|NODE_\w+|LD_\w+|DYLD_\w+|SEKISHO_(?:OUTSIDE|RUNTIME)|MCP_CONFIG_PATH)$/i;
