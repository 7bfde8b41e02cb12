import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { claimsPicture } from '../bench/growth-picture.ts';
import { performancePage } from '../bench/page/page.ts';
import { loadTools } from '../src/checkpoint/toolsets.ts';
import { loadSettings } from '../src/config/load.ts';
import { profiles } from '../src/config/profiles.ts';
import { configSchema } from '../src/config/schema.ts';
import { toolsetNames } from '../src/config/toolset-names.ts';
import { errorCodes } from '../src/contract/error.ts';
import { type Locale, type Text, text } from '../src/contract/text/text.ts';
import type { Tool } from '../src/contract/tool/tool.ts';
import type { JsonSchema } from '../src/contract/tool/tool-card.ts';
import { meaningsInJapanese } from './configuration-ja.ts';
import { connectingPage } from './connecting.ts';
import { documentsPage } from './documents/pages.ts';
import { manPage } from './man.ts';
import { requestsPage } from './requests.ts';

/** Every generated page: its path and its text. */
export async function generatedPages(): Promise<readonly (readonly [path: string, words: string])[]> {
  const tools = await allTools();
  return [
    ['docs/errors.md', errorsPage()],
    ['docs/configuration.md', configurationPage('en')],
    ['docs/configuration.ja.md', configurationPage('ja')],
    [
      'docs/sekisho.schema.json',
      `${JSON.stringify(z.toJSONSchema(configSchema, { io: 'input' }), null, 2)}\n`,
    ],
    ['docs/tools.md', toolsPage(tools, 'en')],
    ['docs/tools.ja.md', toolsPage(tools, 'ja')],
    ['docs/connecting.md', connectingPage('en')],
    ['docs/connecting.ja.md', connectingPage('ja')],
    ['docs/requests.md', requestsPage('en')],
    ['docs/requests.ja.md', requestsPage('ja')],
    ['docs/sekisho.1', manPage()],
    ['docs/performance.md', performancePage('en')],
    ['docs/performance.ja.md', performancePage('ja')],
    ['docs/claims-growth.svg', claimsPicture()],
    ['docs/documents.md', documentsPage('en')],
    ['docs/documents.ja.md', documentsPage('ja')],
  ];
}

function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return `${[
    '# Errors',
    '',
    '[日本語](errors.ja.md)',
    '',
    'The result of a refused or failed call has `isError: true`. Its text says everything; `structuredContent.error` contains',
    'the same as data: `code`, `message` and often `suggestion` and `details`. Errors of pipelines (`shelpa_pipe`,',
    '`shelpa_write`) have `code`, `reason`, `detail` and `suggestion`, and their text begins with the first two:',
    '`GUARD_VIOLATION DISALLOWED_CMD: …`.',
    '',
    '| code | meaning |',
    '| --- | --- |',
    ...rows,
  ].join('\n')}\n`;
}

function configurationPage(locale: Locale): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input' }) as JsonSchema;
  const rows: string[] = [];
  collectSettings(schema, '', rows, locale);
  const profileRows = Object.entries(profiles).map(
    ([name, profile]) => `| \`${name}\` | ${profile.summary[locale]} |`,
  );
  const words = configurationWords[locale];
  return `${[
    ...words.head,
    '',
    words.columns,
    '| --- | --- | --- |',
    ...rows,
    '',
    ...words.profiles,
    '| --- | --- |',
    ...profileRows,
    '',
    ...words.environment,
  ].join('\n')}\n`;
}

const configurationWords = {
  en: {
    head: [
      '# Configuration',
      '',
      '[日本語](configuration.ja.md)',
      '',
      'Flags take precedence over the configuration file, and the file over the profile. The file is `--config FILE` or, if you',
      'do not give one, `~/.config/sekisho/sekisho.jsonc`; Sekisho never looks for it in a folder that tools can see. It is JSON',
      'and can contain comments. If a key is not listed here or a value is invalid, Sekisho does not start: it exits with code 2',
      'and names the key. An empty list means none.',
    ],
    columns: '| key | type | meaning |',
    profiles: ['## Profiles', '', '| name | for |'],
    environment: [
      '## Environment',
      '',
      '| variable | meaning |',
      '| --- | --- |',
      '| `SEKISHO_RUNTIME` | `host` or `container`, like `runtime` in the file; the flag `--runtime` takes precedence |',
      "| `SEKISHO_TOKEN` | over stdio: the caller's bearer token; without it, the caller is the local user |",
      '| `LC_ALL`, `LC_MESSAGES`, `LANG` | the language, if neither a flag nor the file sets it |',
      '| `HARD_MAX_CHARS`, `VAULT_SCAN_DEFAULT_CHUNK_LINES`, `VAULT_SCAN_MAX_CHUNK_LINES` | limits of the vault |',
      '| `ZAI_API_KEY`, or the variable that `keyVariable` names | the key for a model of `sekisho ask`; never recorded |',
      '| `XDG_CONFIG_HOME`, `XDG_STATE_HOME` | the folders of the file and the records |',
    ],
  },
  ja: {
    head: [
      '# 設定',
      '',
      '[English](configuration.md)',
      '',
      'フラグは設定ファイルより、設定ファイルはプロファイルより優先されます。設定ファイルは `--config FILE` で指定したもの、指定がなければ',
      '`~/.config/sekisho/sekisho.jsonc` です。ツールから見えるフォルダーの中は探しません。形式は JSON で、コメントを書けます。ここにないキーや',
      '誤った値があると Sekisho は起動せず、そのキーを示して終了コード 2 で終わります。空の配列は「なし」を意味します。',
    ],
    columns: '| キー | 型 | 意味 |',
    profiles: ['## プロファイル', '', '| 名前 | 用途 |'],
    environment: [
      '## 環境変数',
      '',
      '| 変数 | 意味 |',
      '| --- | --- |',
      '| `SEKISHO_RUNTIME` | `host` または `container`（ファイルの `runtime` と同じ）。フラグ `--runtime` が優先されます |',
      '| `SEKISHO_TOKEN` | stdio での呼び出し元のベアラートークン。なければ、呼び出し元はローカルユーザーです |',
      '| `LC_ALL`、`LC_MESSAGES`、`LANG` | フラグでもファイルでも指定されていないときの言語 |',
      '| `HARD_MAX_CHARS`、`VAULT_SCAN_DEFAULT_CHUNK_LINES`、`VAULT_SCAN_MAX_CHUNK_LINES` | 保管庫の上限 |',
      '| `ZAI_API_KEY`、または `keyVariable` で指定した変数 | `sekisho ask` のモデルのキー。記録されません |',
      '| `XDG_CONFIG_HOME`、`XDG_STATE_HOME` | 設定ファイルと記録のフォルダー |',
    ],
  },
} as const;

