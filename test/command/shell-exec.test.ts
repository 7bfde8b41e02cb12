import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import type { CapabilityName } from '../../src/contract/capabilities/capabilities.ts';
import type { CheckedInput, ToolContext } from '../../src/contract/tool/tool.ts';
import { openWorkspace } from '../../src/files/workspace.ts';
import { createShellExec } from '../../src/tools/agent-cli/shell-exec.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-shell-exec-')));
mkdirSync(join(root, 'sub'));
writeFileSync(join(root, 'file'), '');
const workspace = openWorkspace({ roots: [{ path: root, writable: true }], protectedNames: [] });
const runner = new CommandRunner({ roots: [{ hostPath: root, writable: true }], sandbox: 'off' });
afterAll(async () => {
  await runner.close();
  await workspace.close();
  rmSync(root, { recursive: true, force: true });
});

const tool = createShellExec();
const signal = new AbortController().signal;

async function call(input: Record<string, unknown>, patienceMs = 30_000) {
  const checked = tool.check(input);
  if (!checked.ok) return checked;
  const notes: unknown[] = [];
  const context = {
    commands: runner.forSession('s'),
    files: workspace.folder,
    signal,
    caller: { kind: 'local', principal: 'local', sessionId: 's' },
    locale: 'en',
    replyBytes: 30_000,
    patienceMs,
    progress() {},
    audit: () => {},
    meta: (facts: unknown) => notes.push(facts),
  } as unknown as ToolContext<CapabilityName>;
  const output = await tool.run(checked.input, context);
  const [first] = output.content('en');
  return { structured: output.structured, notes, text: first?.type === 'text' ? first.text : '' };
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

test('what outlasts the call goes on, is waited for and read to its end, and is ended', async () => {
  const begun = await call({ command: 'echo one; sleep 1; echo two; echo err >&2; exit 3' }, 300);
  expect(begun).toMatchObject({
    structured: {
      stdout: 'one\n',
      stderr: '',
      exitCode: -1,
      timed_out: false,
      process_id: 'p1',
      next_cursor: 4,
    },
    text: 'still running\ncontinue with: wait p1 4\nstdout:\none\n',
  });
  const silent = await call({ command: 'wait', args: ['p1', '4'] }, 100);
  expect(silent).toMatchObject({ structured: { stdout: '', exitCode: -1, next_cursor: 4 } });
  const ended = await call({ command: 'wait p1 4' });
  expect(ended).toMatchObject({ structured: { stdout: 'two\nerr\n', exitCode: 3 } });
  expect(ended).not.toHaveProperty('structured.process_id');
  expect(await call({ command: 'wait p1' })).toMatchObject({ structured: { stdout: 'one\ntwo\nerr\n' } });

  await call({ command: 'sleep 600' }, 100);
  expect(await call({ command: 'kill p2' })).toMatchObject({
    structured: { exitCode: 143, signal: 'SIGTERM' },
  });
  await call({ command: 'sleep 600', timeout_ms: 500 }, 100);
  expect(await call({ command: 'wait p3' })).toMatchObject({
    structured: { exitCode: 143, timed_out: true },
  });
  await call({ command: 'python3 -c "import time; print(1); time.sleep(600)"' }, 100);
  await expect.poll(() => call({ command: 'wait p4' }, 100)).toMatchObject({ structured: { stdout: '1\n' } });
  expect(await call({ command: 'kill -INT p4' })).toMatchObject({
    structured: { exitCode: 130, stdout: expect.stringContaining('KeyboardInterrupt') },
  });
  expect(await call({ command: 'sleep 60', timeout_ms: 30 })).toMatchObject({
    text: expect.stringMatching(/^exit code 143\nstopped: it ran out of time \(timeout_ms, \d+ ms\)/),
  });
  await expect(call({ command: 'wait p9' })).rejects.toMatchObject({ code: 'not_found' });
});

test('a long output of it is read page by page', async () => {
  await call({ command: 'seq 1 20000; sleep 0.5' }, 100);
  let read = '';
  for (
    let page = { next_cursor: 0 } as { stdout?: string; next_cursor?: number };
    page.next_cursor !== undefined;
  ) {
    const reply = await call({ command: `wait p5 ${page.next_cursor}` });
    page = (reply as { structured: typeof page }).structured;
    read += page.stdout;
  }
  expect(read.trimEnd().split('\n')).toEqual(Array.from({ length: 20_000 }, (_, index) => `${index + 1}`));
});

test.each([
  'wait',
  'wait 123',
  'wait p1 p2',
  'wait p1; true',
  'kill p1 p2',
  'kill -9 p1',
  'kill 1',
  'wait p1 -1',
])('%s is a command like any other, and judged', async (command) => {
  const checked = tool.check({ command }) as CheckedInput;
  const context = { files: workspace.folder, commands: runner.forSession('s') };
  const risk = await tool.risk?.(checked.input, context as unknown as ToolContext<CapabilityName>);
  expect(risk?.command).toBeDefined();
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
    command: {
      line: { kind: 'program', program: 'rm', args: ['-rf', 'a b'] },
      dialect: 'listed',
      dryRun: false,
      endsWithCall: true,
    },
    workingFolder: 'sub',
  });
});
