import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError, oneOf } from '../contract/error.ts';
import { limits } from '../contract/limits.ts';
import { locales, text } from '../contract/text/text.ts';
import type { ServerSettings } from '../contract/upstream.ts';
import { isLoopbackHost } from '../ground/secure-url.ts';
import { shellQuote } from '../ground/shell-quote.ts';
import { configFor, readConfigFile } from './file/file.ts';
import { readNamed } from './file/why-unreadable.ts';
import { historyOf } from './history.ts';
import { localeOf } from './locale.ts';
import { memoryOf } from './memory.ts';
import { modelsOf } from './models.ts';
import { hostsOf, registriesOf } from './network-sets.ts';
import { notifyOf, publicUrlOf } from './notify/notify.ts';
import { oauthTrustOf } from './oauth.ts';
import { assertMakeable } from './places/makeable.ts';
import { type Placement, placementOf, projectOf } from './places/projects.ts';
import {
  assertNotOwn,
  assertOutside,
  existingFolder,
  insideOf,
  type Roots,
  rootsOf,
} from './places/roots.ts';
import { configFolderOf, homeOf, stateFolderOf } from './places/state.ts';
import { defaultVaultRoot } from './places/vault-root.ts';
import { workingRates } from './profiles.ts';
import { publishOf } from './publish.ts';
import { rulesOf } from './rules.ts';
import type { ConfigFile } from './schema.ts';
import { secretsOf } from './secrets/secrets.ts';
import { signingOf } from './secrets/signing.ts';
import { outsideOfRoots, readServers } from './servers/servers.ts';
import type { Flags, Settings } from './settings.ts';
import { timeZoneOf } from './time-zone.ts';
import {
  defaultToolsets,
  type SingleTool,
  singleToolPrefix,
  singleTools,
  type ToolsetName,
  toolsetNames,
} from './toolset-names.ts';

