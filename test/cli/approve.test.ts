import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { main } from '../../src/cli/main.ts';
import { loadSettings } from '../../src/config/load.ts';
import { verbatim } from '../../src/contract/text/text.ts';

let folder = '';
let flags: readonly string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-approve-'));
  mkdirSync(join(folder, 'root'));
  flags = ['--root', join(folder, 'root'), '--state', join(folder, 'state')];
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** What the records of this place hold while nobody serves it. */
async function withStore<T>(
  work: (store: Awaited<ReturnType<Awaited<ReturnType<typeof openCheckpoint>>['store']>>) => Promise<T>,
): Promise<T> {
  const settings = loadSettings({ root: join(folder, 'root'), state: join(folder, 'state') });
  const checkpoint = await openCheckpoint(settings);
  try {
    return await work(await checkpoint.store());
  } finally {
    await checkpoint.close();
  }
}

function ask(digest: string): Promise<string> {
  const nowMs = Date.now();
  const question = {
    principal: 'user:ada',
    sessionId: 's',
    tool: 'shell_exec',
    digest,
    message: verbatim('git push'),
    rule: 'r',
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 60_000,
    grant: 'g',
  };
  return withStore(async ({ approvals }) => (await approvals.request(question, nowMs)).id);
}

test('answers given on the command line stand in the audit log with who gave them', async () => {
  const [one, other] = [await ask('1'), await ask('2')];
  expect(await main(['approve', one, '--always', ...flags])).toBe(0);
  expect(await main(['approve', other, '--deny', ...flags])).toBe(0);
  expect(await main(['approve', other, ...flags])).toBe(1);
  expect(await main(['approve', 'revoke', one, ...flags])).toBe(0);
  expect(await main(['approve', ...flags])).toBe(0);

  const entries = await withStore(({ audit }) => audit.search({ limit: 10 }));
  const by = { principal: `cli:${userInfo().username}`, transport: 'cli' };
  expect(entries).toMatchObject([
    {
      ...by,
      tool: 'sekisho approve',
      arguments: { id: one, decision: 'approved', scope: 'always' },
      outcome: 'ok',
    },
    { ...by, tool: 'sekisho approve', arguments: { id: other, decision: 'declined' }, outcome: 'ok' },
    { ...by, tool: 'sekisho approve', arguments: { id: other }, outcome: 'error', code: 'conflict' },
    { ...by, tool: 'sekisho approve revoke', arguments: { id: one }, outcome: 'ok' },
  ]);
  expect(entries).toHaveLength(4);
});
