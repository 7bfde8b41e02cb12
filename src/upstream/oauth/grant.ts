import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { acquireLock } from './lock.ts';

const grantSchema = z.object({
  /** Of the authorization server, as far as renewing and revoking need it. */
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
  /** What the server asked for beyond it; the next login asks for this too. */
  wantedScope: z.string().optional(),
});

/** The tokens of a login, with what their renewal needs. */
export type Grant = z.output<typeof grantSchema>;

/** The grant of one server at one address, sealed under the key of the state folder. */
export interface GrantFile {
  /** Absent too where the file is another address's, damaged, or sealed under another key. */
  read(): Grant | undefined;
  write(grant: Grant): void;
  remove(): void;
  /** Changes whenever the file does. */
  stamp(): string;
  /** One process at a time renews: a refresh token that is used twice ends the grant. */
  lock<T>(work: () => Promise<T>): Promise<T>;
}

export interface GrantPlace {
  readonly folder: string;
  readonly key: () => Uint8Array;
}

export function openGrantFile({ folder, key }: GrantPlace, name: string, url: string): GrantFile {
  const path = join(folder, `${name}.grant`);
  // Bound to the address: a server that moves elsewhere in the configuration does not take the token along.
  const purpose = Buffer.from(JSON.stringify(['grant', name, url]));

  function remove(): void {
    rmSync(path, { force: true });
  }

  return {
    read() {
      let sealed: Buffer;
      try {
        sealed = readFileSync(path);
      } catch (error) {
        if (errnoCode(error) === 'ENOENT') return undefined;
        throw error;
      }
      try {
        const opener = createDecipheriv('aes-256-gcm', key(), sealed.subarray(0, 12), { authTagLength: 16 });
        opener.setAAD(purpose).setAuthTag(sealed.subarray(12, 28));
        const words = Buffer.concat([opener.update(sealed.subarray(28)), opener.final()]).toString('utf8');
        return grantSchema.parse(JSON.parse(words));
      } catch {
        // Sealed with another key, or damaged: as good as no login.
        return undefined;
      }
    },
    write(grant) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key(), nonce, { authTagLength: 16 }).setAAD(purpose);
      const body = Buffer.concat([cipher.update(JSON.stringify(grant), 'utf8'), cipher.final()]);
      const fresh = `${path}.${randomBytes(8).toString('hex')}`;
      try {
        writeFileSync(fresh, Buffer.concat([nonce, cipher.getAuthTag(), body]), {
          mode: 0o600,
          flag: 'wx',
          flush: true,
        });
        renameSync(fresh, path);
      } catch (error) {
        rmSync(fresh, { force: true });
        throw error;
      }
    },
    remove,
    stamp() {
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
    },
    async lock(work) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const release = await acquireLock(`${path}.lock`);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
