import { createHash, randomBytes } from 'node:crypto';
import type { ChallengePurpose, Passkey, PasskeyStore } from '../../contract/people/passkey.ts';
import type { OpenEngine } from '../engine.ts';
import {
  deleteRows,
  findRow,
  insertNew,
  insertRow,
  listRows,
  takeRow,
  updateRows,
  writeTo,
} from '../rows.ts';
import type { PasskeyRow } from '../tables/notices.ts';
import { personOf } from './person.ts';

/**
 * Passkeys of people, and the challenges that they sign. A challenge contains a hash of its purpose, so that a
 * signature for one answer to one question is worthless for any other; the statement that takes it deletes it.
 */
export function createPasskeyStore(openEngine: OpenEngine): PasskeyStore {
  return {
    async add({ tokenId, publicKey, transports, ...passkey }, nowMs) {
      const row: PasskeyRow = {
        ...passkey,
        token_id: tokenId ?? null,
        public_key: publicKey,
        transports: JSON.stringify(transports),
        created_at_ms: nowMs,
        used_at_ms: null,
      };
      return writeTo(openEngine, (tx) => insertNew(tx, 'passkeys', row));
    },

    async list() {
      const { db } = await openEngine();
      return (await listRows(db, 'passkeys', {}, { by: 'created_at_ms', limit: 500 })).map(passkeyOf);
    },

    async find(id, nowMs) {
      const { db } = await openEngine();
      const row = await findRow(db, 'passkeys', { id });
      const person = row && (await personOf(db, row, nowMs));
      return row && person && { passkey: passkeyOf(row), person };
    },

    async used(id, counter, nowMs) {
      await writeTo(openEngine, (tx) => updateRows(tx, 'passkeys', { id }, { counter, used_at_ms: nowMs }));
    },

    async remove(id) {
      return (await writeTo(openEngine, (tx) => deleteRows(tx, 'passkeys', { id }))) > 0;
    },

    async challenge(purpose, nowMs) {
      const nonce = randomBytes(32);
      const challenge = Buffer.concat([nonce, boundTo(purpose, nonce)]);
      const row = { hash: hashOf(challenge), expires_at_ms: nowMs + challengeMs };
      await writeTo(openEngine, async (tx) => {
        await deleteRows(tx, 'passkey_challenges', { 'expires_at_ms <=': nowMs });
        await insertRow(tx, 'passkey_challenges', row);
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
      const taken = await engine.write((tx) => takeRow(tx, 'passkey_challenges', { hash }));
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
  const { token_id, public_key, transports, created_at_ms, used_at_ms, ...same } = row;
  return {
    ...same,
    tokenId: token_id ?? undefined,
    publicKey: public_key,
    transports: JSON.parse(transports) as string[],
    createdAtMs: created_at_ms,
    usedAtMs: used_at_ms ?? undefined,
  };
}

/** The time for a person to unlock their device. */
const challengeMs = 3 * 60_000;
