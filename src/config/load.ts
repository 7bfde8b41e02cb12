import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from '../contract/error.ts';
import { limits } from '../contract/limits.ts';
import { locales, text } from '../contract/text/text.ts';
import type { ServerSettings } from '../contract/upstream.ts';
import { shellQuote } from '../ground/shell-quote.ts';
import { readConfig } from './file/file.ts';
import { whyUnreadable } from './file/why-unreadable.ts';
import { historyOf } from './history.ts';
import { localeOf } from './locale.ts';
import { assertMakeable } from './makeable.ts';
import { memoryOf } from './memory.ts';
import { modelsOf } from './models.ts';
import { hostsOf } from './network-sets.ts';
import { notifyOf, publicUrlOf } from './notify.ts';
import { oauthTrustOf } from './oauth.ts';
import { workingRates } from './profiles.ts';
import { assertNotOwn, assertOutside, existingFolder, insideOf, type Roots, rootsOf } from './roots.ts';
import { rulesOf } from './rules.ts';
import type { ConfigFile } from './schema.ts';
import { outsideOfRoots, readServers } from './servers/servers.ts';
import type { Flags, Settings } from './settings.ts';
import { configFolderOf, homeOf, stateFolderOf } from './state.ts';
import {
  defaultToolsets,
  type SingleTool,
  singleToolPrefix,
  singleTools,
  type ToolsetName,
  toolsetNames,
} from './toolset-names.ts';
import { defaultVaultRoot } from './vault-root.ts';

