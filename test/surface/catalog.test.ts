import { expect, test } from 'vitest';
import { loadTools } from '../../src/checkpoint/toolsets.ts';
import { loadSettings } from '../../src/config/load.ts';
import { defaultToolsets, toolsetNames } from '../../src/config/toolset-names.ts';
import type { Tool } from '../../src/contract/tool/tool.ts';
import type { JsonSchema } from '../../src/contract/tool/tool-card.ts';

const settings = loadSettings({ toolsets: toolsetNames }, { HOME: '/nonexistent' });
const tools = (await loadTools(settings)).filter((tool) => !tool.unlisted);
const japanese = /[\u3040-\u30ff\u4e00-\u9fff]/;

test('names are unique, snake_case and short enough for every client', () => {
  expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length);
  for (const tool of tools) expect(tool.name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
});

test.each(tools)('$name speaks both languages, in few words', (tool: Tool) => {
  for (const words of [tool.title, tool.description]) {
    expect(words.en).not.toMatch(japanese);
    expect(words.ja).toMatch(japanese);
    // Clients cut a description at 2 KB.
    expect(Buffer.byteLength(words.en)).toBeLessThan(2048);
    expect(Buffer.byteLength(words.ja)).toBeLessThan(2048);
  }
  expect(tool.description.en).not.toMatch(/\b(IMPORTANT|CRITICAL|MUST|NEVER|ALWAYS)\b/);
});

test.each(tools)('$name describes each argument in both languages', (tool: Tool) => {
  for (const [path, schema] of argumentsOf(tool.inputSchema('en'))) {
    expect(schema.description, `${tool.name}.${path} has no description`).toBeTypeOf('string');
  }
  for (const [path, schema] of argumentsOf(tool.inputSchema('ja'))) {
    expect(schema.description, `${tool.name}.${path} is not in Japanese`).toMatch(japanese);
  }
});

test.each(tools)(
  '$name accepts its own example and refuses an argument that it does not have',
  (tool: Tool) => {
    expect(tool.check(tool.example)).toMatchObject({ ok: true });
    expect(tool.check({ ...tool.example, no_such_argument: 1 })).toMatchObject({
      ok: false,
      field: 'no_such_argument',
    });
  },
);

test('a misspelt argument is named beside the one that is missing', () => {
  const read = tools.find((tool) => tool.name === 'file_read');
  expect(read?.check({ pth: 'a.txt' })).toMatchObject({
    field: 'path',
    message: { en: 'is required (pth is not an argument of this tool)' },
  });
});

test.each(tools)('$name has object schemas for input and output', (tool: Tool) => {
  for (const locale of ['en', 'ja'] as const) {
    expect(tool.inputSchema(locale).type).toBe('object');
    // What it returns is another tool's, in that tool's form.
    if (tool.name === 'call_result') expect(tool.outputSchema(locale)).toBeUndefined();
    else expect(tool.outputSchema(locale)?.type).toBe('object');
  }
});

test('a tool that only reads destroys nothing', () => {
  for (const { name, annotations } of tools) {
    if (annotations.readOnly) expect(annotations.destructive, name).toBe(false);
  }
});

test('the default list fits in 16 KB', () => {
  const served = tools.filter(
    (tool) => tool.toolset === 'help' || (defaultToolsets as readonly string[]).includes(tool.toolset),
  );
  const bytes = served.reduce((sum, tool) => sum + listedBytes(tool), 0);
  expect(bytes).toBeLessThan(16 * 1024);
});

test('the list of the profile coding costs less than 6,000 tokens', () => {
  const served = tools.filter(({ toolset }) => toolset === 'help' || toolset === 'assistant');
  const bytes = served.reduce((sum, tool) => sum + listedBytes(tool), 0);
  expect(bytes / 4).toBeLessThan(6000);
});

test.each(toolsetNames)('the list of %s alone stays affordable', (name) => {
  const served = tools.filter((tool) => tool.toolset === name);
  const bytes = served.reduce((sum, tool) => sum + listedBytes(tool), 0);
  // About four bytes a token: no toolset may cost more than some 10,000 tokens.
  expect(bytes).toBeLessThan(40 * 1024);
});

function listedBytes(tool: Tool): number {
  return JSON.stringify([
    tool.name,
    tool.title.en,
    tool.description.en,
    tool.inputSchema('en'),
    tool.outputSchema('en'),
  ]).length;
}

function argumentsOf(schema: JsonSchema, prefix = ''): (readonly [string, JsonSchema])[] {
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  return properties.flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    // `null` beside an object is the object.
    const branches = (property.anyOf as readonly JsonSchema[] | undefined) ?? [];
    const inner = property.properties ? property : branches.find((branch) => branch.properties);
    return inner ? argumentsOf(inner, path) : [[path, property] as const];
  });
}
