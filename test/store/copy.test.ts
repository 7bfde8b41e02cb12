import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { copyStore } from '../../src/store/copy.ts';
import { startEngines } from './engines.ts';
import { approvalInput, auditRecord } from './records.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const ways = engines.flatMap((from) =>
  engines.map((to) => ({ from, to, way: `${from.name} to ${to.name}` })),
);

test.for(ways)('everything moves from $way, and the chain still holds', async ({ from, to }, { skip }) => {
  if (from.missing !== undefined || to.missing !== undefined) skip(from.missing ?? to.missing);
  const [here, there] = [await from.createPlace(), await to.createPlace()];
  const old = await here.open();
  await Promise.all(
    Array.from({ length: 1_200 }, (_, i) => old.audit.note(auditRecord({ id: `call_${i}` }))),
  );
  await old.audit.flush();
  const { token, record } = await old.tokens.create({ user: 'ann' });
  const approval = await old.approvals.request(approvalInput, 1_000);
  for (const content of ['好きな色は青', 'Ann bought a bicycle'])
    await old.memoriesFor('user:ann').remember({ content, category: 'general', tags: ['t'] });

  copyFileSync(join(here.folder, 'audit.key'), join(there.folder, 'audit.key'));
  const moved = await there.open();
  await copyStore(await old.engine(), await moved.engine());

  expect(await moved.audit.verify()).toMatchObject({ ok: true, entries: 1_200 });
  await moved.audit.write(auditRecord({ id: 'after' }));
  expect(await moved.audit.verify()).toMatchObject({ ok: true, entries: 1_201 });
  expect(await moved.tokens.find(token, 0)).toEqual(record);
  expect(await moved.approvals.list('pending', 1_000)).toEqual([approval]);
  const memories = moved.memoriesFor('user:ann');
  expect((await memories.recall({ query: '好きな色', limit: 1 }))[0]?.content).toBe('好きな色は青');
  expect((await memories.recall({ query: 'buying bicycles', limit: 1 }))[0]?.content).toBe(
    'Ann bought a bicycle',
  );
  expect(await memories.remember({ content: 'new', category: 'x', tags: [] })).toMatchObject({
    duplicate: false,
  });
  await expect(copyStore(await old.engine(), await moved.engine())).rejects.toThrow(/must be empty/);
});
