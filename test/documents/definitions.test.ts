import { expect, test } from 'vitest';
import { definitions, memberOf } from '../../scripts/documents/definitions.ts';
import { loadTools } from '../../src/checkpoint/toolsets.ts';
import { loadSettings } from '../../src/config/load.ts';
import { toolsetNames } from '../../src/config/toolset-names.ts';
import type { JsonSchema } from '../../src/contract/tool/tool-card.ts';

const tools = await loadTools(loadSettings({ toolsets: toolsetNames }, { HOME: '/nonexistent' }));

/** The member that `a.b` names, whether it is required, and whether it may be null. */
function find(schema: JsonSchema, path: string) {
  let inner: JsonSchema = schema;
  let isRequired = true;
  let isNullable = false;
  for (const name of path.split('.')) {
    const member = (inner.properties as Readonly<Record<string, JsonSchema>> | undefined)?.[name];
    if (member === undefined) return undefined;
    isRequired &&= ((inner.required ?? []) as readonly string[]).includes(name);
    const forms = (member.anyOf ?? member.oneOf ?? [member]) as readonly JsonSchema[];
    isNullable = forms.some(({ type }) => type === 'null');
    inner = forms.find(({ type }) => type !== 'null') ?? member;
  }
  // A list of strings is of strings; a line number is a number.
  const type = inner.type ?? (inner.enum ? 'string' : undefined);
  return { type, isRequired, isNullable, fallback: inner.default };
}

test.each(definitions)('$tool takes what document $document says, and needs no more', ({ tool, takes }) => {
  const schema = tools.find(({ name }) => name === tool)?.inputSchema('en') as JsonSchema;
  const members = Object.entries(takes).map(([name, words]) => memberOf(name, words));
  for (const { name, type, isRequired, isNullable, fallback } of members) {
    const found = find(schema, name);
    expect(found, `${tool}.${name}`).toBeDefined();
    expect(type === 'number' ? ['number', 'integer'] : [type], `${tool}.${name}`).toContain(found?.type);
    expect(found?.isRequired, `${tool}.${name} required`).toBe(isRequired);
    if (isNullable) expect(found?.isNullable, `${tool}.${name} null`).toBe(true);
    if (fallback !== undefined) expect(found?.fallback, `${tool}.${name} default`).toEqual(fallback);
  }
  const required = members.filter((member) => member.isRequired).map(({ name }) => name);
  expect(schema.required ?? []).toEqual(required);
});

test.each(definitions.filter(({ gives }) => gives))(
  '$tool gives what document $document says',
  ({ tool, gives = {} }) => {
    const schema = tools.find(({ name }) => name === tool)?.outputSchema('en') as JsonSchema;
    for (const [path, words] of Object.entries(gives)) {
      const { type, isRequired, isNullable } = memberOf(path, words);
      const found = find(schema, path);
      expect(found, `${tool}.${path}`).toBeDefined();
      expect(type === 'number' ? ['number', 'integer'] : [type], `${tool}.${path}`).toContain(found?.type);
      if (isRequired) expect(found?.isRequired, `${tool}.${path} required`).toBe(true);
      if (isNullable) expect(found?.isNullable, `${tool}.${path} null`).toBe(true);
    }
  },
);

test.each(definitions.filter(({ hints }) => hints))(
  '$tool has the hints of document $document',
  (definition) => {
    const tool = tools.find(({ name }) => name === definition.tool);
    expect(tool?.annotations).toMatchObject(definition.hints ?? {});
  },
);
