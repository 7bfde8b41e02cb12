import { openStore } from '../../src/store/open-store.ts';
import { auditRecord } from './records.ts';

/** A process that opens the records at a given moment, writes one of each and ends. */
const [url = '', name = '', startAtMs = '0'] = process.argv.slice(2);
while (Date.now() < Number(startAtMs)) await new Promise((resolve) => setImmediate(resolve));
const store = await openStore({ url });
await Promise.all([
  store.audit.write(auditRecord({ id: name })),
  store.tokens.create({ user: name }),
  store.memoriesFor('local').remember({ content: name, category: 'x', tags: [] }),
]);
await store.close();
