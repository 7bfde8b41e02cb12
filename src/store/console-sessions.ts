import { createHash, randomBytes } from 'node:crypto';
import { localTokenRole, metricsRole, operatorRoles } from '../contract/caller.ts';
import type { ConsoleSessions } from '../contract/console.ts';
import type { Person } from '../contract/operator.ts';
import type { TokenStore } from '../contract/records.ts';
import type { OpenEngine } from './engine.ts';
import type { ConsoleSessionRow } from './tables/console.ts';
import type { TokenRow } from './tables/tables.ts';

/**
 * Logins of the console, in the store: any server behind one address knows them, and ending one ends it everywhere.
 * What a token may is read anew with each request, so that revoking it ends its sessions.
 */
export function createConsoleSessions(openEngine: OpenEngine, tokens: TokenStore): ConsoleSessions {
  async function begin(person: string, tokenId: string | null, nowMs: number): Promise<string> {
    const engine = await openEngine();
    const secret = randomBytes(32).toString('base64url');
    const row: ConsoleSessionRow = {
      hash: hashOf(secret),
      person,
      token_id: tokenId,
      used_at_ms: nowMs,
      ends_at_ms: nowMs + longestMs,
    };
    await engine.write(async (tx) => {
      await tx.deleteFrom('console_sessions').where('ends_at_ms', '<=', nowMs).execute();
      await tx.insertInto('console_sessions').values(row).execute();
    });
    return secret;
  }

  return {
    async createCode(person, nowMs) {
      const engine = await openEngine();
      const code = randomBytes(32).toString('base64url');
      const row = { hash: hashOf(code), person, expires_at_ms: nowMs + codeMs };
      await engine.write(async (tx) => {
        await tx.deleteFrom('console_codes').where('expires_at_ms', '<=', nowMs).execute();
        await tx.insertInto('console_codes').values(row).execute();
      });
      return code;
    },

    async enterByCode(code, nowMs) {
      if (!isSecret(code)) return undefined;
      const engine = await openEngine();
      // A guess costs a look, not a lock.
      const found = await engine.db
        .selectFrom('console_codes')
        .select('hash')
        .where('hash', '=', hashOf(code))
        .executeTakeFirst();
      if (!found) return undefined;
      // Taken by one statement: of two that follow the same link, one gets in.
      const taken = await engine.write((tx) =>
        tx.deleteFrom('console_codes').where('hash', '=', hashOf(code)).returningAll().executeTakeFirst(),
      );
      if (!taken || taken.expires_at_ms <= nowMs) return undefined;
      return begin(taken.person, null, nowMs);
    },

    async enterByToken(token, nowMs) {
      const found = await tokens.find(token, nowMs);
      if (typeof found === 'string' || found.role === metricsRole) return undefined;
      return begin(found.user, found.id, nowMs);
    },

    async find(secret, nowMs) {
      if (!isSecret(secret)) return undefined;
      const engine = await openEngine();
      const hash = hashOf(secret);
      const row = await engine.db
        .selectFrom('console_sessions')
        .selectAll()
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (!row || row.ends_at_ms <= nowMs || row.used_at_ms + idleMs <= nowMs) return undefined;
      const token =
        row.token_id === null
          ? undefined
          : await engine.db
              .selectFrom('tokens')
              .selectAll()
              .where('id', '=', row.token_id)
              .where('revoked_at_ms', 'is', null)
              .executeTakeFirst();
      const person = row.token_id === null ? operatorOf(row.person) : token && holderOf(token, nowMs);
      if (person && row.used_at_ms + touchEveryMs <= nowMs) {
        await engine.write(
          (tx) =>
            tx.updateTable('console_sessions').set({ used_at_ms: nowMs }).where('hash', '=', hash).execute(),
          { durable: false },
        );
      }
      return person;
    },

    async end(secret) {
      if (!isSecret(secret)) return;
      const engine = await openEngine();
      await engine.write((tx) =>
        tx.deleteFrom('console_sessions').where('hash', '=', hashOf(secret)).execute(),
      );
    },
  };
}

function operatorOf(person: string): Person {
  return { name: `console:${person}`, principal: 'local', isOperator: true, face: 'console' };
}

function holderOf(token: TokenRow, nowMs: number): Person | undefined {
  if (token.expires_at_ms !== null && token.expires_at_ms <= nowMs) return undefined;
  // Programs of the person hold it too, and none of them may agree to what it asks for: operators come by a link.
  const principal = token.role === localTokenRole ? 'local' : `user:${token.user_name}`;
  const toolsets = token.toolsets === null ? undefined : (JSON.parse(token.toolsets) as string[]);
  // A token for a part of the tools is no key to everything.
  const isOperator = toolsets === undefined && token.role !== null && operatorRoles.includes(token.role);
  return { name: `console:${principal}`, principal, isOperator, toolsets, face: 'console' };
}

/** Strangers send what they like; only what could be one of ours is hashed and looked up. */
function isSecret(words: string): boolean {
  return /^[\w-]{43}$/.test(words);
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

const codeMs = 10 * 60_000;
const idleMs = 2 * 60 * 60_000;
const longestMs = 12 * 60 * 60_000;
/** A session's use is written down this often at most. */
const touchEveryMs = 60_000;
