import { expect, test } from 'vitest';
import { claudeEvent, codexEvent, cursorEvent, geminiEvent } from './events.ts';
import { openHooks } from './open-hooks.ts';

const web = { allowHosts: ['*.example.com', 'example.com'], denyHosts: ['evil.example.com'] };

test.each([
  'file:///etc/passwd',
  'ftp://example.com/x',
  'http://127.0.0.1/',
  'http://0x7f.1/',
  'http://2130706433/',
  'http://[::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://169.254.169.254/latest/meta-data',
  'http://localhost/',
  'http://router.local/',
  'http://intranet/',
  'https://user:secret@example.com/',
  'https://example.com:22/',
  'https://evil.example.com/',
  'https://example.org/',
  'https://example.com\\@evil.example/',
  'data:text/html,x',
  'nonsense',
])('a page at %s is refused to a client, too', async (url) => {
  await using hooks = await openHooks('claude', { config: { web } });
  const event = claudeEvent('PreToolUse', hooks.root, 'WebFetch', { url, prompt: 'x' });
  expect(await hooks.tell(event)).toMatchObject({ kind: 'deny' });
});

test('inner addresses are refused where no host is listed, either', async () => {
  await using hooks = await openHooks('claude');
  for (const url of ['http://127.0.0.1/', 'http://localhost:8080/', 'file:///etc/passwd']) {
    const event = claudeEvent('PreToolUse', hooks.root, 'WebFetch', { url, prompt: 'x' });
    expect(await hooks.tell(event), url).toMatchObject({ kind: 'deny' });
  }
});

test('where a name leads is not known, so a page is left to the client and its person', async () => {
  const url = 'https://example.com/a';
  for (const [client, event] of [
    ['claude', (root: string) => claudeEvent('PreToolUse', root, 'WebFetch', { url, prompt: 'x' })],
    ['gemini', (root: string) => geminiEvent('BeforeTool', root, 'web_fetch', { prompt: `read ${url}` })],
    ['cursor', (root: string) => cursorEvent('preToolUse', root, 'WebFetch', { url })],
  ] as const) {
    await using hooks = await openHooks(client, { config: { web } });
    expect(await hooks.tell(event(hooks.root)), client).toEqual({ kind: 'nothing' });
  }
});

test.each([
  '../**',
  '{src,../..}/*',
  '{/etc,src}/*',
  '~/**',
  '~root/.ssh/*',
  '{~,src}/*',
  'src/../../*',
  '*/../../*',
  './../*',
  '@(..|src)/*',
  '\\.\\./*',
  '/etc/*',
])('names outside are not listed for a client: %s', async (pattern) => {
  for (const [client, event] of [
    ['claude', (root: string) => claudeEvent('PreToolUse', root, 'Glob', { pattern })],
    ['gemini', (root: string) => geminiEvent('BeforeTool', root, 'glob', { pattern })],
    ['cursor', (root: string) => cursorEvent('preToolUse', root, 'Glob', { glob_pattern: pattern })],
  ] as const) {
    await using hooks = await openHooks(client);
    const answer = await hooks.tell(event(hooks.root));
    expect(['deny', 'ask'], `${client} ${JSON.stringify(answer)}`).toContain(answer.kind);
  }
});

test.each(['**/*.ts', '{src,test}/**', './src/*.{ts,js}', 'a..b/*', 'src/[a-z]*', '{a,b}'])(
  'names inside are: %s',
  async (pattern) => {
    await using hooks = await openHooks('claude', { files: { 'src/a.ts': '' } });
    const event = claudeEvent('PreToolUse', hooks.root, 'Glob', { pattern });
    expect(await hooks.tell(event)).toEqual({ kind: 'allow', command: undefined });
  },
);

test('another tool or more arguments with the words of an open patch are nobody’s to approve', async () => {
  await using hooks = await openHooks('codex');
  const command = '*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch';
  const ask = (tool: string, input: unknown) =>
    codexEvent('PermissionRequest', hooks.root, tool, input, { tool_use_id: undefined });
  const pre = codexEvent('PreToolUse', hooks.root, 'apply_patch', { command }, { tool_use_id: 'u1' });
  expect(await hooks.tell(pre)).toEqual({ kind: 'allow', command: undefined });
  for (const request of [
    ask('mcp__other__run', { command }),
    ask('Bash', { command }),
    ask('Bash', { command, description: 'needs to run outside of the sandbox' }),
    ask('apply_patch', { command, sandbox_permissions: 'require_escalated' }),
    ask('apply_patch', { command, cwd: '/' }),
    ask('apply_patch', [command]),
    ask('apply_patch', command),
  ])
    expect(await hooks.tell(request)).toEqual({ kind: 'nothing' });
  expect(await hooks.tell(ask('apply_patch', { command }))).toEqual({ kind: 'allow' });
});

test('a path in the home folder is outside, though no file of the root has that name', async () => {
  for (const [client, event] of [
    ['claude', (root: string) => claudeEvent('PreToolUse', root, 'Read', { file_path: '~/notes.txt' })],
    ['claude', (root: string) => claudeEvent('PreToolUse', root, 'Grep', { pattern: 'x', path: '~' })],
    ['claude', (root: string) => claudeEvent('PreToolUse', root, 'Glob', { pattern: '*', path: '~' })],
    ['codex', (root: string) => codexEvent('PreToolUse', root, 'view_image', { path: '~/a.png' })],
    ['gemini', (root: string) => geminiEvent('BeforeTool', root, 'read_file', { file_path: '~/notes.txt' })],
    ['cursor', (root: string) => cursorEvent('preToolUse', root, 'Read', { file_path: '~/notes.txt' })],
  ] as const) {
    await using hooks = await openHooks(client);
    const answer = await hooks.tell(event(hooks.root));
    expect(['deny', 'ask'], `${client} ${JSON.stringify(answer)}`).toContain(answer.kind);
  }
});
