import * as z from 'zod';
import type { ContentBlock } from '../call.ts';
import type { CapabilityName } from '../capabilities/capabilities.ts';
import { describeIssue, isInSeconds, looksLikeMilliseconds } from '../text/describe-issue.ts';
import { jsonBlock } from '../text/json-block.ts';
import { type Locale, text } from '../text/text.ts';
import { withOwnNames } from './argument-aliases.ts';
import type { InputProblem, RiskContext, Tool, ToolContext, ToolDefinition } from './tool.ts';
import type { JsonSchema } from './tool-card.ts';
import { withoutNulls } from './without-nulls.ts';

/** A tool before `defineToolset` adds its `toolset`, and that as its category if it has none. */
export type LooseTool = Omit<Tool, 'toolset' | 'category'> &
  Pick<ToolDefinition<never, never, never>, 'category'>;

/** Marks an argument that is not listed, as it only says why it cannot be used here. */
export const hiddenField = { hidden: true };

/** Makes a tool: unknown arguments are errors, the example must fit, and schemas are converted once per language. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject, const U extends CapabilityName>(
  definition: ToolDefinition<I, O, U>,
): LooseTool {
  const strict = definition.input.strict();
  const schemas = new Map<string, JsonSchema>();
  const read = definition.risk;

  function schema(kind: 'input' | 'output', locale: Locale): JsonSchema {
    const key = `${kind} ${locale}`;
    let made = schemas.get(key);
    if (!made) {
      made = toJsonSchema(
        kind === 'input' ? strict : definition.output,
        kind,
        { en: {}, ja: definition.ja }[locale],
      );
      schemas.set(key, made);
    }
    return made;
  }

  return {
    name: definition.name,
    category: definition.category,
    title: definition.title,
    description: definition.description,
    permission: definition.permission ?? 'authenticated',
    agentsOnly: definition.agentsOnly ?? false,
    unlisted: definition.unlisted ?? false,
    everyday: definition.everyday,
    annotations: definition.annotations,
    changesFiles: definition.changesFiles,
    uses: definition.uses,
    inputSchema: (locale) => schema('input', locale),
    outputSchema: (locale) => schema('output', locale),
    example: definition.example as Readonly<Record<string, unknown>>,
    secrets: definition.secrets ?? [],
    check(input) {
      let parsed = strict.safeParse(input ?? {});
      let given = input;
      const mend = (understood: unknown) => {
        if (understood === undefined) return;
        given = understood;
        parsed = strict.safeParse(given);
      };
      if (!parsed.success)
        mend(withOwnNames(given, parsed.error.issues, schema('input', 'en'), definition.secrets ?? []));
      if (!parsed.success) {
        const paths = parsed.error.issues.map(({ path }) => path);
        mend(withoutNulls(given, paths));
      }
      return parsed.success
        ? { ok: true, input: parsed.data }
        : problemOf(parsed.error, given, schema('input', 'en'));
    },
    // The call passes what `check` returned and what `uses` lists: only the static types were erased.
    risk:
      read && (async (input, context) => read(input as z.output<I>, context as unknown as RiskContext<U>)),
    async run(input, context) {
      const output = await definition.run(input as z.output<I>, context as unknown as ToolContext<U>);
      return {
        structured: output as Readonly<Record<string, unknown>>,
        content: (locale) => {
          const rendered = definition.render?.(output as z.output<O>, locale, context.replyBytes);
          return rendered === undefined ? [jsonBlock(output)] : contentOf(rendered);
        },
      };
    },
  };
}

/** A toolset: its tools, each marked with the toolset's name, by which callers are allowed or denied all of them. */
export function defineToolset(
  name: string,
  tools: readonly LooseTool[],
): {
  readonly name: string;
  readonly tools: readonly Tool[];
} {
  return { name, tools: tools.map((tool) => ({ ...tool, category: tool.category ?? name, toolset: name })) };
}

function contentOf(rendered: string | readonly ContentBlock[]): readonly ContentBlock[] {
  return typeof rendered === 'string' ? [{ type: 'text', text: rendered }] : rendered;
}

function toJsonSchema(
  schema: z.ZodObject,
  kind: 'input' | 'output',
  ja: Readonly<Record<string, string>>,
): JsonSchema {
  const made = z.toJSONSchema(schema, {
    io: kind,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // zod adds these two to every integer; they cost tokens and say nothing to a model.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  }) as Record<string, unknown>;
  for (const [name, field] of Object.entries(Object(made.properties)))
    if (Object(field).hidden === true) delete Object(made.properties)[name];
  spellPlainly(made);
  delete made.$schema;
  if (kind === 'output') delete made.additionalProperties;
  translate(made, '', ja);
  return made;
}

/** Chooses, among equivalent spellings, those that the most clients support. */
function spellPlainly(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  for (const child of Object.values(node)) spellPlainly(child);
  const schema = node as Record<string, unknown>;
  const { type, additionalProperties: others } = schema;
  if (typeof others === 'object' && others !== null && Object.keys(others).length === 0) {
    schema.additionalProperties = true;
  }
  if (!Array.isArray(type) || Object.hasOwn(schema, 'anyOf')) return;
  delete schema.type;
  schema.anyOf = type.map((each) => ({ type: each }));
}

/** Inserts Japanese field descriptions by dotted path, through arrays and unions. */
function translate(node: unknown, path: string, ja: Readonly<Record<string, string>>): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Record<string, unknown>;
  const words = ja[path];
  if (path !== '' && words !== undefined && typeof schema.description === 'string')
    schema.description = words;
  for (const [name, child] of Object.entries((schema.properties as object | undefined) ?? {})) {
    translate(child, path === '' ? name : `${path}.${name}`, ja);
  }
  translate(schema.items, path, ja);
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    for (const child of (schema[key] as unknown[] | undefined) ?? []) translate(child, path, ja);
  }
}

function problemOf(error: z.ZodError, input: unknown, { properties }: JsonSchema): InputProblem {
  const issue = error.issues[0];
  if (!issue) return { ok: false, field: '', message: text('is not valid', '正しくありません') };
  const field = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    return {
      ok: false,
      field: field === '' ? key : `${field}.${key}`,
      message: text('is not an argument of this tool', 'このツールの引数ではありません'),
    };
  }
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.message.includes('undefined')) {
    // A misspelt name causes a missing one as well; report both together.
    const unknown = error.issues.find((each) => each.code === 'unrecognized_keys')?.keys[0];
    const message =
      unknown === undefined
        ? text('is required', '必須です')
        : text(
            `is required (${unknown} is not an argument of this tool)`,
            `必須です (${unknown} はこのツールの引数ではありません)`,
          );
    return { ok: false, field, message };
  }
  const value = Object(input)[field];
  const isSeconds = /second/i.test(`${field} ${JSON.stringify(Object(properties)[field])}`);
  if (issue.code === 'too_big' && isSeconds && looksLikeMilliseconds(value, Number(issue.maximum)))
    return { ok: false, field, message: isInSeconds(value, Number(issue.maximum)) };
  return { ok: false, field, message: describeIssue(issue) };
}
