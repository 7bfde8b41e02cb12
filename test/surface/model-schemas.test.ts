import { expect, test } from 'vitest';
import { loadTools } from '../../src/checkpoint/toolsets.ts';
import { loadSettings } from '../../src/config/load.ts';
import { toolsetNames } from '../../src/config/toolset-names.ts';
import type { Tool } from '../../src/contract/tool/tool.ts';
import type { JsonSchema } from '../../src/contract/tool/tool-card.ts';
import { replyFormOf } from '../../src/transport/reply-form.ts';
import { toolEntry } from '../../src/transport/results.ts';

async function toolsOf(flags: object): Promise<readonly Tool[]> {
  const tools = await loadTools(loadSettings(flags, { HOME: '/nonexistent' }));
  return tools.filter((tool) => !tool.unlisted);
}
const tools = await toolsOf({ toolsets: toolsetNames });

/** What a client is sent that has models of whichever provider; one that is not in our table gets the schema whole. */
function listed(tool: Tool, locale: 'en' | 'ja' = 'en', client?: string): JsonSchema {
  const form = replyFormOf({ client: { name: client ?? 'opencode', version: '1' }, revision: '2026-07-28' });
  return toolEntry(tool, locale, 'modern', form).inputSchema as JsonSchema;
}

/** Every schema in a schema. */
function parts(schema: JsonSchema): readonly JsonSchema[] {
  const inner = [
    ...Object.values((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>),
    ...((schema.anyOf ?? []) as readonly JsonSchema[]),
    ...(schema.items === undefined ? [] : [schema.items as JsonSchema]),
  ];
  return [schema, ...inner.flatMap(parts)];
}

/**
 * Keywords that each provider's documentation allows in a strict tool. Anthropic ("JSON Schema limitations" of
 * structured outputs): no bounds of numbers, strings or arrays, no patterns of every kind. OpenAI ("Supported schemas"
 * of structured outputs): no defaults, no length of strings. Google (`Schema` of function declarations): a subset of
 * OpenAPI 3.0, to which its clients reduce the rest.
 */
const providers = {
  anthropic: [
    'type',
    'description',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'enum',
    'anyOf',
    'const',
    'allOf',
    '$ref',
    '$defs',
    'default',
    'format',
  ],
  openai: [
    'type',
    'description',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'enum',
    'anyOf',
    '$ref',
    '$defs',
    'pattern',
    'format',
    'minimum',
    'maximum',
    'multipleOf',
    'minItems',
    'maxItems',
  ],
  google: [
    'type',
    'description',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'enum',
    'anyOf',
    'title',
    'format',
    'nullable',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
    'propertyOrdering',
  ],
} as const;

test.each(Object.entries(providers))('every tool stays within what %s takes', (_, keywords) => {
  for (const tool of tools) {
    expect(tool.name).toMatch(/^[a-zA-Z_][\w-]{0,63}$/);
    for (const part of parts(listed(tool))) {
      for (const keyword of Object.keys(part)) expect(keywords, tool.name).toContain(keyword);
    }
  }
});

test('every object is closed, every type single, every enum of one primitive, and the depth small', () => {
  for (const tool of tools) {
    const schema = listed(tool, 'en', 'a program');
    expect(schema.type).toBe('object');
    expect(schema).not.toHaveProperty('anyOf');
    for (const part of parts(schema)) {
      expect(typeof (part.type ?? 'anyOf'), tool.name).toBe('string');
      expect(part.type !== undefined || Array.isArray(part.anyOf), tool.name).toBe(true);
      if (part.type === 'object') expect(part.additionalProperties, tool.name).toBe(false);
      if (part.type === 'array') expect(part.items, tool.name).toHaveProperty('type');
      for (const value of (part.enum ?? []) as readonly unknown[]) expect(value).toBeTypeOf('string');
    }
    expect(depthOf(schema), tool.name).toBeLessThanOrEqual(5);
  }
});

test('a bound or default that the whole schema has stands in the description, in both languages', () => {
  let told = 0;
  for (const tool of tools) {
    for (const locale of ['en', 'ja'] as const) {
      const whole = tool.inputSchema(locale).properties as Readonly<Record<string, JsonSchema>>;
      const shown = listed(tool, locale).properties as Readonly<Record<string, JsonSchema>>;
      for (const [name, { default: given, maximum, minimum }] of Object.entries(whole)) {
        const facts = [
          typeof given === 'number' && given > 0 ? given : undefined,
          typeof maximum === 'number' && maximum < 1_000_000 ? maximum : undefined,
          typeof minimum === 'number' && minimum > 1 ? minimum : undefined,
        ];
        for (const fact of facts) {
          if (fact === undefined) continue;
          expect(String(shown[name]?.description), `${tool.name}.${name}`).toContain(String(fact));
          told += 1;
        }
      }
    }
  }
  expect(told).toBeGreaterThan(40);
});

test('a client that is not in our table sees defaults, bounds and nulls as fields', () => {
  const members = (name: string) =>
    listed(tools.find((tool) => tool.name === name) as Tool, 'en', 'a program').properties;
  expect(members('file_write')).toMatchObject({ overwrite: { type: 'boolean', default: false } });
  expect(members('shell_exec')).toMatchObject({ args: { type: 'array', default: [] } });
  expect(members('vault_replace')).toMatchObject({
    max_replacements: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
  });
});

test('an argument that may be left out is not told to take null; one that must be given is', () => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const read = byName.get('vault_read');
  const assign = byName.get('assign_task');
  if (!read || !assign) throw new Error('The catalog has other tools.');
  expect(JSON.stringify(read.inputSchema('en'))).toContain('"null"');
  expect(JSON.stringify(listed(read))).not.toContain('"null"');
  expect(listed(assign)).toHaveProperty('properties.assignee_id.anyOf', [
    { type: 'string' },
    { type: 'null' },
  ]);
});

test.each([
  // What Claude Code's own tools for files, search and commands cost.
  ['coding', 7400],
  ['team', 16_000],
])('the tools of the profile %s cost Claude Code at most %d bytes', async (profile, most) => {
  const form = replyFormOf({ client: { name: 'claude-code', version: '2' }, revision: '2025-11-25' });
  const costs = (await toolsOf({ profile })).map((tool) => {
    const { name, description, inputSchema } = toolEntry(tool, 'en', 'legacy', form);
    return JSON.stringify({ name: `mcp__sekisho__${name}`, description, input_schema: inputSchema });
  });
  expect(costs.reduce((sum, entry) => sum + Buffer.byteLength(entry), 0)).toBeLessThanOrEqual(most);
});

test('what Claude Code needs in every session is marked, so that no model has to search for it', async () => {
  const marked = async (client: string) => {
    const form = replyFormOf({ client: { name: client, version: '2' }, revision: '2025-11-25' });
    const tools = await toolsOf({ profile: 'coding' });
    return tools
      .map((tool) => toolEntry(tool, 'en', 'legacy', form) as { name: string; _meta?: unknown })
      .filter(({ _meta }) => JSON.stringify(_meta) === '{"anthropic/alwaysLoad":true}')
      .map(({ name }) => name)
      .sort();
  };
  expect(await marked('claude-code')).toEqual([
    ...['bash', 'edit_file', 'glob', 'grep', 'read_file', 'write_file'],
  ]);
  expect(await marked('copilot-cli')).toEqual([]);
});

function depthOf(schema: JsonSchema): number {
  const inner = parts(schema).filter((part) => part !== schema && (part.properties || part.items));
  return 1 + Math.max(0, ...inner.map(depthOf));
}
