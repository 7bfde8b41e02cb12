import { hash, randomBytes } from 'node:crypto';
import type { TokenRecord, TokenStore } from '../contract/records.ts';
import { compileOnce } from './compiled-query.ts';
import type { Clock, OpenEngine } from './engine.ts';
import { randomId } from './random-id.ts';
import { insertRow, selectRows } from './rows.ts';
import type { TokenRow } from './tables/tables.ts';

/** Bearer tokens: 256 random bits, of which only the SHA-256 is stored. */
export function createTokenStore(openEngine: OpenEngine, clock: Clock): TokenStore {
  // Queried for each call over HTTP without a cache, so that a revoked token is worthless at once.
  const findByHash = compileOnce((db, tokenHash: string) => selectRows(db, 'tokens', { hash: tokenHash }));
  /** Cached for this turn of the event loop: a request's token is used to admit it and to identify the caller. */
  let answered: { readonly token: string; readonly row: TokenRow | undefined } | undefined;

  async function rowOf(token: string): Promise<TokenRow | undefined> {
    if (answered?.token === token) return answered.row;
    const { db } = await openEngine();
    const [row] = await findByHash(db, hashToken(token));
    if (!answered) setImmediate(() => (answered = undefined));
    answered = { token, row };
    return row;
  }

  return {
    async create({ user, role, toolsets, expiresAtMs }) {
      const engine = await openEngine();
      const token = `skt_${randomBytes(32).toString('base64url')}`;
      const row: TokenRow = {
        id: randomId('tok_', 12),
        hash: hashToken(token),
        user_name: user,
        role: role ?? null,
        toolsets: toolsets ? JSON.stringify(toolsets) : null,
        created_at_ms: clock(),
        expires_at_ms: expiresAtMs ?? null,
        revoked_at_ms: null,
      };
      await engine.write((tx) => insertRow(tx, 'tokens', row));
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
      const rows = await db.selectFrom('tokens').selectAll().orderBy('created_at_ms').orderBy('id').execute();
      return rows.map(recordOf);
    },
    async revoke(id) {
      const engine = await openEngine();
      const done = await engine.write((tx) =>
        tx
          .updateTable('tokens')
          .set({ revoked_at_ms: clock() })
          .where('id', '=', id)
          .where('revoked_at_ms', 'is', null)
          .executeTakeFirst(),
      );
      answered = undefined;
      return done.numUpdatedRows > 0n;
    },
  };
}

function hashToken(token: string): string {
  return hash('sha256', token);
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
