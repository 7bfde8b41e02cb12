import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { needs } from '../support/needs.ts';
import { startEngines } from './engines.ts';
import { approvalInput, auditRecord } from './records.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

describe.each(engines)('on $name', ({ missing, createPlace }) => {
  describe('the audit log', needs(missing), () => {
    test('keeps records in the order they came, written or noted', async () => {
      const { audit } = await (await createPlace()).open();
      await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          audit[i % 7 === 0 ? 'write' : 'note'](auditRecord({ id: `call_${i}`, facts: { i } })),
        ),
      );

      const entries = await audit.search({ limit: 100 });

      expect(entries.map(({ id, seq, facts }) => [id, seq, facts])).toEqual(
        Array.from({ length: 50 }, (_, i) => [`call_${i}`, i + 1, { i }]),
      );
      expect(await audit.verify()).toMatchObject({ ok: true, entries: 50 });
    });

    test('gives back exactly what was recorded, hostile text included', async () => {
      const { audit } = await (await createPlace()).open();
      const record = auditRecord({
        tool: 'x\0\ud800"; drop table audit; --',
        principal: 'user:"\n\0',
        arguments: { deep: [1, null, '\0', '\ud800', '全角', '\u2028'] },
      });
      await audit.write(record);

      const { seq, hash, ...entry } = (await audit.search({ limit: 1 }))[0] ?? { seq: 0, hash: '' };

      expect({ seq, entry }).toEqual({ seq: 1, entry: record });
      expect(hash).toHaveLength(43);
      expect(await audit.verify()).toMatchObject({ ok: true, entries: 1 });
    });

    test('keeps a record whose arguments cannot be encoded', async () => {
      const { audit } = await (await createPlace()).open();
      await audit.write(auditRecord({ arguments: { count: 1n } }));

      expect(await audit.search({ limit: 1 })).toMatchObject([
        { seq: 1, arguments: '[could not be recorded]' },
      ]);
    });

    test('is searched by each part of a query', async () => {
      const { audit } = await (await createPlace()).open();
      await audit.note(auditRecord({ id: 'a', tool: 'grep', atMs: 10, arguments: { pattern: '100%_"x"' } }));
      await audit.note(auditRecord({ id: 'b', principal: 'user:ann', atMs: 20, outcome: 'error' }));
      await audit.note(auditRecord({ id: 'c', atMs: 30, arguments: { path: '日本.md' } }));
      const find = async (query: object) => (await audit.search({ limit: 9, ...query })).map(({ id }) => id);

      expect(await find({ tool: 'grep' })).toEqual(['a']);
      expect(await find({ principal: 'user:ann' })).toEqual(['b']);
      expect(await find({ outcome: 'ok' })).toEqual(['a', 'c']);
      expect(await find({ sinceMs: 20, untilMs: 20 })).toEqual(['b']);
      expect(await find({ afterSeq: 1, limit: 1 })).toEqual(['b']);
      expect(await find({ newestFirst: true })).toEqual(['c', 'b', 'a']);
      expect(await find({ text: '%_"X"' })).toEqual(['a']);
      expect(await find({ text: '日本' })).toEqual(['c']);
    });

    test('is one chain for several servers that append at once', async () => {
      const place = await createPlace();
      const stores = [await place.open(), await place.open(), await place.open()];
      await Promise.all(
        stores.flatMap((store, s) =>
          Array.from({ length: 40 }, (_, i) => store.audit.write(auditRecord({ id: `${s}_${i}` }))),
        ),
      );

      expect(await stores[0]?.audit.verify()).toMatchObject({ ok: true, entries: 120 });
      const ids = (await stores[1]?.audit.search({ limit: 200 }))?.map(({ id }) => id) ?? [];
      expect(new Set(ids).size).toBe(120);
      for (const s of [0, 1, 2]) {
        expect(ids.filter((id) => id.startsWith(`${s}_`))).toEqual(
          Array.from({ length: 40 }, (_, i) => `${s}_${i}`),
        );
      }
    });
  });

  test('a server with another audit key records nothing', needs(missing), async () => {
    const place = await createPlace();
    const first = await place.open();
    await first.audit.write(auditRecord());
    const stranger = await openStore({ url: place.url, stateFolder: join(place.folder, 'elsewhere') });
    onTestFinished(() => stranger.close().catch(() => {}));

    await expect(stranger.audit.write(auditRecord())).rejects.toMatchObject({ code: 'unavailable' });
    expect(await stranger.audit.verify()).toMatchObject({ ok: false });
    expect(await first.audit.verify()).toMatchObject({ ok: true, entries: 1 });
  });

  describe('tokens', needs(missing), () => {
    test('are found by their text only, and no text is kept', async () => {
      const place = await createPlace();
      const { tokens, engine } = await place.open(() => 500);
      const { token, record } = await tokens.create({ user: 'ann', role: 'dev', toolsets: ['vault'] });

      expect(token).toMatch(/^skt_[\w-]{43}$/);
      expect(await tokens.find(token, 0)).toEqual(record);
      expect(record).toMatchObject({ user: 'ann', role: 'dev', toolsets: ['vault'], createdAtMs: 500 });
      expect(
        JSON.stringify(await (await engine()).db.selectFrom('tokens').selectAll().execute()),
      ).not.toContain(token.slice(4));
      for (const wrong of [
        '',
        'skt_',
        record.id,
        `${token}x`,
        token.slice(0, -1),
        'skt_'.repeat(1e6),
        "skt_' or 1=1 --",
      ])
        expect(await tokens.find(wrong, 0)).toBe('unknown');
    });

    test('end by expiry and by being revoked', async () => {
      const { tokens } = await (await createPlace()).open();
      const short = await tokens.create({ user: 'ann', expiresAtMs: 100 });
      const long = await tokens.create({ user: 'bob' });

      expect(await tokens.find(short.token, 99)).toEqual(short.record);
      expect(await tokens.find(short.token, 100)).toBe('expired');
      expect(await tokens.revoke(long.record.id)).toBe(true);
      expect(await tokens.revoke(long.record.id)).toBe(false);
      expect(await tokens.revoke('tok_none')).toBe(false);
      expect(await tokens.find(long.token, 0)).toBe('unknown');
      expect(
        (await tokens.list()).map(({ user, revokedAtMs }) => [user, revokedAtMs !== undefined]).sort(),
      ).toEqual([
        ['ann', false],
        ['bob', true],
      ]);
    });
  });

  describe('approvals', needs(missing), () => {
    const binding = { principal: 'user:ann', tool: 'shell_exec', digest: 'd1' };

    test('a yes passes one call with exactly these arguments', async () => {
      const { approvals } = await (await createPlace()).open(() => 2_000);
      const asked = await approvals.request(approvalInput, 1_000);
      expect(await approvals.take(binding, 2_000)).toBeUndefined();
      expect(await approvals.decide(asked.id, 'approved', 'local', 'once', 2_000)).toMatchObject({
        status: 'approved',
      });

      expect(await approvals.take({ ...binding, digest: 'd2' }, 2_000)).toBeUndefined();
      expect(await approvals.take({ ...binding, principal: 'user:bob' }, 2_000)).toBeUndefined();
      expect(await approvals.take({ ...binding, tool: 'bash' }, 2_000)).toBeUndefined();
      expect(await approvals.take(binding, 2_000)).toMatchObject({
        id: asked.id,
        decidedBy: 'local',
        status: 'used',
      });
      expect(await approvals.take(binding, 2_000)).toBeUndefined();
    });

    test('of many claimants one has it, on several servers', async () => {
      const place = await createPlace();
      const stores = [await place.open(), await place.open()];
      const asked = await stores[0]?.approvals.request(approvalInput, 1_000);
      await stores[0]?.approvals.decide(asked?.id ?? '', 'approved', 'local', 'once', 1_000);

      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, i) => stores[i % 2]?.approvals.take(binding, 1_000)),
      );

      expect(taken.filter((record) => record !== undefined)).toHaveLength(1);
    });

    test('the same question asked at once is one question', async () => {
      const place = await createPlace();
      const stores = [await place.open(), await place.open()];
      const asked = await Promise.all(
        Array.from({ length: 20 }, (_, i) => stores[i % 2]?.approvals.request(approvalInput, 1_000)),
      );

      expect(new Set(asked.map((record) => record?.id)).size).toBe(1);
      expect(await stores[0]?.approvals.list('pending', 1_000)).toHaveLength(1);
    });

    test('a question is decided once, in time, and asked anew after its end', async () => {
      const { approvals } = await (await createPlace()).open();
      const first = await approvals.request(approvalInput, 1_000);
      expect(await approvals.decide('apr_none', 'approved', 'x', 'once', 1_000)).toBeUndefined();
      expect(await approvals.decide(first.id, 'approved', 'x', 'once', 10_000)).toBeUndefined();
      expect(await approvals.list('expired', 10_000)).toMatchObject([{ id: first.id, status: 'expired' }]);

      const second = await approvals.request({ ...approvalInput, expiresAtMs: 90_000 }, 10_000);
      expect(second.id).not.toBe(first.id);
      expect(await approvals.decide(second.id, 'declined', 'x', 'once', 11_000)).toMatchObject({
        status: 'declined',
      });
      expect(await approvals.decide(second.id, 'approved', 'x', 'once', 11_000)).toBeUndefined();
      expect(await approvals.take(binding, 11_000)).toBeUndefined();
    });

    test('an approved one lapses too', async () => {
      const { approvals } = await (await createPlace()).open();
      const { id } = await approvals.request(approvalInput, 1_000);
      await approvals.decide(id, 'approved', 'x', 'once', 1_000);

      expect(await approvals.take(binding, 10_000)).toBeUndefined();
      expect(await approvals.list('approved', 10_000)).toEqual([]);
    });

    test('a yes for the session stands in that session, one for always in all, and neither for others', async () => {
      const { approvals } = await (await createPlace()).open();
      const ask = { principal: 'user:ann', sessionId: 's1', tool: 'shell_exec', grant: 'command git push' };
      const session = await approvals.request(approvalInput, 1_000);
      expect(await approvals.standing(ask, 1_000)).toBeUndefined();
      await approvals.decide(session.id, 'approved', 'x', 'session', 1_000);
      await approvals.take(binding, 1_000);

      expect(await approvals.standing(ask, 1_000)).toMatchObject({ id: session.id });
      expect(await approvals.standing(ask, 10_000)).toBeUndefined();
      for (const other of [
        { sessionId: 's2' },
        { principal: 'user:bob' },
        { tool: 'bash' },
        { grant: 'command git' },
      ])
        expect(await approvals.standing({ ...ask, ...other }, 1_000)).toBeUndefined();

      const always = await approvals.request(
        { ...approvalInput, digest: 'd2', grant: 'command git pull' },
        1_000,
      );
      await approvals.decide(always.id, 'approved', 'x', 'always', 1_000);
      expect(
        await approvals.standing({ ...ask, sessionId: 's9', grant: 'command git pull' }, 99_000),
      ).toMatchObject({ id: always.id });
    });

    test('a yes to each of its rules covers a line that needs them all', async () => {
      const { approvals } = await (await createPlace()).open();
      const [push, publish, both] = [
        '{"tool":"shell_exec","command":["git","push"],"decision":"allow"}',
        '{"tool":"shell_exec","command":["npm","publish"],"decision":"allow"}',
        '{"tool":"shell_exec","command":["a} {\\"tool\\":"],"decision":"allow"}',
      ];
      const ask = (grant: string) => ({ principal: 'user:ann', sessionId: 's1', tool: 'shell_exec', grant });
      const agree = async (grant: string) => {
        const { id } = await approvals.request({ ...approvalInput, digest: grant, grant }, 1_000);
        await approvals.decide(id, 'approved', 'x', 'always', 1_000);
        return id;
      };
      const first = await agree(push);
      expect(await approvals.standing(ask(`${push} ${publish}`), 2_000)).toBeUndefined();
      await agree(publish);
      expect(await approvals.standing(ask(`${push} ${publish}`), 2_000)).toMatchObject({ id: first });
      expect(await approvals.standing(ask(`${push} ${both}`), 2_000)).toBeUndefined();
      await agree(`${both} ${publish}`);
      expect(await approvals.standing(ask(both), 2_000)).toBeDefined();
      expect(await approvals.standing(ask('{"tool":"shell_exec","command":["a}'), 2_000)).toBeUndefined();
    });

    test('what was over a month ago is forgotten, but for a yes that has no end', async () => {
      const place = await createPlace();
      const { approvals } = await place.open();
      const made = async (
        digest: string,
        decision: 'approved' | 'declined' | undefined,
        scope: 'once' | 'always',
      ) => {
        const { id } = await approvals.request({ ...approvalInput, digest, grant: digest }, 1_000);
        if (decision) await approvals.decide(id, decision, 'x', scope, 1_000);
        return id;
      };
      const always = await made('a', 'approved', 'always');
      const gone = [
        await made('b', undefined, 'once'),
        await made('c', 'declined', 'once'),
        await made('d', 'approved', 'once'),
      ];
      const monthLater = 31 * 24 * 60 * 60 * 1000;
      // Another server sweeps at its first question.
      const later = (await place.open()).approvals;
      const fresh = await later.request(
        { ...approvalInput, digest: 'e', expiresAtMs: monthLater + 1_000 },
        monthLater,
      );

      for (const id of gone) expect(await later.get(id)).toBeUndefined();
      expect(await later.get(always)).toMatchObject({ scope: 'always' });
      expect(await later.get(fresh.id)).toMatchObject({ digest: 'e' });
      const asked = {
        principal: approvalInput.principal,
        sessionId: 's9',
        tool: approvalInput.tool,
        grant: 'a',
      };
      expect(await later.standing(asked, monthLater)).toMatchObject({ id: always });
    });

    test('a caller that fills the list is refused, its open questions are found again, and others may ask', async () => {
      const { approvals } = await (await createPlace()).open(() => 1_000);
      const ask = (digest: string, principal = 'user:flood') =>
        approvals.request({ ...approvalInput, principal, digest }, 1_000);
      for (let at = 0; at < 200; at++) await ask(`d${at}`);

      await expect(ask('one more')).rejects.toMatchObject({ code: 'rate_limited' });
      expect(await ask('d7')).toMatchObject({ digest: 'd7' });
      expect(await ask('d', 'user:quiet')).toMatchObject({ principal: 'user:quiet' });
      expect((await approvals.list('pending', 1_000)).length).toBe(201);
    });

    test('a waiting call is woken by a decision on another server', async () => {
      const place = await createPlace();
      const [here, there] = [await place.open(() => 1_000), await place.open(() => 1_000)];
      const { id } = await here.approvals.request(approvalInput, 1_000);
      const waiting = here.approvals.wait(id, 30_000, new AbortController().signal);
      await there.approvals.decide(id, 'approved', 'local', 'once', 1_000);

      expect(await waiting).toMatchObject({ id, status: 'approved' });
    });

    test('waiting ends with the time or the caller, and leaves the question open', async () => {
      const { approvals } = await (await createPlace()).open(() => 1_000);
      const { id } = await approvals.request(approvalInput, 1_000);
      const gone = new AbortController();
      const waiting = approvals.wait(id, 60_000, gone.signal);
      gone.abort();

      expect(await waiting).toMatchObject({ status: 'pending' });
      expect(await approvals.wait(id, 20, new AbortController().signal)).toMatchObject({ status: 'pending' });
      expect(await approvals.wait('apr_none', 60_000, new AbortController().signal)).toBeUndefined();
    });
  });

  describe('rates', needs(missing), () => {
    test('slide, and a refused call does not count', async () => {
      const { rates } = await (await createPlace()).open();
      const hit = async (nowMs: number) => (await rates.hit('ann', 2, 1_000, nowMs)).retryAfterMs;

      expect([await hit(0), await hit(600), await hit(700), await hit(999)]).toEqual([0, 0, 300, 1]);
      expect([await hit(1_000), await hit(1_001), await hit(1_600), await hit(1_601)]).toEqual([
        0, 599, 0, 399,
      ]);
      expect((await rates.hit('bob', 2, 1_000, 700)).retryAfterMs).toBe(0);
      expect((await rates.hit('bob', 0, 1_000, 700)).retryAfterMs).toBe(1_000);
    });

    test('hold over servers that count at once', async () => {
      const place = await createPlace();
      const stores = [await place.open(), await place.open()];
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => stores[i % 2]?.rates.hit('ann', 10, 60_000, 1_000)),
      );

      expect(answers.filter((answer) => answer?.retryAfterMs === 0)).toHaveLength(10);
    });

    test('a clock that is set back locks nobody out for longer than a window', async () => {
      const { rates } = await (await createPlace()).open();
      await rates.hit('ann', 1, 1_000, 1_000_000);

      expect(await rates.hit('ann', 1, 1_000, 5)).toEqual({ retryAfterMs: 1_000 });
      expect(await rates.hit('ann', 1, 1_000, 905)).toEqual({ retryAfterMs: 100 });
      expect(await rates.hit('ann', 1, 1_000, 1_005)).toEqual({ retryAfterMs: 0 });
    });

    test('a call that one limit refuses counts against none', async () => {
      const { rates } = await (await createPlace()).open();
      const both = [
        { key: 'wide', max: 3 },
        { key: 'narrow', max: 1 },
      ];
      expect(await rates.hitAll(both, 1_000, 0)).toEqual([0, 0]);
      for (let tries = 0; tries < 5; tries++) expect(await rates.hitAll(both, 1_000, 10)).toEqual([0, 990]);
      expect(await rates.hit('wide', 3, 1_000, 20)).toEqual({ retryAfterMs: 0 });
      expect(await rates.hit('wide', 3, 1_000, 20)).toEqual({ retryAfterMs: 0 });
      expect(await rates.hit('wide', 3, 1_000, 20)).toEqual({ retryAfterMs: 980 });
    });
  });
});
