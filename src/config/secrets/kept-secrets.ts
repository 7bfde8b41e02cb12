import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { SecretKeeper } from '../../contract/capabilities/secrets.ts';
import { ConfigError } from '../../contract/error.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { seal, unseal } from '../../ground/secrets/sealed.ts';
import { writeWhole } from '../../ground/write-whole.ts';

const form = z.record(z.string(), z.string());

/** The values of credentials in a file of the state folder, sealed with its key, or in the keyring. */
export class KeptSecrets implements SecretKeeper {
  readonly #path: string;
  readonly #key: () => Uint8Array;
  readonly #inKeyring: readonly string[];
  #read: { readonly stamp: string; readonly values: ReadonlyMap<string, string> } | undefined;

  constructor(stateFolder: string, key: () => Uint8Array, inKeyring: readonly string[] = []) {
    this.#inKeyring = inKeyring;
    this.#path = join(stateFolder, 'secrets.sealed');
    this.#key = key;
  }

  /** By name. Throws `ConfigError` if the file was sealed with another key, or is damaged. */
  read(): ReadonlyMap<string, string> {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    const stamp = found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
    if (this.#read?.stamp !== stamp) this.#read = { stamp, values: this.#values() };
    return this.#read.values;
  }

  async set(name: string, value: string | undefined): Promise<boolean> {
    if (this.#inKeyring.includes(name)) return (await import('./keyring.ts')).keepInKeyring(name, value);
    const values = new Map(this.#values());
    if (value !== undefined) values.set(name, value);
    else if (!values.delete(name)) return false;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    writeWhole(this.#path, seal(JSON.stringify(Object.fromEntries(values)), this.#key(), purpose));
    return true;
  }

  #values(): ReadonlyMap<string, string> {
    let sealed: Buffer;
    try {
      sealed = readFileSync(this.#path);
    } catch (error) {
      if (errnoCode(error) === 'ENOENT') return new Map();
      throw error;
    }
    try {
      return new Map(Object.entries(form.parse(JSON.parse(unseal(sealed, this.#key(), purpose)))));
    } catch {
      throw new ConfigError(
        `${this.#path} cannot be opened with the key of this state folder. Remove it and set the secrets again.`,
        `${this.#path} はこの状態フォルダーの鍵では開けません。削除してシークレットを設定し直してください。`,
      );
    }
  }
}

const purpose = 'secrets of the operator';
