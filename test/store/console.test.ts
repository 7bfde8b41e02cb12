import { afterAll, describe, expect, test } from 'vitest';
import { verbatim } from '../../src/contract/text/text.ts';
import { needs } from '../support/needs.ts';
import { startEngines } from './engines.ts';

const engines = await startEngines();
afterAll(async () => {
  for (const engine of engines) await engine.stop();
});

const hour = 3_600_000;

describe.each(engines)('$name', ({ missing, createPlace }) => {
  describe('logins of the console', needs(missing), () => {
    test('a code begins one session, whoever else follows it, and none after ten minutes', async () => {
      const place = await createPlace();
      const [one, other] = [await place.open(), await place.open()];
      const code = await one.consoleSessions.createCode('ada', 1000);
      const entered = await Promise.all(
        [one, other, one, other].map(({ consoleSessions }) => consoleSessions.enterByCode(code, 2000)),
      );
      const secrets = entered.filter((secret) => secret !== undefined);
      expect(secrets).toHaveLength(1);
      expect(await other.consoleSessions.find(secrets[0] ?? '', 3000)).toEqual({
        name: 'console:ada',
        principal: 'local',
        login: 'link',
        isOperator: true,
        face: 'console',
      });

      const late = await one.consoleSessions.createCode('ada', 1000);
      expect(await one.consoleSessions.enterByCode(late, 1000 + 10 * 60_000)).toBeUndefined();
      expect(await one.consoleSessions.enterByCode(late, 2000)).toBeUndefined();
    });

    test('a session ends when it is idle, after half a day in use, and at once when it is ended', async () => {
      const { consoleSessions } = await (await createPlace()).open();
      const begin = async () =>
        (await consoleSessions.enterByCode(await consoleSessions.createCode('ada', 0), 0)) ?? '';
      const idle = await begin();
      expect(await consoleSessions.find(idle, 2 * hour - 1)).toBeDefined();
      const unused = await begin();
      expect(await consoleSessions.find(unused, 2 * hour)).toBeUndefined();

      const used = await begin();
      for (let at = 1; at < 12; at++) expect(await consoleSessions.find(used, at * hour)).toBeDefined();
      expect(await consoleSessions.find(used, 12 * hour)).toBeUndefined();

      const ended = await begin();
      await consoleSessions.end(ended);
      expect(await consoleSessions.find(ended, 1)).toBeUndefined();
    });

    test.each([
      ['admin', undefined, true],
      ['operator', undefined, true],
      ['admin', ['vault'], false],
      ['Admin', undefined, false],
      [undefined, undefined, false],
    ])(
      'a token of the role %s for the toolsets %s is an operator: %s',
      async (role, toolsets, isOperator) => {
        const { consoleSessions, tokens } = await (await createPlace()).open();
        const { token } = await tokens.create({ user: 'bob', role, toolsets });
        const secret = await consoleSessions.enterByToken(token, Date.now());
        expect(await consoleSessions.find(secret ?? '', Date.now())).toMatchObject({
          name: 'console:user:bob',
          principal: 'user:bob',
          isOperator,
          face: 'console',
        });
      },
    );

    test('a token that is revoked or over takes its sessions with it', async () => {
      const { consoleSessions, tokens } = await (await createPlace()).open();
      const now = Date.now();
      const { token, record } = await tokens.create({ user: 'bob', expiresAtMs: now + hour });
      const secret = (await consoleSessions.enterByToken(token, now)) ?? '';
      expect(await consoleSessions.find(secret, now)).toBeDefined();
      expect(await consoleSessions.find(secret, now + hour)).toBeUndefined();
      await tokens.revoke(record.id);
      expect(await consoleSessions.find(secret, now)).toBeUndefined();
      expect(await consoleSessions.enterByToken(token, now)).toBeUndefined();
    });

    test('what is no secret of ours is looked up nowhere', async () => {
      const { consoleSessions } = await (await createPlace()).open();
      for (const words of ['', 'x', '\0', `${'a'.repeat(42)}'`, 'a'.repeat(1_000_000)]) {
        expect(await consoleSessions.find(words, 1)).toBeUndefined();
        expect(await consoleSessions.enterByCode(words, 1)).toBeUndefined();
        expect(await consoleSessions.enterByToken(words, 1)).toBeUndefined();
      }
    });
  });

  describe('permissions that stand', needs(missing), () => {
    const asked = {
      principal: 'user:ada',
      sessionId: 's1',
      tool: 'bash',
      digest: 'd1',
      message: verbatim('May it?'),
      rule: 'sends',
      createdAtMs: 1000,
      expiresAtMs: 1_000_000,
      grant: '{"tool":"bash","command":["git","push"],"decision":"allow"}',
    };

    test('are listed, and taken back with everything that says the same', async () => {
      const { approvals } = await (await createPlace()).open(() => 2000);
      const one = await approvals.request(asked, 1000);
      await approvals.decide(one.id, 'approved', 'cli:me', 'always', 2000);
      await approvals.take(asked, 2000);
      const two = await approvals.request({ ...asked, digest: 'd2' }, 2000);
      await approvals.decide(two.id, 'approved', 'cli:me', 'session', 2000);
      const other = await approvals.request({ ...asked, principal: 'user:bob' }, 2000);
      await approvals.decide(other.id, 'approved', 'cli:me', 'always', 2000);
      expect((await approvals.grants(3000)).map(({ id }) => id).sort()).toEqual(
        [one.id, two.id, other.id].sort(),
      );
      expect(await approvals.standing({ ...asked, grant: asked.grant }, 3000)).toBeDefined();

      expect(await approvals.revoke(one.id, 3000)).toBe(true);
      expect(await approvals.revoke(one.id, 3000)).toBe(false);
      expect(await approvals.standing({ ...asked, grant: asked.grant }, 3000)).toBeUndefined();
      // The yes that no call had taken yet is gone as well.
      expect(await approvals.take({ ...asked, digest: 'd2' }, 3000)).toBeUndefined();
      expect((await approvals.grants(3000)).map(({ id }) => id)).toEqual([other.id]);
    });

    test('one for a session goes with its time, and its end leaves other sessions alone', async () => {
      const { approvals } = await (await createPlace()).open(() => 2000);
      const one = await approvals.request(asked, 1000);
      await approvals.decide(one.id, 'approved', 'cli:me', 'session', 2000);
      const two = await approvals.request({ ...asked, sessionId: 's2', digest: 'd2' }, 1000);
      await approvals.decide(two.id, 'approved', 'cli:me', 'session', 2000);

      expect(await approvals.revoke(one.id, 3000)).toBe(true);
      expect((await approvals.grants(3000)).map(({ id }) => id)).toEqual([two.id]);
      expect(await approvals.grants(1_000_000)).toEqual([]);
      expect(await approvals.revoke(two.id, 1_000_000)).toBe(false);
    });

    test('nothing that was not said for longer than once is one', async () => {
      const { approvals } = await (await createPlace()).open(() => 2000);
      const one = await approvals.request(asked, 1000);
      expect(await approvals.revoke(one.id, 2000)).toBe(false);
      await approvals.decide(one.id, 'approved', 'cli:me', 'once', 2000);
      expect(await approvals.revoke(one.id, 2000)).toBe(false);
      expect(await approvals.grants(2000)).toEqual([]);
      expect(await approvals.take(asked, 2000)).toBeDefined();
    });
  });
});
