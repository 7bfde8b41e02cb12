import { expect, test } from 'vitest';
import { loadTools } from '../../src/checkpoint/toolsets.ts';
import { loadSettings } from '../../src/config/load.ts';
import { toolsetNames } from '../../src/config/toolset-names.ts';
import type { JsonSchema } from '../../src/contract/tool/tool-card.ts';
import { adaptTool } from '../../src/upstream/tools/adapt.ts';

const settings = loadSettings({ toolsets: toolsetNames }, { HOME: '/nonexistent' });
const tools = (await loadTools(settings)).filter((tool) => !tool.unlisted);

/** The value with null for every argument that is left out, at any depth: what a strict provider makes a model send. */
function filled(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((each) => filled(each, (schema.items ?? {}) as JsonSchema));
  if (typeof value !== 'object' || value === null) return value;
  const forms = (schema.anyOf ?? [schema]) as readonly JsonSchema[];
  const { properties = {} } = forms.find((form) => form.properties) ?? {};
  const all = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  const given = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    all.map(([name, inner]) => [name, Object.hasOwn(given, name) ? filled(given[name], inner) : null]),
  );
}

test.each(tools)('$name takes null for an argument that is left out', (tool) => {
  const given = filled(tool.example, tool.inputSchema('en'));
  const [plain, nulls] = [tool.check(tool.example), tool.check(given)];
  expect(nulls).toMatchObject({ ok: true });
  // Where the schema takes null, the tool itself says what it means.
  const takesNull = JSON.stringify(tool.inputSchema('en')).includes('"null"');
  if (!takesNull) expect(nulls).toEqual(plain);
});

test('null for an argument that is required is told as missing, and null in a list is none', () => {
  const find = (name: string) => tools.find((tool) => tool.name === name);
  expect(find('read_file')?.check({ path: null })).toMatchObject({
    ok: false,
    field: 'path',
    message: { en: 'is required' },
  });
  expect(find('remember')?.check({ content: 'x', tags: ['a', null] })).toMatchObject({
    ok: false,
    field: 'tags.1',
  });
  expect(find('read_file')?.check({ path: 'a', no_such: null })).toMatchObject({
    ok: false,
    field: 'no_such',
  });
});

test('a proxied tool gets no null that its schema refuses, and every one that it may take', () => {
  const remote = {
    name: 'find',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer' },
        since: { type: ['string', 'null'] },
        sort: { enum: ['up', null] },
      },
      required: ['query'],
    },
    digest: '',
    hasOutputSchema: false,
  };
  const server = { name: 'fix', deny: [], tools: new Map() } as unknown as Parameters<typeof adaptTool>[2];
  const tool = adaptTool(
    'fix__find',
    remote as never,
    server,
    () => Promise.reject(new Error()),
    () => undefined,
  );
  expect(tool.check({ query: 'x', limit: null, since: null, sort: null })).toEqual({
    ok: true,
    input: { query: 'x', since: null, sort: null },
  });
});
