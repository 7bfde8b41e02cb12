import { accessSync, constants, statSync } from 'node:fs';
import type { VaultSettings } from '../contract/capabilities/vault.ts';
import { ConfigError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { errnoCode } from '../ground/errors/errno-code.ts';
import { isInside } from '../ground/inside.ts';

export interface VaultConfig {
  readonly hardMaxChars?: number | undefined;
  readonly defaultChunkLines?: number | undefined;
  readonly maxChunkLines?: number | undefined;
  readonly extras?: boolean | undefined;
}

/** Settings from the environment, the file or the documented defaults. Throws `ConfigError`, naming key and value. */
export function vaultSettingsFrom(
  environment: Readonly<Record<string, string | undefined>>,
  config: VaultConfig = {},
): VaultSettings {
  const maxChunkLines = countFrom(
    environment,
    'VAULT_SCAN_MAX_CHUNK_LINES',
    'vault.maxChunkLines',
    config.maxChunkLines,
    200,
  );
  const defaultChunkLines = countFrom(
    environment,
    'VAULT_SCAN_DEFAULT_CHUNK_LINES',
    'vault.defaultChunkLines',
    config.defaultChunkLines,
    Math.min(80, maxChunkLines),
  );
  if (defaultChunkLines > maxChunkLines) {
    const key =
      environment.VAULT_SCAN_DEFAULT_CHUNK_LINES === undefined
        ? 'vault.defaultChunkLines'
        : 'VAULT_SCAN_DEFAULT_CHUNK_LINES';
    throw new ConfigError(
      text(
        `${key} must be at most ${maxChunkLines} (VAULT_SCAN_MAX_CHUNK_LINES), got ${defaultChunkLines}.`,
        `${key} は ${maxChunkLines}（VAULT_SCAN_MAX_CHUNK_LINES）以下にしてください（指定値: ${defaultChunkLines}）。`,
      ),
    );
  }
  return {
    hardMaxChars: countFrom(environment, 'HARD_MAX_CHARS', 'vault.hardMaxChars', config.hardMaxChars, 20_000),
    defaultChunkLines,
    maxChunkLines,
    extras: config.extras ?? true,
  };
}

/**
 * Throws `ConfigError` for a notes folder that cannot be served. One inside a served folder may be missing: the first
 * note creates it.
 */
export function assertVaultRoot(root: string, served: readonly string[]): void {
  const found = statSync(root, { throwIfNoEntry: false });
  if (found ? !found.isDirectory() : !served.some((folder) => isInside(root, folder))) {
    throw new ConfigError(
      text(
        `vault.root must be a folder, got ${JSON.stringify(root)}.`,
        `vault.root にはフォルダーを指定してください（指定値: ${JSON.stringify(root)}）。`,
      ),
    );
  }
  try {
    if (found) accessSync(root, constants.R_OK | constants.X_OK);
  } catch (error) {
    const code = errnoCode(error);
    throw new ConfigError(
      text(
        `vault.root must be a folder that this user may read, got ${JSON.stringify(root)} (${code}).`,
        `vault.root には、このユーザーが読めるフォルダーを指定してください（指定値: ${JSON.stringify(root)}、${code}）。`,
      ),
      { cause: error },
    );
  }
}

/** More could not be one string in memory. */
const most = 100_000_000;

function countFrom(
  environment: Readonly<Record<string, string | undefined>>,
  variable: string,
  key: string,
  configured: number | undefined,
  fallback: number,
): number {
  const written = environment[variable];
  if (written !== undefined) {
    const count = /^[1-9]\d{0,8}$/.test(written) ? Number(written) : 0;
    return assertCount(count, variable, written);
  }
  return configured === undefined ? fallback : assertCount(configured, key, configured);
}

function assertCount(count: number, key: string, given: string | number): number {
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new ConfigError(
    text(
      `${key} must be a whole number from 1 to ${most}, got ${JSON.stringify(given)}.`,
      `${key} は 1～${most} の整数で指定してください（指定値: ${JSON.stringify(given)}）。`,
    ),
  );
}
