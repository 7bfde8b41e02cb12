import { openStore } from '../../src/store/open-store.ts';
import { auditRecord } from './records.ts';

/** A process that records until it is killed, and says on stdout which records it was told are kept. */
const [url = '', name = ''] = process.argv.slice(2);
const store = await openStore({ url });
for (let i = 0; ; i += 1) {
  await Promise.all([
    store.audit.write(auditRecord({ id: `${name}_${i}_written` })).then(() => {
      process.stdout.write(`${name}_${i}_written\n`);
    }),
    store.audit.note(auditRecord({ id: `${name}_${i}_noted` })),
  ]);
  const { memory } = await store
    .memoriesFor('local')
    .remember({ content: `${name} ${i}`, category: 'x', tags: [] });
  process.stdout.write(`${memory.id}\n`);
}
