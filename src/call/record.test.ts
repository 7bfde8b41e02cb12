import { expect, test } from 'vitest';
import type { Call, Reply } from '../contract/call.ts';
import type { AuditLog } from '../contract/records.ts';
import { openRecord } from './record.ts';

const call: Call = {
  tool: 'file_write',
  input: {},
  arrival: { transport: 'cli' },
  signal: new AbortController().signal,
};
const reply: Reply = { kind: 'error', code: 'not_found', text: '', structured: { error: {} } };

/** A log whose note is written when the test says so. */
function openLog() {
  const events: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const note = () => promise.then(() => void events.push('recorded'));
  return { events, written: resolve, log: { note } as unknown as AuditLog };
}

test('a record closes when it is written and what the call changed is on the disk, whichever is later', async () => {
  const { events, written, log } = openLog();
  const record = openRecord(call, () => 0);
  const onDisk = Promise.withResolvers<void>();
  record.waitsFor.push(onDisk.promise);
  const closed = record.close(reply, undefined, log).then(() => events.push('closed'));

  written();
  await new Promise(setImmediate);
  expect(events).toEqual(['recorded']);
  onDisk.resolve();
  await closed;
  expect(events).toEqual(['recorded', 'closed']);
});

test('where the disk refuses a change, closing fails, and not before the record is written', async () => {
  const { events, written, log } = openLog();
  const record = openRecord(call, () => 0);
  record.waitsFor.push(Promise.reject(new Error('EIO')));
  const closed = record.close(reply, undefined, log).catch((error) => events.push(String(error)));

  await new Promise(setImmediate);
  expect(events).toEqual([]);
  written();
  await closed;
  expect(events).toEqual(['recorded', 'Error: EIO']);
});
