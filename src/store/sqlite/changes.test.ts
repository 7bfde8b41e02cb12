import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createSqliteChanges } from './changes.ts';

function openBoth() {
  const folder = mkdtempSync(join(tmpdir(), 'changes-'));
  const [here, there] = [open(join(folder, 'db')), open(join(folder, 'db'))];
  here.exec('create table t (n)');
  const { changes, close } = createSqliteChanges(here);
  onTestFinished(() => {
    close();
    for (const each of [here, there]) each.close();
    rmSync(folder, { recursive: true });
  });
  return { here, there, changes };
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec('pragma journal_mode=wal');
  return database;
}

test('who waits is woken by what another process commits, each time, and not by our own commits', async () => {
  const { here, there, changes } = openBoth();
  for (let times = 0; times < 5; times++) {
    const woken = changes.next('team/p', 60_000);
    there.exec('insert into t values (1)');
    await woken;
  }

  const beganAt = performance.now();
  const waiting = changes.next('team/p', 300);
  here.exec('insert into t values (1)');
  await waiting;

  expect(performance.now() - beganAt).toBeGreaterThan(290);
});

test('a topic of this process wakes its waiters at once', async () => {
  const { changes } = openBoth();
  let woken = '';
  const both = ['p', 'q'].map((topic) => changes.next(topic, 200).then(() => (woken += topic)));
  changes.tell('q');
  await both[1];

  expect(woken).toBe('q');
});
