import { expect, test } from 'vitest';
import { createAgentCliToolset } from '../../src/tools/agent-cli/index.ts';
import { createAssistantToolset } from '../../src/tools/assistant/index.ts';
import { createCollaborationToolset } from '../../src/tools/collaboration/index.ts';

const tools = [
  ...createAgentCliToolset({ allowMime: [], allowExecutable: false }).tools,
  ...createAssistantToolset().tools,
  ...createCollaborationToolset().tools,
];

test.each([
  ['file_read', { path: 'a', start_line: 0 }],
  ['read_file', { path: 'a', start_line: 0 }],
  ['shell_exec', { command: ' ' }],
  ['shell_exec', { command: 'a\0' }],
  ['shell_exec', { command: 'x'.repeat(40_000) }],
  ['shell_exec', { command: 'ls', args: ['\0'] }],
  ['shell_exec', { command: 'ls', args: ['x'.repeat(40_000)] }],
  ['bash', { command: 'x'.repeat(40_000) }],
  ['bash', { command: 'a\0' }],
  ['bash_input', { process_id: 'p', text: 'x'.repeat(40_000) }],
  ['remember', { content: ' ' }],
  ['recall', { query: 'x', since: 'soon' }],
  ['forget', { id: '../x' }],
  ['get_task', { task_id: 'a\0' }],
])('%s says in each language alone what is wrong with %o', (name, input) => {
  const checked = tools.find((tool) => tool.name === name)?.check(input);
  if (!checked || checked.ok) throw new Error(`${name} took it`);
  expect(checked.message.ja).toMatch(/[ぁ-ん]/);
  expect(checked.message.en).toMatch(/^[ -~]+$/);
});

test.each([
  ['file_read', { path: '' }, 'must be at least 1 character long'],
  ['remember', { content: 'x'.repeat(8001) }, 'must be at most 8000 characters long'],
])('%s counts one thing as one: %o', (name, input, message) => {
  const checked = tools.find((tool) => tool.name === name)?.check(input);
  expect(checked).toMatchObject({ ok: false, message: { en: message } });
});
