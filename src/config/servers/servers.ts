import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { badValue, ConfigError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { verbatim } from '../../contract/text/text.ts';
import type { FlowMode } from '../../contract/tool/tool-card.ts';
import type { ServerSettings, ToolOverride } from '../../contract/upstream.ts';
import { isInside } from '../../ground/inside.ts';
import { isSecureUrl } from '../../ground/secure-url.ts';
import { readNamed } from '../file/why-unreadable.ts';
import { hostsOf } from '../network-sets.ts';
import { notOutside } from '../places/roots.ts';
import { fillVariables } from '../variables.ts';
import { readServerFile } from './client-file.ts';
import type { ServerConfig, ServersConfig } from './server-schema.ts';
import { oauthOf } from './servers-oauth.ts';

export interface ServerSources {
  /** `servers` and `mcpServers` of our own file. */
  readonly own: readonly (ServersConfig | undefined)[];
  readonly environment: NodeJS.ProcessEnv;
  readonly roots: readonly string[];
  readonly cwd: string;
  readonly sandbox: 'required' | 'off';
  /** For servers that set none. */
  readonly flow: FlowMode;
  /** The names of credentials, for `env` and `headers`. */
  readonly secrets: readonly string[];
}

/** All servers of our file and of the one named by MCP_CONFIG_PATH. Throws `ConfigError`, naming server and key. */
export function readServers(sources: ServerSources): readonly ServerSettings[] {
  const { environment, cwd, roots } = sources;
  const configs = sources.own.flatMap((config) => (config ? namedServers(config) : []));
  const path = environment.MCP_CONFIG_PATH;
  if (path) {
    const file = outsideOfRoots('MCP_CONFIG_PATH', resolve(cwd, path), roots);
    for (const { name, config } of readServerFile(file)) configs.push([name, config]);
  }
  const seen = new Set<string>();
  return configs.map(([name, config]) => {
    if (seen.has(name))
      throw new ConfigError(
        `servers: two servers are named ${JSON.stringify(name)}.`,
        `servers: ${JSON.stringify(name)} という名前のサーバーが 2 つあります。`,
      );
    seen.add(name);
    return settingsOf(name, config, sources);
  });
}

/** A file that tools can write must not start programs. */
export function outsideOfRoots(key: string, path: string, roots: readonly string[]): string {
  const real = existsSync(path) ? realpathSync(path) : path;
  if (roots.some((root) => isInside(real, root))) throw notOutside(key, path);
  return real;
}

function namedServers(config: ServersConfig): [string, ServerConfig][] {
  if (!Array.isArray(config)) return Object.entries(config) as [string, ServerConfig][];
  return config.map(({ name, ...rest }) => [name, rest]);
}

function settingsOf(name: string, config: ServerConfig, sources: ServerSources): ServerSettings {
  const at = `servers.${name}`;
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,30}$/.test(name) || name.endsWith('_'))
    throw new ConfigError(
      `${at}: a name must have 1 to 31 letters, digits, - and single _, because the names of its tools begin with it.`,
      `${at}: 名前は英数字、-、連続しない _ で 1～31 文字にしてください。そのツールの名前の先頭になります。`,
    );
  const flow = config.flow ?? sources.flow;
  const enabled = config.enabled ?? !(config.disabled ?? false);
  return {
    name,
    enabled,
    // A disabled server needs no variables.
    start: enabled
      ? startOf(at, config, sources)
      : { kind: 'http', url: 'about:blank', isSafe: false, headers: {} },
    allow: config.allow,
    deny: config.deny ?? [],
    tools: new Map<string, ToolOverride>(Object.entries(config.tools ?? {})),
    shared: config.shared,
    roles: config.roles ?? [],
    // By default, ask only when untrusted text decides; without flow checks, ask about each changing call.
    ask: config.ask ?? (flow === 'off' ? 'changes' : 'never'),
    flow,
    trustAnnotations: config.trustAnnotations ?? false,
    redactSecrets: config.redactSecrets ?? false,
    startTimeoutMs: config.startTimeoutMs ?? 30_000,
    callTimeoutMs: config.callTimeoutMs ?? 60_000,
    callTotalMs: Math.max(config.callTotalMs ?? 3_600_000, config.callTimeoutMs ?? 0),
    callsAtOnce: config.callsAtOnce ?? 5,
    maxResultChars: config.maxResultChars ?? limits.readChars,
  };
}

