import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openWorkspace } from '../../src/confine/files/workspace.ts';
import { openCommands } from '../../src/confine/process/commands.ts';
import type { CapabilityName } from '../../src/contract/capabilities.ts';
import type { CheckedInput, ToolContext } from '../../src/contract/tool.ts';
import { createShellExec } from '../../src/tools/agent-cli/shell-exec.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-shell-exec-')));
mkdirSync(join(root, 'sub'));
writeFileSync(join(root, 'file'), '');
const workspace = openWorkspace({ roots: [{ path: root, writable: true }], protectedNames: [] });
const runner = openCommands({ roots: [{ hostPath: root, writable: true }], sandbox: 'off' });
afterAll(async () => {
  await runner.close();
  await workspace.close();
  rmSync(root, { recursive: true, force: true });
});

const tool = createShellExec();
const signal = new AbortController().signal;

async function call(input: Record<string, unknown>) {
  const checked = tool.check(input);
  if (!checked.ok) return checked;
  const notes: unknown[] = [];
  const context = {
    commands: runner.forSession('s'),
    files: workspace.folder,
    signal,
    locale: 'en',
    replyBytes: 30_000,
    progress() {},
    audit: () => {},
    meta: (facts: unknown) => notes.push(facts),
  } as unknown as ToolContext<CapabilityName>;
  const { structured } = await tool.run(checked.input, context);
  return { structured, notes };
}

test('a program with arguments, and a line for a shell, give streams and exit code', async () => {
  expect(await call({ command: 'printf', args: ['%s|', 'a b', '$HOME'] })).toMatchObject({
    structured: { stdout: 'a b|$HOME|', stderr: '', exitCode: 0, timed_out: false, truncated: false },
    notes: [{ sandbox: 'none' }],
  });
  expect(await call({ command: 'echo one | tr a-z A-Z; exit 4' })).toMatchObject({
    structured: { stdout: 'ONE\n', exitCode: 4 },
  });
  expect(await call({ command: "printf '%s\\n' 'x  y'", cwd: 'sub' })).toMatchObject({
    structured: { stdout: 'x  y\n' },
  });
});

test('cwd names a folder inside', async () => {
  expect(await call({ command: 'pwd', cwd: 'sub' })).toMatchObject({
    structured: { stdout: `${join(root, 'sub')}\n` },
  });
  await expect(call({ command: 'pwd', cwd: 'file' })).rejects.toMatchObject({ code: 'unsupported_type' });
  await expect(call({ command: 'pwd', cwd: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(call({ command: 'pwd', cwd: '/etc' })).rejects.toMatchObject({ code: 'out_of_scope' });
});

test('a timeout is told and never looks like a success', async () => {
  expect(await call({ command: 'sleep 60', timeout_ms: 300 })).toMatchObject({
    structured: { timed_out: true, exitCode: 143, signal: 'SIGTERM' },
  });
});

test.each([
  [{ command: '' }, 'command'],
  [{ command: '  ' }, 'command'],
  [{ command: 'a\0b' }, 'command'],
  [{ command: 'x'.repeat(32 * 1024 + 1) }, 'command'],
  [{ command: 'echo', args: ['a\0'] }, 'args.0'],
  [{ command: 'echo', args: Array(1001).fill('a') }, 'args'],
  [{ command: 'echo', args: ['x'.repeat(40_000)] }, 'args'],
  [{ command: 'echo', timeout_ms: 300_001 }, 'timeout_ms'],
  [{ command: 'echo', sandbox: 'off' }, 'sandbox'],
])('arguments out of bounds are refused by name: %#', async (input, field) => {
  expect(await call(input)).toMatchObject({ ok: false, field });
});

test('what is judged is what is run', async () => {
  const checked = tool.check({ command: 'rm -rf "a b"', cwd: 'sub' }) as CheckedInput;
  const context = {
    files: workspace.folder,
    commands: runner.forSession('s'),
  } as unknown as ToolContext<CapabilityName>;
  expect(await tool.risk?.(checked.input, context)).toEqual({
    command: { line: { kind: 'program', program: 'rm', args: ['-rf', 'a b'] }, dialect: 'plain' },
    workingFolder: 'sub',
  });
});
