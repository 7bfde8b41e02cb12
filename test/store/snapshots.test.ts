import { afterAll, describe, expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { startEngines } from './engines.ts';
import { auditRecord } from './records.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

describe.each(engines)('on $name', ({ missing, createPlace }) => {
  test('several reads see one moment, whatever is committed between them', needs(missing), async () => {
    const place = await createPlace();
    const [here, there] = [await place.open(), await place.open()];
    const write = async ({ audit }: typeof here, id: string) => {
      await audit.write(auditRecord({ id }));
      await audit.flush();
    };
    await write(here, 'first');
    const engine = await here.engine();

    const seen = await engine.read(async (tx) => {
      const before = await tx.selectFrom('audit').select('seq').execute();
      // Of this store and of another server's.
      await write(here, 'second');
      await write(there, 'third');
      const after = await tx.selectFrom('audit').select('seq').execute();
      return [before.length, after.length];
    });

    expect(seen).toEqual([1, 1]);
    expect((await engine.read((tx) => tx.selectFrom('audit').select('seq').execute())).length).toBe(3);
  });

  test('nothing is changed in a read, and a failed one holds up no other', needs(missing), async () => {
    const { engine: open } = await (await createPlace()).open();
    const engine = await open();

    const changing = engine.read((tx) =>
      tx.insertInto('rates').values({ key: 'k', hits: 1, touched_at_ms: 1 }).execute(),
    );

    await expect(changing).rejects.toMatchObject({ code: 'unavailable' });
    expect(await engine.read((tx) => tx.selectFrom('rates').selectAll().execute())).toEqual([]);
  });

  test('thousands of reads at once let other work through', needs(missing), async () => {
    const engine = await (await (await createPlace()).open()).engine();
    let done = 0;
    const reads = Promise.all(
      Array.from({ length: 3000 }, async () => {
        await engine.read((tx) => tx.selectFrom('audit').select('seq').execute());
        done += 1;
      }),
    );
    const doneBefore = await new Promise<number>((resolve) =>
      setImmediate(() => setImmediate(() => resolve(done))),
    );
    await reads;
    expect(done).toBe(3000);
    expect(doneBefore).toBeLessThan(3000);
  });
});