function collectSettings(schema: JsonSchema, prefix: string, rows: string[], locale: Locale): void {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  for (const [name, property] of Object.entries(properties)) {
    if (name === '$schema') continue;
    const key = prefix === '' ? name : `${prefix}.${name}`;
    const named = property.additionalProperties as JsonSchema | undefined;
    if (property.properties) collectSettings(property, key, rows, locale);
    // Each project has the keys of the whole, which stand in the table already.
    else if (named?.properties && key !== 'projects') collectSettings(named, `${key}.NAME`, rows, locale);
    else rows.push(`| \`${key}\` | ${typeOf(property, locale)} | ${meaningOf(key, property)[locale]} |`);
  }
}

function meaningOf(key: string, { description }: JsonSchema): Text {
  const ja = meaningsInJapanese[key];
  if (ja === undefined) throw new Error(`scripts/configuration-ja.ts has no line for ${key}`);
  return text(String(description ?? ''), ja);
}

function typeOf(property: JsonSchema, locale: Locale = 'en'): string {
  const of = (each: unknown) => typeOf((each ?? {}) as JsonSchema, locale);
  if (Array.isArray(property.enum)) return property.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (property.type === 'array')
    return text(`list of ${of(property.items)}`, `${of(property.items)} の配列`)[locale];
  if (Array.isArray(property.anyOf)) return property.anyOf.map(of).join(text(' or ', ' または ')[locale]);
  return String(property.type ?? 'object');
}

async function allTools(): Promise<readonly Tool[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-docs-'));
  try {
    const settings = loadSettings(
      { root: folder, state: `${folder}-state`, toolsets: toolsetNames, locale: 'en' },
      { HOME: folder },
      folder,
    );
    return (await loadTools(settings)).filter((tool) => !tool.unlisted);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function toolsPage(tools: readonly Tool[], locale: Locale): string {
  const words = toolsWords[locale];
  const sections = tools.map((tool) => {
    const hints = Object.entries(tool.annotations)
      .filter(([, value]) => value)
      .map(([hint]) => hint);
    const uses = tool.uses.map((use) => `\`${use}\``).join(', ') || words.nothing;
    return [
      `### \`${tool.name}\``,
      '',
      tool.description[locale],
      '',
      [
        `${words.toolset} \`${tool.toolset}\``,
        `${words.permission} \`${tool.permission}\``,
        `${words.uses} ${uses}`,
      ]
        .concat(hints.length > 0 ? [hints.join(', ')] : [])
        .join(' · '),
      '',
      ...parameterRows(tool.inputSchema(locale), locale),
      '```json',
      JSON.stringify({ name: tool.name, arguments: tool.example }),
      '```',
      '',
    ].join('\n');
  });
  return `${words.head.join('\n\n')}\n\n${sections.join('\n')}`;
}

const toolsWords = {
  en: {
    head: [
      '# Tools',
      '[日本語](tools.ja.md)',
      'All tools of all toolsets, as `help` shows them. `uses` lists everything that a tool can access.',
    ],
    toolset: 'Toolset',
    permission: 'permission',
    uses: 'uses',
    nothing: 'nothing',
    argument: 'argument',
    type: 'type',
  },
  ja: {
    head: [
      '# ツール',
      '[English](tools.md)',
      'すべてのツールセットのツールを、`help` が示すとおりに記載します。「使用」には、ツールが使えるものをすべて示します。',
    ],
    toolset: 'ツールセット',
    permission: '権限',
    uses: '使用',
    nothing: 'なし',
    argument: '引数',
    type: '型',
  },
} as const;

function parameterRows(schema: JsonSchema, locale: Locale): string[] {
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  if (properties.length === 0) return [];
  const required = new Set((schema.required as readonly string[] | undefined) ?? []);
  const { argument, type } = toolsWords[locale];
  const rows = properties.map(
    ([name, property]) =>
      `| \`${name}\`${required.has(name) && !Object.hasOwn(property, 'default') ? '' : '?'} | ${typeOf(property, locale).replaceAll('|', '\\|')} | ${String(property.description ?? '').replaceAll('|', '\\|')} |`,
  );
  return [`| ${argument} | ${type} | |`, '| --- | --- | --- |', ...rows, ''];
}
