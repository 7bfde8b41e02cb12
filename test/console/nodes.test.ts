import { expect, test } from 'vitest';
import { openConsole } from './console-world.ts';

test('the operator sees who serves on the same records, how busy and in which version; nobody else does', async () => {
  const world = await openConsole();
  const cookie = await world.enter();
  const alone = await (await world.get('/', cookie)).text();
  await world.store.nodes.beat({
    id: 'n2',
    host: 'web-2<b>',
    address: '10.0.0.2:7040',
    version: '9.8.7',
    pid: 4711,
    startedAtMs: Date.now(),
    isDraining: true,
    calls: 3,
    load: 0.25,
    residentBytes: 100 * 1024 * 1024,
    roots: ['/srv/project'],
  });

  const operator = await (await world.get('/', cookie)).text();
  const { cookie: other } = await world.enterByToken(world.token);
  const somebody = await (await world.get('/', other)).text();

  expect(alone).not.toContain('Servers on these records');
  expect(operator).toContain('web-2&lt;b&gt;:4711');
  expect(operator).toContain('9.8.7 · 3 calls · CPU 25 % · 100 MiB');
  expect(operator).toContain('<code>/srv/project</code>');
  expect(operator).toContain('draining');
  expect(somebody).not.toContain('web-2');
});
