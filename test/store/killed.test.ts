import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';

const rounds = process.env.SEKISHO_HAMMER ? 20 : 3;
const timeoutMs = rounds * 40_000;

test('what was acknowledged is there after kill -9, and the chain holds', {
  timeout: timeoutMs,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'records.db')}`;
  const acknowledged = new Set<string>();

  for (let round = 0; round < rounds; round += 1) {
    // Two at a time, killed at different moments: one dies while the other holds the lock, or waits for it.
    await Promise.all([0, 1].map((n) => recordAndDie(`r${round}p${n}`, 20 + round * 7 + n * 13)));
  }

  async function recordAndDie(name: string, lines: number): Promise<void> {
    const child: ChildProcess = spawn(
      process.execPath,
      [join(import.meta.dirname, 'append-records.ts'), url, name],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const ended = once(child, 'exit');
    if (!child.stdout) throw new Error('no stdout');
    let heard = 0;
    for await (const line of createInterface(child.stdout)) {
      acknowledged.add(line);
      heard += 1;
      if (heard === lines) child.kill('SIGKILL');
    }
    await ended;
  }

  const store = await openStore({ url });
  onTestFinished(() => store.close());
  const verdict = await store.audit.verify();
  expect(verdict).toMatchObject({ ok: true });
  const kept = new Set((await store.audit.search({ limit: 100_000 })).map(({ id }) => id));
  for await (const { id, content } of store.memoriesFor('local').all()) {
    kept.add(id);
    // Each memory is whole: stored, indexed and counted in one step.
    expect((await store.memoriesFor('local').recall({ query: content, limit: 1 }))[0]?.content).toBe(content);
  }
  expect(acknowledged.size).toBeGreaterThan(100);
  expect([...acknowledged].filter((id) => !kept.has(id))).toEqual([]);
  // Order within a process is the order of its calls.
  expect([...kept].filter((id) => id.startsWith('r0p0_') && id.endsWith('_written'))).toEqual(
    Array.from(
      { length: [...kept].filter((id) => id.startsWith('r0p0_') && id.endsWith('_written')).length },
      (_, i) => `r0p0_${i}_written`,
    ),
  );
});
