import { hash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { randomId } from '../random-id.ts';
import { deleteRows, insertRow, listRows, putRow } from '../rows.ts';
import type { TeamBase } from './base.ts';

/** `scrypt$N$r$p$salt$key`, so that a later version may choose other costs. */
export async function hashPasskey(passkey: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(passkey, salt, keyBytes, costs);
  return ['scrypt', costs.N, costs.r, costs.p, salt.toString('base64url'), key.toString('base64url')].join(
    '$',
  );
}

/** Takes as long for an unknown agent (`stored` undefined) as for a wrong passkey. */
export async function isPasskeyOf(stored: string | undefined, passkey: string): Promise<boolean> {
  const [, n, r, p, salt = '', key = ''] = (stored ?? nobodys).split('$');
  const wanted = Buffer.from(key, 'base64url');
  const asStored = { N: Number(n), r: Number(r), p: Number(p) };
  const given = await derive(passkey, Buffer.from(salt, 'base64url'), keyBytes, asStored);
  return given.length === wanted.length && timingSafeEqual(given, wanted) && stored !== undefined;
}

export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** Limits guesses per agent and address, over all servers. Counted before the check, so parallel guesses gain none. */
export async function countAttempt(
  { openEngine, clock }: TeamBase,
  agentId: string | undefined,
  address: string | undefined,
): Promise<{ forget(): Promise<void> }> {
  const engine = await openEngine();
  const nowMs = clock();
  const names = [
    ...(agentId === undefined ? [] : [{ name: `agent ${hashToken(agentId)}`, most: attemptsPerAgent }]),
    ...(address === undefined ? [] : [{ name: `address ${address}`, most: attemptsPerAddress }]),
  ];
  const ids = names.map(() => randomId('att_', 16));
  const waitMs = await engine.write(async (tx) => {
    await tx
      .deleteFrom('passkey_attempts')
      // An entry in the future is from before the clock was set back, and would otherwise count until then.
      .where(({ or, eb }) => or([eb('at_ms', '<=', nowMs - windowMs), eb('at_ms', '>', nowMs + windowMs)]))
      .execute();
    for (const [index, { name, most }] of names.entries()) {
      // Writing this row locks it, so concurrent guesses count after us.
      await putRow(tx, 'passkey_attempts', ['id'], { id: `lock ${name}`, name: 'lock', at_ms: nowMs });
      await insertRow(tx, 'passkey_attempts', { id: ids[index] ?? '', name, at_ms: nowMs });
      const newest = { by: 'at_ms desc', limit: most + 1 } as const;
      const recent = await listRows(tx, 'passkey_attempts', { name }, newest);
      const oldest = recent[most];
      if (oldest) {
        await deleteRows(tx, 'passkey_attempts', { id: ids });
        return Math.max(1, Math.min(windowMs, oldest.at_ms + windowMs - nowMs));
      }
    }
    return 0;
  });
  if (waitMs > 0) throw tooManyAttempts(waitMs);
  return {
    async forget() {
      await engine.write((tx) => deleteRows(tx, 'passkey_attempts', { id: ids }), { durable: false });
    },
  };
}

function tooManyAttempts(waitMs: number): ToolError {
  const seconds = Math.ceil(waitMs / 1000);
  return new ToolError(
    'rate_limited',
    'Too many failed attempts to authenticate.',
    '認証の失敗が多すぎます。',
    text(`Try again in ${seconds} s.`, `${seconds} 秒後にもう一度試してください。`),
    { retry_after_ms: waitMs },
  );
}

const derive: (passkey: string, salt: Buffer, bytes: number, options: ScryptOptions) => Promise<Buffer> =
  promisify(scrypt);
const keyBytes = 32;
const costs = { N: 16_384, r: 8, p: 1 };
/** Compared with the passkey for an unknown agent. */
const nobodys = `scrypt$${costs.N}$${costs.r}$${costs.p}$AAAAAAAAAAAAAAAAAAAAAA$${'A'.repeat(43)}`;
const windowMs = 5 * 60_000;
const attemptsPerAgent = 10;
const attemptsPerAddress = 50;
