import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { ContentBlock } from '../../src/contract/call.ts';
import type { ToolContext } from '../../src/contract/tool/tool.ts';
import { asReadOnly, openWorkspace } from '../../src/files/workspace.ts';
import { type AgentCliOptions, createAgentCliToolset } from '../../src/tools/agent-cli/index.ts';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

function openTools(options: Partial<AgentCliOptions> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agent-cli-')));
  const { folder, close } = openWorkspace({ roots: [{ path: root, writable: true }] });
  cleanUps.push(() => {
    close();
    rmSync(root, { recursive: true });
  });
  const { tools } = createAgentCliToolset({ allowMime: [], allowExecutable: false, ...options });
  const facts: unknown[] = [];

  async function call(name: string, input: unknown) {
    const tool = tools.find((each) => each.name === name);
    const checked = tool?.check(input);
    if (!tool || !checked?.ok) throw new Error(`refused by its schema: ${JSON.stringify(checked)}`);
    const context = {
      caller: { kind: 'local', principal: 'local', sessionId: 's', remote: false },
      signal: new AbortController().signal,
      locale: 'en',
      replyBytes: 30_000,
      progress() {},
      audit: (fact: unknown) => facts.push(fact),
      meta() {},
      files: tool.annotations.readOnly ? asReadOnly(folder) : folder,
    } as unknown as ToolContext<'files'>;
    const output = await tool.run(checked.input, context as never);
    return { ...output.structured, blocks: output.content('en') as readonly ContentBlock[] };
  }
  return { root, call, facts };
}

test('file_read returns a text as it is', async () => {
  const { root, call } = openTools();
  writeFileSync(join(root, 'a.md'), '# Title\r\nbody\n');
  expect(await call('file_read', { path: 'a.md' })).toEqual({
    content: '# Title\r\nbody\n',
    encoding: 'utf-8',
    truncated: false,
    total_lines: 2,
    blocks: [{ type: 'text', text: '# Title\r\nbody\n' }],
  });
});

test('a long text is cut at a line end and says how to go on', async () => {
  const { root, call } = openTools();
  writeFileSync(join(root, 'long.txt'), 'nine char\n'.repeat(5000));
  const first = await call('file_read', { path: 'long.txt' });
  expect(first).toMatchObject({ truncated: true, next_start_line: 3001, total_lines: 5000 });
  expect(first.blocks.at(-1)).toEqual({
    type: 'text',
    text: '[More follows: continue with start_line 3001.]',
  });
  const second = await call('file_read', { path: 'long.txt', start_line: 3001 });
  expect(second).toMatchObject({ truncated: false, total_lines: 5000 });
  expect(second).not.toHaveProperty('next_start_line');
  const all = await call('file_read', { path: 'long.txt', max_chars: 8_000_000 });
  expect(all).toMatchObject({ content: 'nine char\n'.repeat(5000), truncated: false });
});

test('file_read returns no other kind of file unless that kind is allowed', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001', 'hex');
  const pdf = Buffer.from('%PDF-1.7\n');
  const strict = openTools();
  writeFileSync(join(strict.root, 'picture.txt'), png);
  await expect(strict.call('file_read', { path: 'picture.txt' })).rejects.toMatchObject({
    code: 'unsupported_encoding',
    message: expect.stringContaining('image/png'),
    suggestion: { en: expect.stringContaining('--allow-mime image/png') },
  });

  const open = openTools({ allowMime: ['image/*', 'application/pdf'] });
  writeFileSync(join(open.root, 'p.png'), png);
  writeFileSync(join(open.root, 'p q.pdf'), pdf);
  writeFileSync(join(open.root, 'p.zip'), Buffer.from('504b0304140000000800', 'hex'));
  expect(await open.call('file_read', { path: 'p.png' })).toMatchObject({
    encoding: 'base64',
    mime_type: 'image/png',
    content: png.toString('base64'),
    blocks: [{ type: 'image', mimeType: 'image/png', data: png.toString('base64') }],
  });
  expect((await open.call('file_read', { path: 'p q.pdf' })).blocks).toEqual([
    {
      type: 'resource',
      resource: { uri: 'workspace:p%20q.pdf', mimeType: 'application/pdf', blob: pdf.toString('base64') },
    },
  ]);
  await expect(open.call('file_read', { path: 'p.zip' })).rejects.toMatchObject({
    code: 'unsupported_encoding',
  });
});

