import { createHash, randomBytes } from 'node:crypto';
import type { ChallengePurpose, Passkey, PasskeyStore } from '../contract/passkey.ts';
import type { OpenEngine } from './engine.ts';
import { personOf } from './person.ts';
import { findRow, insertRow, updateRows } from './rows.ts';
import type { PasskeyRow } from './tables/notices.ts';

/**
 * Passkeys of people, and the challenges that they sign. A challenge contains a hash of its purpose, so that a
 * signature for one answer to one question is worthless for any other; the statement that takes it deletes it.
 */
export function createPasskeyStore(openEngine: OpenEngine): PasskeyStore {
  return {
    async add({ tokenId, publicKey, transports, ...passkey }, nowMs) {
      const engine = await openEngine();
      const row: PasskeyRow = {
        ...passkey,
        token_id: tokenId ?? null,
        public_key: publicKey,
        transports: JSON.stringify(transports),
        created_at_ms: nowMs,
        used_at_ms: null,
      };
      const added = await engine.write((tx) =>
        tx
          .insertInto('passkeys')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .executeTakeFirst(),
      );
      return added !== undefined;
    },

    async list() {
      const { db } = await openEngine();
      const rows = await db.selectFrom('passkeys').selectAll().orderBy('created_at_ms').limit(500).execute();
      return rows.map(passkeyOf);
    },

    async find(id, nowMs) {
      const { db } = await openEngine();
      const row = await findRow(db, 'passkeys', { id });
      const person = row && (await personOf(db, row, nowMs));
      return row && person && { passkey: passkeyOf(row), person };
    },

    async used(id, counter, nowMs) {
      const engine = await openEngine();
      await engine.write((tx) => updateRows(tx, 'passkeys', { id }, { counter, used_at_ms: nowMs }));
    },

    async remove(id) {
      const engine = await openEngine();
      const gone = await engine.write((tx) =>
        tx.deleteFrom('passkeys').where('id', '=', id).returning('id').executeTakeFirst(),
      );
      return gone !== undefined;
    },

    async challenge(purpose, nowMs) {
      const engine = await openEngine();
      const nonce = randomBytes(32);
      const challenge = Buffer.concat([nonce, boundTo(purpose, nonce)]);
      await engine.write(async (tx) => {
        await tx.deleteFrom('passkey_challenges').where('expires_at_ms', '<=', nowMs).execute();
        await insertRow(tx, 'passkey_challenges', {
          hash: hashOf(challenge),
          expires_at_ms: nowMs + challengeMs,
        });
      });
      return challenge.toString('base64url');
    },

    async takeChallenge(words, purpose, nowMs) {
      const challenge = Buffer.from(words.slice(0, 200), 'base64url');
      if (challenge.length !== 64) return false;
      const nonce = challenge.subarray(0, 32);
      if (!challenge.subarray(32).equals(boundTo(purpose, nonce))) return false;
      const engine = await openEngine();
      const hash = hashOf(challenge);
      // Guesses must cost a read, not a lock.
      const known = await findRow(engine.db, 'passkey_challenges', { hash });
      if (!known) return false;
      const taken = await engine.write((tx) =>
        tx.deleteFrom('passkey_challenges').where('hash', '=', hash).returningAll().executeTakeFirst(),
      );
      return taken !== undefined && taken.expires_at_ms > nowMs;
    },
  };
}

function boundTo(purpose: ChallengePurpose, nonce: Uint8Array): Buffer {
  const { kind } = purpose;
  const about =
    kind === 'answer'
      ? [kind, purpose.question, purpose.digest, purpose.answer]
      : kind === 'register'
        ? [kind, purpose.session]
        : [kind];
  return createHash('sha256').update(nonce).update(JSON.stringify(about)).digest();
}

function hashOf(challenge: Uint8Array): string {
  return createHash('sha256').update(challenge).digest('hex');
}

function passkeyOf(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    person: row.person,
    tokenId: row.token_id ?? undefined,
    host: row.host,
    label: row.label,
    publicKey: row.public_key,
    counter: row.counter,
    transports: JSON.parse(row.transports) as string[],
    createdAtMs: row.created_at_ms,
    usedAtMs: row.used_at_ms ?? undefined,
  };
}

/** The time for a person to unlock their device. */
const challengeMs = 3 * 60_000;
