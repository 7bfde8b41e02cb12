import { expect, test } from 'vitest';
import { loadTools } from '../../src/checkpoint/toolsets.ts';
import { loadSettings } from '../../src/config/load.ts';
import { toolsetNames } from '../../src/config/toolset-names.ts';
import type { JsonSchema } from '../../src/contract/tool/tool-card.ts';
import { withoutClientArguments } from '../../src/ground/client-arguments.ts';

const settings = loadSettings({ toolsets: toolsetNames }, { HOME: '/nonexistent' });
const tools = (await loadTools(settings)).filter((tool) => !tool.unlisted);

/** A value for what a schema shows, as a model makes one that leaves nothing out. */
function valueFor(schema: JsonSchema): unknown {
  const { type, minimum, properties, items, anyOf } = schema as Record<string, never> & JsonSchema;
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(anyOf)) return valueFor(anyOf[0] as JsonSchema);
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.max(Number(minimum ?? 1), 1);
  if (type === 'array') return [valueFor((items ?? {}) as JsonSchema)];
  if (type === 'object') return filled({}, properties as unknown as Readonly<Record<string, JsonSchema>>);
  // The example that the description gives, as a model would take it.
  return /"([^"\\]+)"/.exec(String(schema.description))?.[1] ?? 'x';
}

function filled(given: object, properties: Readonly<Record<string, JsonSchema>> = {}) {
  // A cursor is what a reply names.
  const named = Object.entries(properties).filter(
    ([name, { type }]) => name !== 'cursor' || type !== 'string',
  );
  const all = named.map(([name, schema]) => [name, valueFor(schema)]);
  return { ...Object.fromEntries(all), ...given };
}

test.each(tools)('$name takes every argument that it shows, beside those that clients add', (tool) => {
  const { properties } = tool.inputSchema('en');
  const own = properties as Readonly<Record<string, JsonSchema>>;
  const sent = { ...filled(tool.example, own), wait_for_previous: true, toolCallId: 'c1' };
  const taken = tool.check(withoutClientArguments(sent, (name) => Object.hasOwn(own ?? {}, name)));
  expect(taken).toMatchObject({ ok: true });
});
