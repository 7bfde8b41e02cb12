import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { auditRecord } from './records.ts';

const rows = 60;
const original = mkdtempSync(join(tmpdir(), 'sekisho-audit-'));

beforeAll(async () => {
  const store = await openStore({ url: `sqlite:${join(original, 'records.db')}` });
  await Promise.all(
    Array.from({ length: rows }, (_, i) =>
      store.audit.write(auditRecord({ id: `call_${i}`, atMs: i, tool: `tool_${i % 3}` })),
    ),
  );
  await store.close();
});
afterAll(() => rmSync(original, { recursive: true, force: true }));

/** What verify says of a copy that somebody without the key had in their hands. */
async function verifyAfter(tamper: (database: DatabaseSync, folder: string) => void) {
  const folder = copyOfLog();
  const database = new DatabaseSync(join(folder, 'records.db'));
  try {
    tamper(database, folder);
  } finally {
    database.close();
  }
  const store = await openStore({ url: `sqlite:${join(folder, 'records.db')}` });
  const verdict = await store.audit.verify().finally(() => store.close());
  rmSync(folder, { recursive: true, force: true });
  return verdict;
}

function copyOfLog(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-audit-copy-'));
  for (const name of ['records.db', 'audit.key']) copyFileSync(join(original, name), join(folder, name));
  return folder;
}

describe('an audit log in other hands', () => {
  test('holds where nothing was touched', async () => {
    expect(await verifyAfter(() => {})).toMatchObject({ ok: true, entries: rows });
  });

  test('shows any changed character of any column', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: rows }),
        fc.constantFrom('at_ms', 'principal', 'tool', 'outcome', 'body', 'hash'),
        fc.nat(),
        async (seq, column, place) => {
          const verdict = await verifyAfter((database) => {
            const row = database.prepare(`select ${column} as value from audit where seq = ?`).get(seq);
            const before = String(row?.value);
            const at = place % before.length;
            const after = before.slice(0, at) + (before[at] === '1' ? '2' : '1') + before.slice(at + 1);
            database
              .prepare(`update audit set ${column} = ? where seq = ?`)
              .run(column === 'at_ms' ? Number(after) : after, seq);
          });
          expect(verdict).toMatchObject({ ok: false, seq });
        },
      ),
      { seed: 20260201, numRuns: 40 },
    );
  });

  test.each([
    ['an entry deleted from the middle', 'delete from audit where seq = 30', 30],
    ['the first entry deleted', 'delete from audit where seq = 1', 1],
    ['the last entries cut', 'delete from audit where seq > 50', 51],
    ['all entries deleted', 'delete from audit', 1],
    [
      'the last entries cut and the head set back',
      'delete from audit where seq > 50; update audit_head set seq = 50, hash = (select hash from audit where seq = 50)',
      50,
    ],
    ['everything removed, head and all', 'delete from audit; delete from audit_head', 0],
    [
      'the entries numbered anew after a deletion',
      'delete from audit where seq = 30; update audit set seq = seq - 1 where seq > 30',
      30,
    ],
    [
      'two neighbours exchanged',
      'update audit set seq = -1 where seq = 7; update audit set seq = 7 where seq = 8; update audit set seq = 8 where seq = -1',
      7,
    ],
    [
      'an entry added at the end',
      'insert into audit select 61, at_ms, principal, tool, outcome, body, hash from audit where seq = 60',
      61,
    ],
    [
      'an entry added before the first',
      'insert into audit select 0, at_ms, principal, tool, outcome, body, hash from audit where seq = 60',
      0,
    ],
    ['the head removed', 'delete from audit_head', 1],
    ['the head changed', "update audit_head set hash = 'x'", 60],
  ])('shows %s', async (_title, sql, seq) => {
    expect(await verifyAfter((database) => database.exec(sql))).toMatchObject({ ok: false, seq });
  });

  test('cannot be chained anew without the key', async () => {
    const forger = mkdtempSync(join(tmpdir(), 'sekisho-forger-'));
    onTestFinished(() => rmSync(forger, { recursive: true, force: true }));
    const store = await openStore({ url: `sqlite:${join(forger, 'records.db')}` });
    await store.audit.write(auditRecord({ id: 'forged' }));
    await store.close();

    const verdict = await verifyAfter((database) => {
      database.exec(`attach '${join(forger, 'records.db')}' as forged;
        delete from audit; delete from audit_head;
        insert into audit select * from forged.audit; insert into audit_head select * from forged.audit_head`);
    });

    expect(verdict).toMatchObject({ ok: false });
  });

  test.each([
    [
      'was set back',
      'delete from audit where seq > 50; update audit_head set seq = 50, hash = (select hash from audit where seq = 50)',
    ],
    ['is gone', 'delete from audit; delete from audit_head'],
  ])('takes no new entries where the head %s', async (_title, sql) => {
    const folder = copyOfLog();
    const database = new DatabaseSync(join(folder, 'records.db'));
    database.exec(sql);
    database.close();
    const store = await openStore({ url: `sqlite:${join(folder, 'records.db')}` });
    onTestFinished(async () => {
      await store.close().catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    });

    await expect(store.audit.write(auditRecord())).rejects.toMatchObject({ code: 'unavailable' });
    expect(
      await (await store.engine()).db.selectFrom('audit').select('seq').where('seq', '=', 51).execute(),
    ).toEqual([]);
  });
});

describe('the audit key', () => {
  test('lies beside the records, for their owner only', () => {
    for (const name of ['audit.key', 'records.db'])
      expect(statSync(join(original, name)).mode & 0o777).toBe(0o600);
    expect(statSync(original).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(original, 'audit.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(existsSync(join(original, 'audit.key.new'))).toBe(false);
  });

  test('of a start that was killed half-way is used by the next one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-key-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'audit.key.new'), `${'ab'.repeat(32)}\n`);
    const store = await openStore({ url: `sqlite:${join(folder, 'records.db')}` });
    await store.audit.write(auditRecord());

    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 1 });
    expect(readFileSync(join(folder, 'audit.key'), 'utf8')).toBe(`${'ab'.repeat(32)}\n`);
    await store.close();
  });

  test('that is damaged stops the server from recording with another', async () => {
    const folder = copyOfLog();
    writeFileSync(join(folder, 'audit.key'), 'short\n');
    const store = await openStore({ url: `sqlite:${join(folder, 'records.db')}` });
    onTestFinished(async () => {
      await store.close().catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    });

    await expect(store.audit.write(auditRecord())).rejects.toThrow(/64 hexadecimal digits/);
  });
});
