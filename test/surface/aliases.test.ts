import { expect, test } from 'vitest';
import { loadTools } from '../../src/checkpoint/toolsets.ts';
import { loadSettings } from '../../src/config/load.ts';
import { toolsetNames } from '../../src/config/toolset-names.ts';

const settings = loadSettings({ toolsets: toolsetNames }, { HOME: '/nonexistent' });
const tools = await loadTools(settings);
const check = (name: string, input: object) => tools.find((tool) => tool.name === name)?.check(input);

test.each<[tool: string, sent: object, understood: object]>([
  ['read_file', { file_path: 'a.txt' }, { path: 'a.txt' }],
  ['read_file', { filePath: 'a.txt', startLine: 3 }, { path: 'a.txt', start_line: 3 }],
  ['file_write', { filename: 'a.txt', file_text: 'x' }, { path: 'a.txt', content: 'x' }],
  ['edit_file', { path: 'a', old_str: 'x', newText: 'y' }, { path: 'a', old_string: 'x', new_string: 'y' }],
  [
    'edit_file',
    { path: 'a', oldString: 'x', newString: 'y', edits: [{ old_str: 'b', new_str: 'c' }] },
    { old_string: 'x', edits: [{ old_string: 'b', new_string: 'c' }] },
  ],
  ['vault_replace', { path: 'a.md', old_string: 'x', new_string: 'y' }, { find: 'x', replace: 'y' }],
  ['bash', { cmd: 'ls', run_in_background: true }, { command: 'ls', background: true }],
  ['shell_exec', { cmd: 'ls', workdir: 'sub' }, { command: 'ls', cwd: 'sub' }],
  ['list_files', { directory: 'src' }, { path: 'src' }],
  ['grep', { regex: 'x', include: '*.ts', '-i': true }, { pattern: 'x', glob: '*.ts', ignore_case: true }],
  ['bash_output', { bash_id: 'p1' }, { process_id: 'p1' }],
  ['web_fetch', { uri: 'https://example.com/' }, { url: 'https://example.com/' }],
  ['read_file', { file_path: 'a.txt', path: null, end_line: null }, { path: 'a.txt' }],
])('%s understands %j', (tool, sent, understood) => {
  expect(check(tool, sent)).toMatchObject({ ok: true, input: understood });
});

test('seconds that are plainly milliseconds are told as such', () => {
  const message = { en: 'is in seconds, at most 45 here; for 30000 ms, give 30' };
  expect(check('bash_output', { process_id: 'p1', wait: 30_000 })).toMatchObject({ field: 'wait', message });
  expect(check('call_result', { call_id: 'x', wait: 46 })).toMatchObject({
    message: { en: 'must be at most 45' },
  });
  expect(check('get_next_action', { timeout_seconds: 20_000 })).toMatchObject({
    message: { en: 'is in seconds, at most 50 here; for 20000 ms, give 20' },
  });
});

test.each<[tool: string, sent: object, field: string]>([
  // The argument itself is there, so that this one says something else.
  ['read_file', { path: 'a.txt', file_path: 'b.txt' }, 'file_path'],
  ['edit_file', { path: 'a', old_string: 'x', old_str: 'z', new_string: 'y' }, 'old_str'],
  // Two that mean one, and one that could mean two.
  ['read_file', { file_path: 'a.txt', filename: 'b.txt' }, 'path'],
  ['grep', { glob_pattern: '*.ts' }, 'pattern'],
  ['shelpa_write', { content: 'x', directory: 'a' }, 'path'],
  // A value that the argument does not take.
  ['read_file', { file_path: 7 }, 'path'],
  ['authenticate', { agent_id: 'a', passKey: 'secret', project_id: 'p' }, 'passkey'],
])('%s does not guess at %j', (tool, sent, field) => {
  expect(check(tool, sent)).toMatchObject({ ok: false, field });
});
