import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { defer } from '../../ground/defer.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { writeWhole } from '../../ground/write-whole.ts';
import { acquireLock } from './lock.ts';

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
export type Grant = z.output<typeof grantSchema>;

/** The login at one server and address, sealed with the key of the state folder. */
export interface GrantFile {
  /** Undefined also if the file is for another address, damaged, or sealed with another key. */
  read(): Grant | undefined;
  write(grant: Grant): void;
  remove(): void;
  /** Changes whenever the file does. */
  stamp(): string;
  /** One process at a time renews: using a refresh token twice ends the login. */
  lock<T>(work: () => Promise<T>): Promise<T>;
}

export interface GrantPlace {
  readonly folder: string;
  readonly key: () => Uint8Array;
}

export function openGrantFile({ folder, key }: GrantPlace, name: string, url: string): GrantFile {
  const path = join(folder, `${name}.grant`);
  // Bound to the address: if the configured address changes, the old token is not sent there.
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
        // Sealed with another key, or damaged: treated like no login.
        return undefined;
      }
    },
    write(grant) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key(), nonce, { authTagLength: 16 }).setAAD(purpose);
      const body = Buffer.concat([cipher.update(JSON.stringify(grant), 'utf8'), cipher.final()]);
      writeWhole(path, Buffer.concat([nonce, cipher.getAuthTag(), body]));
    },
    remove,
    stamp() {
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
    },
    async lock(work) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const release = await acquireLock(`${path}.lock`);
      using _ = defer(() => release());
      return await work();
    },
  };
}
