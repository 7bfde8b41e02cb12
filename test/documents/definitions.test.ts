import { afterAll, expect, test } from 'vitest';
import { definitions, memberOf } from '../../scripts/documents/definitions.ts';
import { listedMember } from '../../scripts/documents/listed.ts';
import { type ListedTool, openServed } from '../../scripts/documents/served.ts';

/** What a client is shown by the built server, and nothing that lies behind it. */
const served = await openServed({ args: ['--toolsets', 'agent-cli,assistant,vault,pipeline'] });
afterAll(() => served.close());
const tools = new Map((await served.tools()).map((tool) => [tool.name, tool]));

function listed(name: string): ListedTool {
  const tool = tools.get(name);
  if (!tool) throw new Error(`${name} is not listed.`);
  return tool;
}

test.each(definitions)('$tool takes what document $document says, and needs no more', ({ tool, takes }) => {
  const schema = listed(tool).inputSchema;
  const members = Object.entries(takes).map(([name, words]) => memberOf(name, words));
  for (const { name, type, isRequired, isNullable, fallback } of members) {
    const found = listedMember(schema, name);
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
    const schema = listed(tool).outputSchema ?? {};
    for (const [path, words] of Object.entries(gives)) {
      const { type, isRequired, isNullable } = memberOf(path, words);
      const found = listedMember(schema, path);
      expect(found, `${tool}.${path}`).toBeDefined();
      expect(type === 'number' ? ['number', 'integer'] : [type], `${tool}.${path}`).toContain(found?.type);
      if (isRequired) expect(found?.isRequired, `${tool}.${path} required`).toBe(true);
      if (isNullable) expect(found?.isNullable, `${tool}.${path} null`).toBe(true);
    }
  },
);

test.each(definitions.filter(({ hints }) => hints))(
  '$tool has the hints of document $document',
  ({ tool, hints = {} }) => {
    for (const [hint, value] of Object.entries(hints))
      expect(listed(tool).annotations[`${hint}Hint`], hint).toBe(value);
  },
);

test.each([
  ['000', 'agent-cli', ['file_read', 'file_write', 'shell_exec']],
  ['003', 'vault', ['vault_create', 'vault_read', 'vault_scan', 'vault_replace']],
])('of document %s, the toolset %s lists exactly these tools, and help', async (_, toolset, names) => {
  await using only = await disposable({
    args: ['--toolsets', toolset],
    config: { vault: { extras: false } },
  });
  const shown = (await only.served.tools()).map(({ name }) => name);
  expect(shown.toSorted()).toEqual([...names, 'help'].toSorted());
});

async function disposable(serving: Parameters<typeof openServed>[0]) {
  const served = await openServed(serving);
  return { served, [Symbol.asyncDispose]: () => served.close() };
}