/** Throws `ConfigError`, naming the key and the value, for anything that cannot be meant. */
export function loadSettings(
  flags: Flags,
  environment: NodeJS.ProcessEnv = process.env,
  cwd: string = process.cwd(),
  purpose: 'serve' | 'ask' = 'serve',
): Settings {
  const home = homeOf(environment);
  const { config, rulesAt } = readConfig(flags, environment, home, cwd);
  // A shell keeps the name by which one came into a folder, and clients send paths that begin with it.
  const { roots, files } = rootsOf(flags, config, cwd, environment.PWD);
  const stateFolder = resolve(
    cwd,
    flags.state ?? config.state ?? stateFolderOf(roots[0].path, environment, home),
  );
  assertOutside(stateFolder, roots, 'state');
  const storeUrl = config.store?.url ?? `sqlite:${join(stateFolder, 'sekisho.db')}`;
  assertMakeable(stateFolder, text('the state folder', '状態フォルダー'));
  if (storeUrl.startsWith('sqlite:/'))
    assertMakeable(storeUrl.slice('sqlite:'.length), text('the database', 'データベース'));
  const own = [
    dirname(stateFolderOf(roots[0].path, environment, home)),
    stateFolder,
    configFolderOf(environment, home),
    ...[flags.config, flags.envFile].flatMap((path) => (path ? [resolve(cwd, path)] : [])),
  ];
  assertNotOwn(files, own);
  const only = onlyOf(flags.only);
  const toolsets = only ? [singleTools[only].toolset] : toolsetsOf(flags, config, purpose);
  const sandbox = oneOf('--sandbox', flags.sandbox ?? config.process?.sandbox ?? 'required', [
    'required',
    'off',
  ]);
  return Object.freeze({
    roots,
    files,
    startedIn: flags.root === undefined && config.roots === undefined ? roots[0].named : undefined,
    protectedNames: config.protectedNames ?? [],
    toolsets,
    only,
    mode: oneOf('--mode', flags.mode ?? config.mode ?? 'workspace-write', [
      'read-only',
      'workspace-write',
      'full-access',
    ]),
    locale: oneOf('--locale', flags.locale ?? config.locale ?? localeOf(environment), locales),
    stateFolder,
    recordFlags: recordFlagsOf(flags, config, roots[0].path, cwd),
    hiddenPaths: insideOf(roots, own),
    storeUrl,
    http: {
      host: config.http?.host ?? '127.0.0.1',
      port: config.http?.port ?? 7040,
      allowedHosts: config.http?.allowedHosts ?? [],
      allowedOrigins: config.http?.allowedOrigins ?? [],
      maxBodyBytes: config.http?.maxBodyBytes ?? limits.httpBodyBytes,
      oauth: oauthTrustOf(config.http?.oauth),
      console: config.http?.console ?? true,
      publicUrl: publicUrlOf(config.http?.publicUrl),
      drainMs: config.http?.drainMs ?? 0,
      roots: config.http?.roots ?? 'own',
    },
    notify: notifyOf(config.notify, {
      environment: config.notify ? variablesOf(flags, { environment, home, cwd, roots }) : {},
      workspaceFolder: roots[0].path,
    }),
    ...rulesOf(config.rules, rulesAt),
    rateRules: (config.rateLimits ?? defaultRatesOf(config)).map((rule, index) => ({
      id: `rateLimits.${index}`,
      toolsets: rule.toolsets,
      appliesTo: rule.appliesTo ?? 'remote',
      perMinute: rule.perMinute,
    })),
    approval: {
      waitMs: config.approval?.waitMs ?? limits.approvalWaitMs,
      expiryMs: config.approval?.expiryMs ?? limits.approvalExpiryMs,
    },
    process: {
      sandbox,
      environment: config.process?.environment ?? [],
      readable: (config.process?.readable ?? []).map((path) => existingFolder(resolve(cwd, path))),
      network: hostsOf(config.process?.network ?? []),
      networkAsNamed: config.process?.network ?? [],
      judgement: config.process?.judgement,
      tryFirst: config.process?.tryFirst ?? config.process?.layer !== 'off',
      cacheBytes: config.process?.cacheBytes ?? limits.cacheBytes,
      layer: config.process?.layer ?? 'auto',
      onFailure: config.process?.onFailure ?? 'keep',
      maxTimeoutMs: config.process?.maxTimeoutMs ?? limits.bashMaxTimeoutMs,
      maxBackgroundMs: config.process?.maxBackgroundMs ?? 3_600_000,
    },
    agentCli: {
      allowMime: flags.allowMime ?? config['agent-cli']?.allowMime ?? [],
      allowExecutable: flags.allowExecutable ?? config['agent-cli']?.allowExecutable ?? false,
    },
    assistant: {
      layout: config.assistant?.layout ?? 'output',
      timeZone: timeZoneOf(config.assistant?.timeZone),
    },
    web: {
      allowHosts: config.web?.allowHosts,
      denyHosts: config.web?.denyHosts ?? [],
      allowPrivate: config.web?.allowPrivate ?? [],
      robots: config.web?.robots ?? false,
    },
    vault: {
      ...config.vault,
      root: config.vault?.root
        ? resolve(roots[0].path, config.vault.root)
        : defaultVaultRoot(roots[0].path, toolsets),
    },
    retention: {
      auditMs: daysOf(config.retention?.auditDays),
      eventsMs: daysOf(config.retention?.eventDays),
    },
    history: historyOf(config.history),
    pipeline: { extended: config.pipeline?.extended ?? false },
    memory: memoryOf(config.memory, environment),
    models: modelsOf(config.models),
    ask: {
      model: config.ask?.model,
      maxRounds: config.ask?.maxRounds ?? 20,
      perMinute: config.ask?.perMinute ?? 10,
    },
    // One tool alone is one tool alone.
    servers: only ? [] : serversOf(flags, config, { environment, home, cwd, roots, sandbox }),
  });
}

function recordFlagsOf(flags: Flags, config: ConfigFile, root: string, cwd: string): string {
  const { config: file, state } = flags;
  const named: [flag: string, path: string][] = [];
  if (file !== undefined && (config.state ?? config.store) !== undefined) named.push(['--config', file]);
  if (state !== undefined) named.push(['--state', state]);
  // Records may lie in the folder that somebody happens to be in, which is then no root for them.
  const isRootTold = config.roots !== undefined && flags.root === undefined;
  if (named.length > 0 && !isRootTold) named.unshift(['--root', root]);
  return named.map(([flag, path]) => ` ${flag} ${shellQuote(resolve(cwd, path))}`).join('');
}