test('a path outside is refused, with the option that would allow it', async () => {
  const { call } = openTools();
  await expect(call('file_read', { path: '/data/x.txt' })).rejects.toMatchObject({
    code: 'out_of_scope',
    message: '/data/x.txt is outside the allowed folders.',
    suggestion: { en: 'Start with --allow-path /data to allow it.' },
  });
  await expect(call('file_read', { path: '/x.txt' })).rejects.toMatchObject({
    suggestion: { en: 'Start with --allow-path /x.txt to allow it.' },
  });
});

test('file_write creates, refuses to replace, and replaces when told to', async () => {
  const { root, call, facts } = openTools();
  expect(await call('file_write', { path: 'n/a.md', content: 'one' })).toMatchObject({
    success: true,
    written_bytes: 3,
    created: true,
    blocks: [{ type: 'text', text: 'Created n/a.md: 3 bytes.' }],
  });
  await expect(call('file_write', { path: 'n/a.md', content: 'two' })).rejects.toMatchObject({
    code: 'conflict',
    suggestion: { en: 'Set overwrite to true to replace it, or choose another name.' },
  });
  expect(readFileSync(join(root, 'n/a.md'), 'utf8')).toBe('one');
  await call('file_write', { path: 'n/a.md', content: 'two', overwrite: true });
  expect(readFileSync(join(root, 'n/a.md'), 'utf8')).toBe('two');
  expect(facts).toEqual([
    { wrote: 'n/a.md', bytes: 3, created: true },
    { wrote: 'n/a.md', bytes: 3, created: false },
  ]);
});

test.each([
  ['a.exe', 'x'],
  ['a.SH', 'x'],
  ['a.bat.', 'x'],
  ['a.cmd  ', 'x'],
  ['a.ｓｈ', 'x'],
  ['a.sh::$DATA', 'x'],
  ['.sh', 'x'],
  ['a.app/Contents/run.py', '#!/usr/bin/env python3\n'],
  ['notes.txt', '#!/bin/sh\nrm -rf ~\n'],
  ['notes.txt', '\ufeff#!/bin/sh\n'],
  ['notes.txt', '\x7fELF\x02'],
  ['notes.txt', 'MZ\x90\0\x03\0'],
])('file_write refuses the program %j', async (path, content) => {
  const { root, call } = openTools();
  await expect(call('file_write', { path, content })).rejects.toMatchObject({
    code: 'denied',
    suggestion: { en: expect.stringContaining('--allow-executable') },
  });
  expect(existsSync(join(root, path))).toBe(false);

  const builder = openTools({ allowExecutable: true });
  await builder.call('file_write', { path, content });
  expect(readFileSync(join(builder.root, path), 'utf8')).toBe(content);
});

test.each([
  ['main.py', 'print(1)'],
  ['index.js', 'x'],
  ['Makefile', 'all:'],
  ['shell.md', '```sh\n#!/bin/sh\n```'],
  ['MZ.txt', 'MZ is how programs for DOS begin.'],
  ['a.sh.md', 'x'],
  ['no extension', ''],
])('file_write writes the ordinary file %j', async (path, content) => {
  const { root, call } = openTools();
  await call('file_write', { path, content });
  expect(readFileSync(join(root, path), 'utf8')).toBe(content);
});

test('file_write does not give a program new content', async () => {
  const { root, call } = openTools();
  writeFileSync(join(root, 'tool'), 'echo old\n');
  chmodSync(join(root, 'tool'), 0o755);
  await expect(
    call('file_write', { path: 'tool', content: 'echo new\n', overwrite: true }),
  ).rejects.toMatchObject({
    code: 'denied',
  });
  expect(readFileSync(join(root, 'tool'), 'utf8')).toBe('echo old\n');
});

test('a kind that is none stops start-up', () => {
  expect(() => createAgentCliToolset({ allowMime: ['png'], allowExecutable: false })).toThrow(/"png"/);
});
