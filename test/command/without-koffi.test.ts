import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';

const sekisho = join(import.meta.dirname, '../../dist/sekisho.js');
const without = join(import.meta.dirname, '../support/without-koffi.ts');

test('a session without a sandbox and without koffi keeps its folder and its exports', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-without-koffi-')));
  const root = join(base, 'root');
  mkdirSync(join(root, 'sub'), { recursive: true });
  const config = join(base, 'sekisho.jsonc');
  writeFileSync(config, JSON.stringify({ process: { sandbox: 'off' }, mode: 'full-access' }));
  const places = ['--root', root, '--state', join(base, 'state'), '--config', config];
  const client = new Client({ name: 'without-koffi', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--import', without, sekisho, 'serve', '--alone', '--profile', 'coding', ...places],
      env: { HOME: base, PATH: process.env.PATH ?? '' },
      stderr: 'ignore',
    }),
  );
  const run = async (command: string) =>
    Object((await client.callTool({ name: 'bash', arguments: { command } })).structuredContent);
  // It is not there, or the calls of commands would be handed over.
  expect((await run('cd sub; export MADE=here')).stderr).toContain('[history: not recorded');
  expect(await run('pwd; echo "$MADE"')).toMatchObject({ stdout: `${join(root, 'sub')}\nhere\n` });
  expect(await run('sleep 600 & exit 3')).toMatchObject({ exit_code: 3, folder: 'sub' });
  await client.close();
  rmSync(base, { recursive: true, force: true });
});