/** Document 001 bounds the users of a chat; who works in a folder gets a bound that only a program run wild meets. */
function defaultRatesOf({ assistant }: ConfigFile): NonNullable<ConfigFile['rateLimits']> {
  return assistant?.layout === 'workspace' ? workingRates : [{ toolsets: ['assistant'], perMinute: 10 }];
}

function serversOf(
  flags: Flags,
  config: ConfigFile,
  place: {
    readonly environment: NodeJS.ProcessEnv;
    readonly home: string;
    readonly cwd: string;
    readonly roots: Roots;
    readonly sandbox: 'required' | 'off';
  },
): readonly ServerSettings[] {
  const roots = place.roots.map((root) => root.path);
  const environment = variablesOf(flags, place);
  const sources = { environment, roots, cwd: place.cwd, sandbox: place.sandbox, flow: config.flow ?? 'ask' };
  return readServers({ own: [config.servers, config.mcpServers], ...sources });
}

/** What `${NAME}` in the file stands for. */
function variablesOf(
  flags: Flags,
  place: {
    readonly environment: NodeJS.ProcessEnv;
    readonly home: string;
    readonly cwd: string;
    readonly roots: Roots;
  },
): NodeJS.Dict<string> {
  const own = join(configFolderOf(place.environment, place.home), '.env');
  const roots = place.roots.map((root) => root.path);
  const named = flags.envFile && outsideOfRoots('--env-file', resolve(place.cwd, flags.envFile), roots);
  return { ...readEnvironmentFile(named || own, named !== undefined), ...place.environment };
}

/** `NAME=value` lines. What the process has already wins over them. */
function readEnvironmentFile(path: string, mustExist: boolean): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!mustExist && isAbsent) return {};
    throw new ConfigError(
      text(
        `The file ${path} cannot be read: ${whyUnreadable(error).en}.`,
        `ファイル ${path} を読み込めません: ${whyUnreadable(error).ja}。`,
      ),
      { cause: error },
    );
  }
}

function daysOf(days: number | undefined): number | undefined {
  return days === undefined ? undefined : days * 86_400_000;
}

function toolsetsOf(flags: Flags, config: ConfigFile, purpose: 'serve' | 'ask'): readonly ToolsetName[] {
  const named = flags.toolsets ?? (purpose === 'ask' ? config.ask?.toolsets : undefined) ?? config.toolsets;
  if (named === undefined) return purpose === 'ask' ? ['assistant'] : defaultToolsets;
  for (const name of named) oneOf('--toolsets', name, toolsetNames);
  return [...new Set(named as readonly ToolsetName[])];
}

function onlyOf(name: string | undefined): SingleTool | undefined {
  if (name === undefined) return undefined;
  const short = name.startsWith(singleToolPrefix) ? name.slice(singleToolPrefix.length) : name;
  return oneOf('--only', short, Object.keys(singleTools) as SingleTool[]);
}

function oneOf<T extends string>(key: string, value: string, among: readonly T[]): T {
  const found = among.find((candidate) => candidate === value);
  if (found === undefined) {
    throw new ConfigError(
      text(
        `${key} must be one of ${among.join(', ')}, got ${JSON.stringify(value)}.`,
        `${key} は ${among.join('、')} のいずれかを指定してください（指定値: ${JSON.stringify(value)}）。`,
      ),
    );
  }
  return found;
}

/** Absent is the machine's own, which costs 12 ms to ask for and is rarely needed. */
function timeZoneOf(zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch (error) {
    throw new ConfigError(
      text(
        `assistant.timeZone must be a time zone such as "Asia/Tokyo", got ${JSON.stringify(zone)}.`,
        `assistant.timeZone には "Asia/Tokyo" のようなタイムゾーンを指定してください（指定値: ${JSON.stringify(zone)}）。`,
      ),
      {
        cause: error,
      },
    );
  }
}
