import { afterAll, describe, expect, test } from 'vitest';
import { askSessionIdleMs, maxAskSessions } from '../../src/store/ask-sessions.ts';
import { needs } from '../support/needs.ts';
import { startEngines } from './engines.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

const ann = 'user:ann';
const body = '{"text":"青\\u0000"}';

describe.each(engines)('conversations over HTTP on $name', ({ missing, createPlace }) => {
  describe('', needs(missing), () => {
    test('are taken by one question at a time, and let go with what it came to', async () => {
      const { askSessions } = await (await createPlace()).open();
      await askSessions.create(ann, 'ask_1', body, 1000);
      const keys = Array.from({ length: 8 }, (_, index) => ({
        principal: ann,
        id: 'ask_1',
        holder: `q${index}`,
      }));

      const taken = await Promise.all(keys.map((key) => askSessions.take(key, 9000, 2000)));

      expect(taken.filter(({ kind }) => kind === 'busy')).toHaveLength(7);
      const winner = keys[taken.findIndex(({ kind }) => kind === 'taken')] ?? keys[0];
      const loser = keys.find((key) => key !== winner) ?? keys[0];
      if (!winner || !loser) throw new Error('nobody');
      await askSessions.save(loser, 'stolen', 3000);
      await askSessions.release(loser);
      expect(await askSessions.take(loser, 9000, 4000)).toEqual({ kind: 'busy' });
      await askSessions.save(winner, 'more', 5000);
      expect(await askSessions.take(loser, 9000, 6000)).toEqual({ kind: 'taken', body: 'more' });
    });

    test('are free again when a server died with one, unless it held on', async () => {
      const { askSessions } = await (await createPlace()).open();
      await askSessions.create(ann, 'ask_1', body, 0);
      const first = { principal: ann, id: 'ask_1', holder: 'q1' };
      const second = { ...first, holder: 'q2' };
      expect(await askSessions.take(first, 100, 0)).toEqual({ kind: 'taken', body });
      await askSessions.hold(first, 200);
      expect(await askSessions.take(second, 300, 150)).toEqual({ kind: 'busy' });
      expect(await askSessions.take(second, 300, 250)).toEqual({ kind: 'taken', body });
      await askSessions.save(first, 'too late', 260);
      await askSessions.release(second);
      expect(await askSessions.take(first, 500, 300)).toEqual({ kind: 'taken', body });
    });

    test("are nobody's but their owner's", async () => {
      const { askSessions } = await (await createPlace()).open();
      await askSessions.create(ann, 'ask_1', body, 0);
      expect(await askSessions.take({ principal: 'user:bob', id: 'ask_1', holder: 'q' }, 9, 1)).toEqual({
        kind: 'unknown',
      });
      expect(await askSessions.remove('user:bob', 'ask_1')).toBe(false);
      expect(await askSessions.remove(ann, 'ask_1')).toBe(true);
      expect(await askSessions.remove(ann, 'ask_1')).toBe(false);
    });

    test('one that was removed during a question stays removed', async () => {
      const { askSessions } = await (await createPlace()).open();
      await askSessions.create(ann, 'ask_1', body, 0);
      const key = { principal: ann, id: 'ask_1', holder: 'q' };
      await askSessions.take(key, 100, 1);
      await askSessions.remove(ann, 'ask_1');
      await askSessions.save(key, 'back', 2);
      expect(await askSessions.take(key, 100, 3)).toEqual({ kind: 'unknown' });
    });

    test('are bounded in number and age, the oldest first', async () => {
      const { askSessions } = await (await createPlace()).open();
      const kindOf = async (principal: string, id: string, nowMs: number) =>
        (await askSessions.take({ principal, id, holder: 'look' }, 0, nowMs)).kind;
      await askSessions.create('user:bob', 'bobs', body, 0);
      for (let index = 0; index <= maxAskSessions; index += 1) {
        await askSessions.create(ann, `ask_${index}`, body, index);
      }
      expect(await kindOf(ann, 'ask_0', 200)).toBe('unknown');
      expect(await kindOf(ann, 'ask_1', 200)).toBe('taken');
      expect(await kindOf('user:bob', 'bobs', 200)).toBe('taken');
      expect(await kindOf(ann, 'ask_1', askSessionIdleMs + 2)).toBe('unknown');
    });
  });
});
