import { expect, test } from 'vitest';
import { codexEvent } from './events.ts';
import { openHooks } from './open-hooks.ts';

const ask = (cwd: string, tool: string, command: unknown, more = {}) =>
  codexEvent('PermissionRequest', cwd, tool, { command }, { tool_use_id: undefined, ...more });

test('what was let through is not asked about a second time, until it has run', async () => {
  await using hooks = await openHooks('codex');
  const pre = (command: string, use: string) =>
    codexEvent('PreToolUse', hooks.root, 'Bash', { command }, { tool_use_id: use });
  const answer = await hooks.tell(pre('echo a', 'u1'));
  const own = 'command' in answer ? answer.command : '';
  expect(await hooks.tell(ask(hooks.root, 'Bash', own))).toEqual({ kind: 'allow' });

  // Nothing of the following was let through: the client asks its person.
  for (const other of ['echo a', `${own}; ls`, '', 7])
    expect(await hooks.tell(ask(hooks.root, 'Bash', other))).toEqual({ kind: 'nothing' });
  const elsewhere = ask(hooks.root, 'Bash', own, { session_id: 'another' });
  expect(await hooks.tell(elsewhere)).toEqual({ kind: 'nothing' });

  await hooks.run('echo a');
  expect(await hooks.tell(ask(hooks.root, 'Bash', own))).toEqual({ kind: 'nothing' });
});

test('a patch is let through as a whole, and what was refused is nobody’s to approve', async () => {
  await using hooks = await openHooks('codex');
  const patch = (path: string) => `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`;
  const pre = (path: string, use: string) =>
    codexEvent('PreToolUse', hooks.root, 'apply_patch', { command: patch(path) }, { tool_use_id: use });
  expect(await hooks.tell(pre('a.txt', 'u1'))).toEqual({ kind: 'allow' });
  expect(await hooks.tell(ask(hooks.root, 'apply_patch', patch('a.txt')))).toEqual({ kind: 'allow' });
  expect(await hooks.tell(pre('/etc/x', 'u2'))).toMatchObject({ kind: 'deny' });
  expect(await hooks.tell(ask(hooks.root, 'apply_patch', patch('/etc/x')))).toEqual({ kind: 'nothing' });
});
