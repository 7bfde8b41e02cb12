import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { parse } from 'jsonc-parser';
import { assertMakeable } from '../config/places/makeable.ts';
import { configFolderOf, homeOf } from '../config/places/state.ts';
import { readServerFile } from '../config/servers/client-file.ts';
import { clientServers } from '../config/servers/client-shapes.ts';
import type { ServerConfig } from '../config/servers/server-schema.ts';
import { ConfigError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';
import { agrees } from './common/agrees.ts';
import type { Options } from './common/options.ts';
import { inLocale, say } from './common/say.ts';
import { edited } from './init/settings-file.ts';
import { isDownloader, needsDownload } from './server/report.ts';

/** Imports the servers of a client's configuration into ours. Names that exist already are left alone. */
export async function importServers(from: string, options: Options): Promise<number> {
  const sources = sourcesOf(from);
  const target = options.out
    ? resolve(String(options.out))
    : join(configFolderOf(process.env, homeOf(process.env)), 'sekisho.jsonc');
  let words = existsSync(target) ? readFileSync(target, 'utf8') : '{}\n';
  const known = knownNames(words);
  const taken: string[] = [];
  for (const source of sources) {
    for (const { name, config, notes } of readServerFile(source)) {
      const shown =
        name
          .replace(/[^A-Za-z0-9-]+/g, '-')
          .replace(/^-+|-+$/g, '')
          .slice(0, 31) || 'server';
      if (isOurs(config)) continue;
      if (known.has(shown)) {
        say(`${shown}: already there, left unchanged.`, `${shown}: 既にあるため、そのままにします。`);
        continue;
      }
      if (config.type === 'sse' || isRemoteSse(config)) {
        say(
          `${shown}: left out: its transport "sse" is no longer supported; add its Streamable HTTP address instead.`,
          `${shown}: トランスポート "sse" には対応しなくなったため取り込みません。代わりに Streamable HTTP のアドレスを追加してください。`,
        );
        continue;
      }
      known.add(shown);
      taken.push(shown);
      const { kept, dropped } = withoutRights(config);
      const named = foldersIn(config);
      const folders = await agreedTo(options.dryRun ? [] : named, (folder) => mayWrite(shown, folder));
      const { command = '' } = config;
      const downloads = isDownloader(command) ? [needsDownload(command)] : [];
      const unboxed = await agreedTo(options.dryRun ? [] : downloads, (why) => mayLeave(shown, why));
      words = edited(words, ['mcpServers', shown], {
        ...kept,
        ...(folders.length > 0 && { folders: [...folders] }),
        ...(unboxed.length > 0 && { sandbox: 'off' as const }),
      });
      say(`${shown}: ${config.url ?? [config.command, ...(config.args ?? [])].join(' ')} (${source})`);
      for (const key of dropped)
        say(
          `  ${key} is not imported: it gives the server rights; add it yourself`,
          `  ${key} は取り込みません。サーバーに権限を与える設定なので、自分で書いてください。`,
        );
      for (const folder of named.filter((each) => !folders.includes(each)))
        say(
          `  it may read ${folder}, not write it; to let it write: "folders": [${JSON.stringify(folder)}]`,
          `  ${folder} は読むだけで、書き込めません。書き込みを許可するには: "folders": [${JSON.stringify(folder)}]`,
        );
      for (const why of downloads.filter((each) => !unboxed.includes(each)))
        say(`  ${inLocale(cannotStart(why))}`);
      for (const note of notes) say(`  ${inLocale(note)}`);
    }
  }
  if (taken.length === 0) {
    say('Nothing to import.', '取り込むものはありません。');
    return 0;
  }
  if (options.dryRun) {
    say(`${target} would be changed.`, `${target} を変更することになります。`);
    return 0;
  }
  assertMakeable(target, text('the configuration', '設定ファイル'));
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  // It may contain secrets from the client's file.
  writeFileSync(target, words, { mode: 0o600 });
  say(
    `Written to ${target}. \`sekisho server check\` tests them.`,
    `${target} に書きました。\`sekisho server check\` で動作を確認できます。`,
  );
  return 0;
}

/** Arguments that are folders, as filesystem servers take them. */
function foldersIn({ args = [] }: ServerConfig): readonly string[] {
  return args.filter((arg) => isAbsolute(arg) && statSync(arg, { throwIfNoEntry: false })?.isDirectory());
}

/** The things that the person at the terminal agrees to; empty without a terminal. */
async function agreedTo<T>(things: readonly T[], question: (thing: T) => Text): Promise<readonly T[]> {
  if (things.length === 0 || !process.stdin.isTTY) return [];
  const agreed: T[] = [];
  for (const thing of things) if (await agrees(question(thing))) agreed.push(thing);
  return agreed;
}

function mayWrite(server: string, folder: string): Text {
  return text(
    `May ${server} write in ${folder}? [y/N] `,
    `${server} に ${folder} への書き込みを許可しますか? [y/N] `,
  );
}

function mayLeave(server: string, why: Text): Text {
  return text(
    `${why.en} May ${server} start without the sandbox? [y/N] `,
    `${why.ja}${server} をサンドボックスなしで起動しますか? [y/N] `,
  );
}

function cannotStart(why: Text): Text {
  return text(
    `it cannot start in the sandbox like this: ${why.en}`,
    `このままではサンドボックス内で起動できません: ${why.ja}`,
  );
}

/** Each client's files for its servers: its own folder first, then this project's. */
function sourcesOf(from: string): readonly string[] {
  const home = homeOf(process.env);
  const places: Readonly<Record<string, readonly string[]>> = {
    claude: [
      join(home, '.claude.json'),
      join(home, '.config/Claude/claude_desktop_config.json'),
      join(home, 'Library/Application Support/Claude/claude_desktop_config.json'),
      resolve('.mcp.json'),
    ],
    cursor: [join(home, '.cursor/mcp.json'), resolve('.cursor/mcp.json')],
    vscode: [
      join(home, '.config/Code/User/mcp.json'),
      join(home, 'Library/Application Support/Code/User/mcp.json'),
      resolve('.vscode/mcp.json'),
    ],
    gemini: [join(home, '.gemini/settings.json'), resolve('.gemini/settings.json')],
    windsurf: [join(home, '.codeium/windsurf/mcp_config.json')],
    zed: [join(home, '.config/zed/settings.json'), resolve('.zed/settings.json')],
    codex: [join(home, '.codex/config.toml')],
  };
  if (!Object.hasOwn(places, from)) return [resolve(from)];
  const found = (places[from] ?? []).filter((path) => existsSync(path) && holdsServers(path));
  if (found.length > 0) return found;
  throw new ConfigError(
    `No servers of ${from} were found in ${places[from]?.join(', ')}. \`sekisho import FILE\` imports them from another file.`,
    `${from} のサーバーが ${places[from]?.join('、')} に見つかりません。別の場所からは \`sekisho import FILE\` で取り込めます。`,
  );
}

/** Claude's own file has many other settings, and servers only if some were added. */
function holdsServers(path: string): boolean {
  // Refused by name when it is read.
  if (path.endsWith('.toml')) return true;
  const value: unknown = parse(readFileSync(path, 'utf8'), [], { allowTrailingComma: true });
  return clientServers(value) !== undefined;
}

/** No client has these keys, and a project's file may come from anyone: only the operator grants rights here. */
const rights = [
  'sandbox',
  'network',
  'folders',
  'ask',
  'flow',
  'plainHttp',
  'trustAnnotations',
  'tools',
  'roles',
] as const;

function withoutRights(config: ServerConfig) {
  const kept = Object.fromEntries(
    Object.entries(config).filter(([key]) => !rights.some((one) => one === key)),
  );
  return { kept: kept as ServerConfig, dropped: rights.filter((key) => Object.hasOwn(config, key)) };
}

/** Decided by the address alone: `type` is often left out. */
function isRemoteSse({ url, type }: ServerConfig): boolean {
  return url !== undefined && type === undefined && /\/sse\/?$/.test(url);
}

function isOurs({ command = '', args = [] }: ServerConfig): boolean {
  return [command, ...args].some((word) => /(^|[/@])sekisho(@|$)/.test(word));
}

function knownNames(words: string): Set<string> {
  const value = (parse(words, [], { allowTrailingComma: true }) ?? {}) as Record<string, unknown>;
  const names = (servers: unknown): string[] => {
    if (Array.isArray(servers)) return servers.map((server) => String((server as { name?: unknown })?.name));
    return Object.keys((servers as object | undefined) ?? {});
  };
  return new Set([...names(value.servers), ...names(value.mcpServers)]);
}
