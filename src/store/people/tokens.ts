import { randomBytes } from 'node:crypto';
import type { TokenRecord, TokenStore } from '../../contract/records.ts';
import { compileOnce } from '../compiled-query.ts';
import type { Clock, OpenEngine } from '../engine.ts';
import { randomId } from '../random-id.ts';
import { insertRow, listRows, selectRows, updateRows, writeTo } from '../rows.ts';
import { hashOf } from '../secret.ts';
import type { TokenRow } from '../tables/tables.ts';

/** Bearer tokens: 256 random bits, of which only the SHA-256 is stored. */
export function createTokenStore(openEngine: OpenEngine, clock: Clock): TokenStore {
  // Queried for each call over HTTP without a cache, so that a revoked token is worthless at once.
  const findByHash = compileOnce((db, tokenHash: string) => selectRows(db, 'tokens', { hash: tokenHash }));
  /** Cached for this turn of the event loop: a request's token is used to admit it and to identify the caller. */
  let answered: { readonly token: string; readonly row: TokenRow | undefined } | undefined;

  async function rowOf(token: string): Promise<TokenRow | undefined> {
    if (answered?.token === token) return answered.row;
    const { db } = await openEngine();
    const [row] = await findByHash(db, hashOf(token));
    if (!answered) setImmediate(() => (answered = undefined));
    answered = { token, row };
    return row;
  }

  return {
    async create({ user, role, toolsets, expiresAtMs }) {
      const token = `skt_${randomBytes(32).toString('base64url')}`;
      const row: TokenRow = {
        id: randomId('tok_', 12),
        hash: hashOf(token),
        user_name: user,
        role: role ?? null,
        toolsets: toolsets ? JSON.stringify(toolsets) : null,
        created_at_ms: clock(),
        expires_at_ms: expiresAtMs ?? null,
        revoked_at_ms: null,
      };
      await writeTo(openEngine, (tx) => insertRow(tx, 'tokens', row));
      return { token, record: recordOf(row) };
    },
    async find(token, nowMs) {
      // The token is hashed next, so its length must be bounded first.
      if (!token.startsWith('skt_') || token.length > 100) return 'unknown';
      const row = await rowOf(token);
      if (!row || row.revoked_at_ms !== null) return 'unknown';
      if (row.expires_at_ms !== null && row.expires_at_ms <= nowMs) return 'expired';
      return recordOf(row);
    },
    async list() {
      const { db } = await openEngine();
      return (await listRows(db, 'tokens', {}, { by: ['created_at_ms', 'id'] })).map(recordOf);
    },
    async revoke(id) {
      const valid = { id, revoked_at_ms: null };
      const revoked = await writeTo(openEngine, (tx) =>
        updateRows(tx, 'tokens', valid, { revoked_at_ms: clock() }),
      );
      answered = undefined;
      return revoked > 0;
    },
  };
}

function recordOf(row: TokenRow): TokenRecord {
  return {
    id: row.id,
    user: row.user_name,
    role: row.role ?? undefined,
    toolsets: row.toolsets === null ? undefined : (JSON.parse(row.toolsets) as string[]),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms ?? undefined,
    revokedAtMs: row.revoked_at_ms ?? undefined,
  };
}
