import type { ToolError } from '../../contract/error.ts';
import { tokenArgument } from '../../contract/session-token.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import type { GuideEntry, JsonSchema, ToolCard } from '../../contract/tool/tool-card.ts';
import { unknownTool } from '../../ground/errors/unknown-tool.ts';

/** The tools that the caller may know of. */
interface Known {
  readonly entries: readonly GuideEntry[];
  /** Similarly spelt names. */
  nearest(name: string): readonly string[];
}

/** One tool in detail; of one that the caller cannot use, never its parameters or example (document 002, security). */
export function describeTool(name: string, known: Known, locale: Locale) {
  const entry = known.entries.find(({ tool }) => tool.name === name);
  if (!entry) throw unknown(name, known);
  const { tool } = entry;
  const head = {
    name: tool.name,
    description: tool.description[locale],
    category: tool.category,
    permission: tool.permission,
    available: entry.allowed && tool.unavailable === undefined,
  };
  const reason = entry.reason ?? tool.unavailable;
  if (reason) return { ...head, reason: reason[locale] };
  return { ...head, parameters: parametersOf(tool, locale), example: { ...tool.example } };
}

function parametersOf(tool: ToolCard, locale: Locale): Record<string, unknown>[] {
  const schema = tool.inputSchema(locale);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const own = Object.entries(properties).map(([name, property]) => {
    const { type, description, ...rest } = property;
    return {
      name,
      type: type ?? 'any',
      required: required.has(name) && !Object.hasOwn(property, 'default'),
      ...(description === undefined ? {} : { description }),
      ...rest,
    };
  });
  return tool.agentsOnly ? [tokenParameter(tool, locale), ...own] : own;
}

/** Needed if neither the connection nor a header carries the token. */
function tokenParameter(tool: ToolCard, locale: Locale): Record<string, unknown> {
  const { name, description } = tokenArgument(tool.permission);
  return { name, type: 'string', required: false, description: description[locale] };
}

function unknown(name: string, { entries, nearest }: Known): ToolError {
  const wanted = name
    .slice(0, 80)
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  const names = entries.map(({ tool }) => tool.name);
  const callable = entries.filter(({ allowed }) => allowed).map(({ tool }) => tool.name);
  const near = new Set([
    // A name in capitals or with hyphens matches, whether it can be called or not.
    ...names.filter((known) => known === wanted),
    ...nearest(wanted),
    ...callable.filter((known) => isLike(known, wanted)),
  ]);
  const otherwise = text('help without arguments lists all tools.', '引数なしの help で一覧を確認できます。');
  return unknownTool(name, [...near].slice(0, 5), otherwise);
}

/** Shares a word with it: `read` finds read_file and file_read. */
function isLike(toolName: string, wanted: string): boolean {
  const words = wanted.split(/[^a-z0-9]+/).filter((word) => word.length > 2);
  return toolName.includes(wanted) || words.some((word) => toolName.includes(word));
}