/** Loads the settings. Throws `ConfigError`, naming key and value, for anything invalid. */
export function loadSettings(
  flags: Flags,
  environment: NodeJS.ProcessEnv = process.env,
  cwd: string = process.cwd(),
  purpose: 'serve' | 'ask' = 'serve',
): Settings {
  const home = homeOf(environment);
  const written = readConfigFile(flags.config, environment, home, cwd);
  const placement = placementFor(flags, written.file, cwd, home);
  const { config, rulesAt } = configFor(written, flags.profile, placement.project);
  // Shells keep the path by which a person entered a folder, and clients send paths that begin with it.
  const { roots, files } = rootsOf(flags, config, cwd, { folder: placement.root, shown: environment.PWD });
  const context: LoadContext = { environment, home, cwd, roots };
  const { stateFolder, storeUrl, haltFile, own } = recordsOf(flags, config, context);
  assertNotOwn(files, own);
  const only = onlyOf(flags.only);
  const toolsets = only ? [singleTools[only].toolset] : toolsetsOf(flags, config, purpose);
  const sandbox = oneOf('--sandbox', flags.sandbox ?? config.process?.sandbox ?? 'required', [
    'required',
    'off',
  ]);
  const commands = processOf(config, sandbox, context, toolsets);
  const signing = signingOf(config.signing, context);
  return Object.freeze({
    roots,
    files,
    startedIn: placement.isChosen ? undefined : roots[0].named,
    project: placement.project,
    startedBelow: placement.startedIn === roots[0].path ? undefined : placement.startedIn,
    resident: config.resident,
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
    haltFile,
    http: httpOf(config.http),
    stale: config.files?.stale ?? 'tell',
    hooks: { elsewhere: config.hooks?.elsewhere ?? 'judge' },
    notify: notifyOf(config.notify, {
      environment: config.notify ? variablesOf(flags, context) : {},
      workspaceFolder: roots[0].path,
    }),
    ...rulesOf(config.rules, rulesAt),
    rateRules: (config.rateLimits ?? defaultRatesOf(config)).map((rule, index) => ({
      id: `rateLimits.${index}`,
      toolsets: rule.toolsets,
      appliesTo: rule.appliesTo ?? 'remote',
      perMinute: rule.perMinute,
    })),
    limits: {
      repeats: config.limits?.repeats ?? limits.repeats,
      session: config.limits?.session ?? {},
      agent: config.limits?.agent ?? {},
      day: config.limits?.day ?? {},
    },
    approval: {
      waitMs: config.approval?.waitMs ?? limits.approvalWaitMs,
      expiryMs: config.approval?.expiryMs ?? limits.approvalExpiryMs,
    },
    process: {
      ...commands,
      network: [
        ...commands.network,
        ...(signing.ssh?.hosts ?? []).map(({ host, port }) => `${host}:${port}`),
      ],
    },
    signing,
    secrets: secretsOf(config.secrets, context, commands),
    agentCli: {
      allowMime: flags.allowMime ?? config['agent-cli']?.allowMime ?? [],
      allowExecutable: flags.allowExecutable ?? config['agent-cli']?.allowExecutable ?? false,
    },
    assistant: {
      layout: config.assistant?.layout ?? 'output',
      // Undefined means the machine's zone; resolving it takes 12 ms, so it is done on demand.
      timeZone:
        config.assistant?.timeZone === undefined
          ? undefined
          : timeZoneOf(config.assistant.timeZone, 'assistant.timeZone'),
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
    history: historyOf(config.history, environment),
    pipeline: { extended: config.pipeline?.extended ?? false },
    memory: memoryOf(config.memory, environment, Object.keys(config.secrets ?? {})),
    models: modelsOf(config.models, Object.keys(config.secrets ?? {})),
    ask: {
      model: config.ask?.model,
      maxRounds: config.ask?.maxRounds ?? 20,
      perMinute: config.ask?.perMinute ?? 10,
    },
    // With `--only`, nothing but that tool is served.
    servers: only ? [] : serversOf(flags, config, context, sandbox),
  });
}

/** The folder that the flags or the file name, or else the one that contains the client's folder. */
function placementFor(
  flags: Flags,
  { projects = {}, roots }: ConfigFile,
  cwd: string,
  home: string,
): Partial<Placement> & { readonly isChosen: boolean } {
  const keys = Object.keys(projects);
  const [first] = roots ?? [];
  const chosen = flags.root ?? (typeof first === 'object' ? first.path : first);
  if (chosen === undefined) {
    const placed = placementOf(keys, cwd, home);
    return { ...placed, root: placed.root === placed.startedIn ? cwd : placed.root, isChosen: false };
  }
  const project = projectOf(keys, existingFolder(resolve(cwd, chosen)), home)?.key;
  return { root: chosen, project, isChosen: true };
}

/** The context of settings: variables, the person's home, the current folder, the roots. */
interface LoadContext {
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  readonly cwd: string;
  readonly roots: Roots;
}

/** The location of the server's records, and the server's own paths, which no tool may see. */
function recordsOf(flags: Flags, config: ConfigFile, { environment, home, cwd, roots }: LoadContext) {
  const usualFolder = stateFolderOf(roots[0].path, environment, home);
  const stateFolder = resolve(cwd, flags.state ?? config.state ?? usualFolder);
  assertOutside(stateFolder, roots, 'state');
  const storeUrl = config.store?.url ?? `sqlite:${join(stateFolder, 'sekisho.db')}`;
  assertMakeable(stateFolder, text('the state folder', '状態フォルダー'));
  if (storeUrl.startsWith('sqlite:/'))
    assertMakeable(storeUrl.slice('sqlite:'.length), text('the database', 'データベース'));
  const own = [
    dirname(usualFolder),
    stateFolder,
    configFolderOf(environment, home),
    ...[flags.config, flags.envFile].flatMap((path) => (path ? [resolve(cwd, path)] : [])),
  ];
  // Servers whose records nobody placed elsewhere belong together.
  const isPlaced = (flags.state ?? config.state) !== undefined;
  const haltFile = join(isPlaced ? stateFolder : dirname(usualFolder), 'halted');
  return { stateFolder, storeUrl, haltFile, own };
}

function httpOf(http: ConfigFile['http']): Settings['http'] {
  return {
    host: http?.host ?? '127.0.0.1',
    port: http?.port ?? 7040,
    allowedHosts: http?.allowedHosts ?? [],
    allowedOrigins: http?.allowedOrigins ?? [],
    maxBodyBytes: http?.maxBodyBytes ?? limits.httpBodyBytes,
    oauth: oauthTrustOf(http?.oauth),
    console: http?.console ?? true,
    publicUrl: publicUrlOf(http?.publicUrl),
    drainMs: http?.drainMs ?? 0,
    roots: http?.roots ?? 'own',
  };
}

function processOf(
  { process, http }: ConfigFile,
  sandbox: 'required' | 'off',
  { cwd, roots }: LoadContext,
  toolsets: readonly ToolsetName[],
): Settings['process'] {
  const named = (process?.network ?? []).map((entry) =>
    typeof entry === 'string' ? { host: entry, tls: undefined } : entry,
  );
  const listed = [
    ...named.filter(({ host }) => host !== 'registries'),
    ...named.flatMap(({ host, tls }) =>
      host === 'registries'
        ? [...new Set(roots.flatMap(({ path }) => registriesOf(path)))].map((set) => ({ host: set, tls }))
        : [],
    ),
  ];
  return {
    sandbox,
    environment: process?.environment ?? [],
    readable: (process?.readable ?? []).map((path) => existingFolder(resolve(cwd, path))),
    devices: process?.devices ?? [],
    network: hostsOf(listed.map(({ host }) => host)),
    networkAsNamed: listed.map(({ host }) => host),
    tunnels: tunnelsIn(listed),
    judgement: process?.judgement,
    publish: publishOf(process?.publish, httpOf(http)),
    outside: process?.outside ?? (toolsets.join() === 'agent-cli' ? 'ask' : 'never'),
    tryFirst: process?.tryFirst ?? process?.layer !== 'off',
    cacheBytes: process?.cacheBytes ?? limits.cacheBytes,
    layer: process?.layer ?? 'auto',
    onFailure: process?.onFailure ?? 'keep',
    maxTimeoutMs: process?.maxTimeoutMs ?? limits.bashMaxTimeoutMs,
    maxBackgroundMs: process?.maxBackgroundMs ?? 3_600_000,
  };
}

/** The hosts that are passed on unread. */
function tunnelsIn(listed: readonly { host: string; tls: 'inspect' | 'tunnel' | undefined }[]) {
  const hostsBy = (mode: 'inspect' | 'tunnel') =>
    hostsOf(listed.flatMap(({ host, tls }) => (tls === mode ? [host] : [])));
  const inspected = hostsBy('inspect');
  const own = inspected.find(isLoopbackPort);
  if (own !== undefined)
    throw new ConfigError(
      `process.network cannot inspect ${own}: a port of this machine's loopback is passed on in any protocol`,
      `process.network の ${own} は検査できません。このマシンのループバックのポートは、プロトコルを問わずそのまま中継されます。`,
    );
  const ports = hostsOf(listed.map(({ host }) => host)).filter(isLoopbackPort);
  return [...new Set([...hostsBy('tunnel'), ...ports])].filter((host) => !inspected.includes(host));
}

function isLoopbackPort(entry: string): boolean {
  return isLoopbackHost(entry.replace(/:\d+$/, ''));
}

function recordFlagsOf(flags: Flags, config: ConfigFile, root: string, cwd: string): string {
  const { config: file, state } = flags;
  const named: [flag: string, path: string][] = [];
  if (file !== undefined && (config.state ?? config.store) !== undefined) named.push(['--config', file]);
  if (state !== undefined) named.push(['--state', state]);
  // Unless the file names the root, another command would derive one from its own folder.
  const isRootTold = config.roots !== undefined && flags.root === undefined;
  if (named.length > 0 && !isRootTold) named.unshift(['--root', root]);
  return named.map(([flag, path]) => ` ${flag} ${shellQuote(resolve(cwd, path))}`).join('');
}

/** Document 001 limits the users of a chat; work in a folder gets a limit that only a runaway program reaches. */
function defaultRatesOf({ assistant }: ConfigFile): NonNullable<ConfigFile['rateLimits']> {
  return assistant?.layout === 'workspace' ? workingRates : [{ toolsets: ['assistant'], perMinute: 10 }];
}

function serversOf(
  flags: Flags,
  config: ConfigFile,
  context: LoadContext,
  sandbox: 'required' | 'off',
): readonly ServerSettings[] {
  const roots = context.roots.map((root) => root.path);
  const environment = variablesOf(flags, context);
  const { cwd } = context;
  const secrets = Object.keys(config.secrets ?? {});
  const sources = { environment, roots, cwd, sandbox, flow: config.flow ?? 'ask', secrets };
  return readServers({ own: [config.servers, config.mcpServers], ...sources });
}

/** The values of `${NAME}` in the file. Variables of the process take precedence over the lines of a file. */
function variablesOf(flags: Flags, context: LoadContext): NodeJS.Dict<string> {
  const own = join(configFolderOf(context.environment, context.home), '.env');
  const roots = context.roots.map((root) => root.path);
  const named = flags.envFile && outsideOfRoots('--env-file', resolve(context.cwd, flags.envFile), roots);
  const lines = named || existsSync(own) ? readNamed(named || own) : '';
  return { ...parseEnv(lines), ...context.environment };
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
