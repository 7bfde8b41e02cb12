/**
 * Sixty ways to send words to a listed host, and sixty to read from it, by real programs in a session's sandbox: no byte of
 * a body arrives before a person was asked, and no reading way is asked about. `npx vitest run --project slow test/edge/ways`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs, programs, sandbox } from '../support/needs.ts';
import { reading, sending, type Way } from './ways/table.ts';
import { openWays, words } from './ways/world.ts';

describe('Sixty ways', needs(sandbox('bubblewrap')), () => {
  let world: Awaited<ReturnType<typeof openWays>>;
  beforeAll(async () => {
    world = await openWays();
  }, 120_000);
  afterAll(() => world.close());

  for (const [at, { line, program }] of sending.entries())
    test(`asked: ${line}`, { ...needs(programs(program)), timeout: 90_000 }, async () => {
      const before = await world.asked();
      world.arrived.length = 0;
      const output = await world.run(line, at);
      expect(world.arrived.filter((each) => tells(each, words(at)))).toEqual([]);
      expect(await world.asked(), JSON.stringify(output)).toBeGreaterThan(before);
    });

  for (const [at, { line, program }] of reading.entries())
    test(`unasked: ${line}`, { ...needs(programs(program)), timeout: 90_000 }, async () => {
      const before = await world.asked();
      world.arrived.length = 0;
      const output = await world.run(line, at);
      expect(await world.asked(), JSON.stringify(output)).toBe(before);
      expect(world.arrived.length, JSON.stringify(output)).toBeGreaterThan(0);
      expect(output, JSON.stringify(output)).toMatchObject({ exit_code: 0 });
    });

  test('there are sixty of each', () => {
    const here = (ways: readonly Way[]) => ways.filter(({ program }) => !programs(program)).length;
    expect(Math.min(here(sending), here(reading))).toBeGreaterThanOrEqual(60);
  });
});

/** Whether a request that arrived does more than read, or holds some of the words in any coding. */
function tells(request: string, whole: string): boolean {
  if (!/^(GET|HEAD|OPTIONS) /.test(request)) return true;
  const decoded = request.replace(/[\w+/-]{16,}={0,2}/g, (each) => `${each} ${Buffer.from(each, 'base64')}`);
  const plain = decodeURIComponent(decoded.replace(/%(?![\da-f]{2})/gi, '%25')).replace(/[-+]/g, ' ');
  return plain.includes(whole.slice(0, 20)) || plain.includes(whole.slice(-20));
}
