import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { orElse } from '../../ground/or-else.ts';
import { seal, unseal } from '../../ground/secrets/sealed.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { writeWhole } from '../../ground/write-whole.ts';

const grantSchema = z.object({
  /** Metadata of the authorization server that renewal and revocation need. */
  metadata: z.object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string().optional(),
    response_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  }),
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
  resource: z.string(),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  expiresAtMs: z.number().optional(),
  renewAtMs: z.number().optional(),
  scope: z.string().optional(),
  /** A scope that the server asked for in addition; the next login requests it too. */
  wantedScope: z.string().optional(),
});

/** The tokens of a login, with the data for renewing them. */
export type StoredTokens = z.output<typeof grantSchema>;

/** The login at one server and address, sealed with the key of the state folder. */
export type TokenFile = ReturnType<typeof openTokenFile>;

export interface TokenLocation {
  readonly folder: string;
  readonly key: () => Uint8Array;
}

export function openTokenFile({ folder, key }: TokenLocation, name: string, url: string) {
  const path = join(folder, `${name}.grant`);
  // Bound to the address: if the configured address changes, the old token is not sent there.
  const purpose = JSON.stringify(['grant', name, url]);

  function remove(): void {
    rmSync(path, { force: true });
  }

  return {
    /** Undefined also if the file is for another address, damaged, or sealed with another key. */
    read(): StoredTokens | undefined {
      let sealed: Buffer;
      try {
        sealed = readFileSync(path);
      } catch (error) {
        if (errnoCode(error) === 'ENOENT') return undefined;
        throw error;
      }
      // Sealed with another key, or damaged: treated like no login.
      return orElse(() => grantSchema.parse(JSON.parse(unseal(sealed, key(), purpose))), undefined);
    },
    write(grant: StoredTokens) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeWhole(path, seal(JSON.stringify(grant), key(), purpose));
    },
    remove,
    /** Changes whenever the file does. */
    stamp() {
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
    },
    /** One process at a time renews: using a refresh token twice ends the login. */
    async lock<T>(work: () => Promise<T>): Promise<T> {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const release = await acquireLock(`${path}.lock`);
      using _ = defer(() => release());
      return await work();
    },
  };
}

/** Longer than any request under the lock: its holder hangs or is on another machine. */
const staleMs = 60_000;
const pollMs = 50;

/** Takes the lock file; the returned function releases it. A lock of a dead process, or an old one, is broken. */
export async function acquireLock(path: string): Promise<() => void> {
  const mine = `${process.pid} ${Date.now()} ${hostname()} ${randomBytes(8).toString('hex')}\n`;
  const ticket = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(ticket, mine, { mode: 0o600, flag: 'wx' });
  using _ = defer(() => rmSync(ticket, { force: true }));
  for (;;) {
    // link() creates the file with its content, so a half-written lock is never read.
    if (take(ticket, path)) return () => release(path, mine);
    const held = read(path);
    if (held !== undefined && isStale(held)) breakLock(path, held);
    else await pause(pollMs);
  }
}

function take(ticket: string, path: string): boolean {
  try {
    linkSync(ticket, path);
    return true;
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error;
    return false;
  }
}

function release(path: string, mine: string): void {
  if (read(path) === mine) rmSync(path, { force: true });
}

/** Renames it first, so that only one process breaks it; another process's lock is put back. */
function breakLock(path: string, held: string): void {
  const aside = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    renameSync(path, aside);
  } catch {
    // Another process was first.
    return;
  }
  if (read(aside) !== held) take(aside, path);
  rmSync(aside, { force: true });
}

function isStale(held: string): boolean {
  const [pid, takenAtMs, host] = held.split(' ');
  // A time in the future is stale, too: clocks are set back.
  if (!(Math.abs(Date.now() - Number(takenAtMs)) < staleMs)) return true;
  // In another container the number means another process, or none.
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return errnoCode(error) === 'ESRCH';
  }
}

function read(path: string): string | undefined {
  return orElse(() => readFileSync(path, 'utf8'), undefined);
}
