import { expect, test } from 'vitest';
import { ToolError } from '../../contract/error.ts';
import { verbatim } from '../../contract/text/text.ts';
import type { Connection } from './connect.ts';
import { Supervisor } from './supervise.ts';

test('a start that was under way when the cause of failures was mended is made again, and nobody is refused', async () => {
  const opened: PromiseWithResolvers<Connection>[] = [];
  const supervisor = new Supervisor({
    name: 'far',
    firstDelayMs: 60_000,
    onState: () => {},
    open() {
      opened.push(Promise.withResolvers<Connection>());
      return (opened.at(-1) as (typeof opened)[number]).promise;
    },
  });
  const noLogin = new ToolError('upstream_error', verbatim('It asks for a login.'));
  // Only its end is looked at.
  const connection = { closed: new Promise(() => {}), close: async () => {} } as unknown as Connection;

  const wanted = supervisor.connection(AbortSignal.timeout(60_000));
  supervisor.wake();
  opened[0]?.reject(noLogin);
  await expect.poll(() => opened.length).toBe(2);
  expect(supervisor.failure).toBeUndefined();
  opened[1]?.resolve(connection);

  expect(await wanted).toBe(connection);
  expect(supervisor.state).toEqual({ kind: 'ready' });
});

test('a start that nobody woke fails once', async () => {
  let opened = 0;
  const supervisor = new Supervisor({
    name: 'far',
    firstDelayMs: 60_000,
    onState: () => {},
    async open() {
      opened += 1;
      throw new ToolError('upstream_error', verbatim('It ended.'));
    },
  });
  await expect(supervisor.connection(AbortSignal.timeout(60_000))).rejects.toThrow('It ended.');
  expect(opened).toBe(1);
  expect(supervisor.state).toMatchObject({ kind: 'failed' });
  await supervisor.close();
});
