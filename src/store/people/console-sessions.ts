import { metricsRole } from '../../contract/caller.ts';
import type { ConsoleSessions } from '../../contract/people/console.ts';
import type { TokenStore } from '../../contract/records.ts';
import type { Engine, OpenEngine } from '../engine.ts';
import { deleteRows, findRow, insertRow, takeRow, updateRows, writeTo } from '../rows.ts';
import { hashOf, isSecret, newSecret } from '../secret.ts';
import type { ConsoleSessionRow } from '../tables/tables.ts';
import { personOf } from './person.ts';

/**
 * Logins of the console, in the store: any server behind one address knows them, and ending one ends it everywhere.
 * Rights of a token are read with each request, so that revoking it ends its sessions.
 */
export function createConsoleSessions(openEngine: OpenEngine, tokens: TokenStore): ConsoleSessions {
  async function begin(
    person: string,
    tokenId: string | null,
    nowMs: number,
    passkeyId: string | null = null,
  ): Promise<string> {
    const secret = newSecret();
    const row: ConsoleSessionRow = {
      hash: hashOf(secret),
      person,
      token_id: tokenId,
      passkey_id: passkeyId,
      used_at_ms: nowMs,
      ends_at_ms: nowMs + longestMs,
    };
    await writeTo(openEngine, async (tx) => {
      await deleteRows(tx, 'console_sessions', { 'ends_at_ms <=': nowMs });
      await insertRow(tx, 'console_sessions', row);
    });
    return secret;
  }

  return {
    async createCode(person, nowMs) {
      const code = newSecret();
      const row = { hash: hashOf(code), person, expires_at_ms: nowMs + codeMs };
      await writeTo(openEngine, async (tx) => {
        await deleteRows(tx, 'console_codes', { 'expires_at_ms <=': nowMs });
        await insertRow(tx, 'console_codes', row);
      });
      return code;
    },

    async enterByCode(code, nowMs) {
      if (!isSecret(code)) return undefined;
      const engine = await openEngine();
      // Guesses must cost a read, not a lock.
      const found = await findRow(engine.db, 'console_codes', { hash: hashOf(code) });
      if (!found) return undefined;
      const taken = await engine.write((tx) => takeRow(tx, 'console_codes', { hash: hashOf(code) }));
      if (!taken || taken.expires_at_ms <= nowMs) return undefined;
      return begin(taken.person, null, nowMs);
    },

    async enterByToken(token, nowMs) {
      const found = await tokens.find(token, nowMs);
      if (typeof found === 'string' || found.role === metricsRole) return undefined;
      return begin(found.user, found.id, nowMs);
    },

    async enterByPasskey({ id, person, tokenId }, nowMs) {
      return begin(person, tokenId ?? null, nowMs, id);
    },

    async find(secret, nowMs) {
      if (!isSecret(secret)) return undefined;
      const engine = await openEngine();
      const hash = hashOf(secret);
      const row = await findRow(engine.db, 'console_sessions', { hash });
      if (!row || row.ends_at_ms <= nowMs || row.used_at_ms + idleMs <= nowMs) return undefined;
      const person = await personOf(engine.db, row, nowMs);
      if (row.passkey_id !== null && !(await isPasskey(engine.db, row.passkey_id))) return undefined;
      if (person && row.used_at_ms + touchEveryMs <= nowMs) {
        await engine.write((tx) => updateRows(tx, 'console_sessions', { hash }, { used_at_ms: nowMs }), {
          durable: false,
        });
      }
      const login = row.passkey_id !== null ? 'passkey' : row.token_id !== null ? 'token' : 'link';
      return person && { ...person, login };
    },

    async origin(secret) {
      if (!isSecret(secret)) return undefined;
      const { db } = await openEngine();
      const row = await findRow(db, 'console_sessions', { hash: hashOf(secret) });
      return row && { person: row.person, tokenId: row.token_id ?? undefined };
    },

    async end(secret) {
      if (!isSecret(secret)) return;
      await writeTo(openEngine, (tx) => deleteRows(tx, 'console_sessions', { hash: hashOf(secret) }));
    },
  };
}

async function isPasskey(db: Engine['db'], id: string): Promise<boolean> {
  return (await findRow(db, 'passkeys', { id })) !== undefined;
}

const codeMs = 10 * 60_000;
const idleMs = 2 * 60 * 60_000;
const longestMs = 12 * 60 * 60_000;
/** The use of a session is stored at most this often. */
const touchEveryMs = 60_000;
