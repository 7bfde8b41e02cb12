import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { performancePage } from '../bench/page.ts';
import { loadTools } from '../src/checkpoint/toolsets.ts';
import { loadSettings } from '../src/config/load.ts';
import { profiles } from '../src/config/profiles.ts';
import { configSchema } from '../src/config/schema.ts';
import { toolsetNames } from '../src/config/toolset-names.ts';
import { errorCodes } from '../src/contract/error.ts';
import { type Locale, text } from '../src/contract/text/text.ts';
import type { Tool } from '../src/contract/tool/tool.ts';
import type { JsonSchema } from '../src/contract/tool/tool-card.ts';
import { documentsPage } from './documents/pages.ts';
import { manPage } from './man.ts';

/** Every generated page: its path and its text. */
export async function generatedPages(): Promise<readonly (readonly [path: string, words: string])[]> {
  const tools = await allTools();
  return [
    ['docs/errors.md', errorsPage()],
    ['docs/configuration.md', configurationPage()],
    [
      'docs/sekisho.schema.json',
      `${JSON.stringify(z.toJSONSchema(configSchema, { io: 'input' }), null, 2)}\n`,
    ],
    ['docs/tools.md', toolsPage(tools, 'en')],
    ['docs/tools.ja.md', toolsPage(tools, 'ja')],
    ['docs/sekisho.1', manPage()],
    ['docs/performance.md', performancePage()],
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
    'A refused or failed call answers with `isError: true`. Its text is complete on its own; `structuredContent.error`',
    'holds the same as data: `code`, `message`, often `suggestion` and `details`. Pipelines (`shelpa_pipe`,',
    '`shelpa_write`) have `code`, `reason`, `detail` and `suggestion`, and their text begins with the first two:',
    '`GUARD_VIOLATION DISALLOWED_CMD: …`.',
    '',
    '| code | what it means |',
    '| --- | --- |',
    ...rows,
  ].join('\n')}\n`;
}

function configurationPage(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input' }) as JsonSchema;
  const rows: string[] = [];
  collectSettings(schema, '', rows);
  const profileRows = Object.entries(profiles).map(
    ([name, profile]) => `| \`${name}\` | ${profile.summary.en} |`,
  );
  return `${[
    '# Configuration',
    '',
    'Settings come from flags, then from a file, then from a profile. The file is `--config FILE`, else',
    '`~/.config/sekisho/sekisho.jsonc`; it is never looked for in a folder that tools can see. JSON with comments. A key',
    'that is not listed here, or a value that cannot be meant, stops start-up with exit code 2 and a line that names it.',
    'An empty list means none.',
    '',
    '| key | type | what it says |',
    '| --- | --- | --- |',
    ...rows,
    '',
    '## Profiles',
    '',
    '| name | for |',
    '| --- | --- |',
    ...profileRows,
    '',
    '## Environment',
    '',
    '| variable | what it says |',
    '| --- | --- |',
    '| `SEKISHO_RUNTIME` | `host` or `container`, as `runtime` in the file; the flag `--runtime` wins over it |',
    '| `SEKISHO_TOKEN` | over stdio: the bearer token of the caller, instead of the local person |',
    '| `LC_ALL`, `LC_MESSAGES`, `LANG` | the language, where neither flag nor file says it |',
    '| `HARD_MAX_CHARS`, `VAULT_SCAN_DEFAULT_CHUNK_LINES`, `VAULT_SCAN_MAX_CHUNK_LINES` | bounds of the vault |',
    '| `ZAI_API_KEY`, or what `keyVariable` names | the key of a model of `sekisho ask`; never recorded |',
    '| `XDG_CONFIG_HOME`, `XDG_STATE_HOME` | where the file and the records are |',
  ].join('\n')}\n`;
}

function collectSettings(schema: JsonSchema, prefix: string, rows: string[]): void {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  for (const [name, property] of Object.entries(properties)) {
    if (name === '$schema') continue;
    const key = prefix === '' ? name : `${prefix}.${name}`;
    const named = property.additionalProperties as JsonSchema | undefined;
    if (property.properties) collectSettings(property, key, rows);
    else if (named?.properties) collectSettings(named, `${key}.NAME`, rows);
    else rows.push(`| \`${key}\` | ${typeOf(property)} | ${String(property.description ?? '')} |`);
  }
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
      'Every tool of every toolset, as `help` shows them. `uses` is all that a tool can touch.',
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
      'すべてのツールセットのツールを、`help` が示すとおりに並べています。ツールが触れられるのは「使うもの」に挙げたものだけです。',
    ],
    toolset: 'ツールセット',
    permission: '権限',
    uses: '使うもの',
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