function startOf(at: string, config: ServerConfig, sources: ServerSources): ServerSettings['start'] {
  const { environment, cwd, roots } = sources;
  const fill = (words: string, key: string, secrets?: readonly string[]) =>
    fillVariables(words, { environment, workspaceFolder: roots[0] ?? cwd, at: `${at}.${key}`, secrets });
  const fillAll = (record: Readonly<Record<string, string>> | undefined, key: string) =>
    Object.fromEntries(
      Object.entries(record ?? {}).map(([name, words]) => [
        name,
        fill(words, `${key}.${name}`, sources.secrets),
      ]),
    );
  if ((config.command === undefined) === (config.url === undefined))
    throw new ConfigError(
      `${at} needs either command or url.`,
      `${at} には command か url のどちらかが必要です。`,
    );
  if (config.url !== undefined) {
    const url = fill(config.url, 'url');
    if (!/^https?:\/\//.test(url) || !URL.canParse(url))
      throw badValue(
        `${at}.url`,
        config.url,
        'must start with http:// or https://',
        'は http:// または https:// で始めてください',
      );
    if (config.network !== undefined)
      throw new ConfigError(
        `${at}.network is for a server that is started here, not for one with a url.`,
        `${at}.network はここで起動するサーバー用です。url を持つサーバーには使えません。`,
      );
    if (config.type === 'sse')
      throw new ConfigError(
        `${at}: the transport "sse" is no longer supported; use the server's Streamable HTTP address, often /mcp instead of /sse.`,
        `${at}: トランスポート "sse" には対応しなくなりました。サーバーの Streamable HTTP のアドレス（多くは /sse の代わりに /mcp）を使ってください。`,
      );
    const headers = fillAll(config.headers, 'headers');
    const isSafe = isSecureUrl(new URL(url)) || config.plainHttp === true;
    return { kind: 'http', url, isSafe, headers, oauth: oauthOf(at, config.oauth, url, headers, fill) };
  }
  if (config.oauth)
    throw new ConfigError(
      `${at}.oauth is for servers with a url.`,
      `${at}.oauth は url を持つサーバー用です。`,
    );
  const command = fill(config.command ?? '', 'command');
  return {
    kind: 'stdio',
    command: command.includes('/') && !isAbsolute(command) ? resolve(cwd, command) : command,
    args: (config.args ?? []).map((arg, index) => fill(arg, `args.${index}`)),
    env: { ...variablesOf(at, config, sources, fill), ...fillAll(config.env, 'env') },
    cwd: config.cwd === undefined ? undefined : resolve(cwd, fill(config.cwd, 'cwd')),
    folders: (config.folders ?? []).map((folder) => {
      const { path, writable } = typeof folder === 'string' ? { path: folder, writable: undefined } : folder;
      const full = resolve(cwd, fill(path, 'folders'));
      if (!existsSync(full))
        throw new ConfigError(
          `${at}.folders: ${full} does not exist.`,
          `${at}.folders: ${full} は存在しません。`,
        );
      return { path: full, writable: writable ?? true };
    }),
    sandbox: config.sandbox ?? sources.sandbox,
    network: config.network && { entries: hostsOf(config.network), key: `${at}.network` },
  };
}

/** The variables of a server's own file, in the form of `env`, which takes precedence. */
function variablesOf(
  at: string,
  { envFile }: ServerConfig,
  { cwd, roots }: ServerSources,
  fill: (words: string, key: string) => string,
): Readonly<Record<string, string>> {
  if (envFile === undefined) return {};
  const path = outsideOfRoots(`${at}.envFile`, resolve(cwd, fill(envFile, 'envFile')), roots);
  const named = verbatim(`${at}.envFile: ${path}`);
  return parseEnv(readNamed(path, named)) as Record<string, string>;
}
