import { accessSync, constants, statSync } from 'node:fs';
import type { VaultSettings } from '../contract/capabilities/vault.ts';
import { badValue, ConfigError } from '../contract/error.ts';
import { errnoCode } from '../ground/errors/errno-code.ts';
import { isInside } from '../ground/inside.ts';

export interface VaultConfig {
  readonly hardMaxChars?: number | undefined;
  readonly defaultChunkLines?: number | undefined;
  readonly maxChunkLines?: number | undefined;
  readonly extras?: boolean | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings from the environment, the file or the documented defaults. Throws `ConfigError`, naming key and value. */
export function vaultSettingsFrom(environment: Environment, config: VaultConfig = {}): VaultSettings {
  const count = (
    variable: string,
    key: 'hardMaxChars' | 'defaultChunkLines' | 'maxChunkLines',
    usual: number,
  ) => countFrom(environment[variable], variable, config[key], `vault.${key}`, usual);
  const maxChunkLines = count('VAULT_SCAN_MAX_CHUNK_LINES', 'maxChunkLines', 200);
  const variable = 'VAULT_SCAN_DEFAULT_CHUNK_LINES';
  const defaultChunkLines = count(variable, 'defaultChunkLines', Math.min(80, maxChunkLines));
  if (defaultChunkLines > maxChunkLines) {
    const key = environment[variable] === undefined ? 'vault.defaultChunkLines' : variable;
    throw new ConfigError(
      `${key} must be at most ${maxChunkLines} (VAULT_SCAN_MAX_CHUNK_LINES), got ${defaultChunkLines}.`,
      `${key} は ${maxChunkLines}（VAULT_SCAN_MAX_CHUNK_LINES）以下にしてください（指定値: ${defaultChunkLines}）。`,
    );
  }
  return {
    hardMaxChars: count('HARD_MAX_CHARS', 'hardMaxChars', 20_000),
    defaultChunkLines,
    maxChunkLines,
    extras: config.extras ?? true,
  };
}

/** Throws `ConfigError` for a notes folder that cannot be served; one inside a served folder may be missing. */
export function assertVaultRoot(root: string, served: readonly string[]): void {
  const found = statSync(root, { throwIfNoEntry: false });
  if (found ? !found.isDirectory() : !served.some((folder) => isInside(root, folder)))
    throw badValue('vault.root', root, 'must be a folder', 'にはフォルダーを指定してください');
  try {
    if (found) accessSync(root, constants.R_OK | constants.X_OK);
  } catch (error) {
    const code = errnoCode(error);
    throw new ConfigError(
      `vault.root must be a folder that this user may read, got ${JSON.stringify(root)} (${code}).`,
      `vault.root には、このユーザーが読めるフォルダーを指定してください（指定値: ${JSON.stringify(root)}、${code}）。`,
      { cause: error },
    );
  }
}

/** More could not be one string in memory. */
const most = 100_000_000;

function countFrom(
  written: string | undefined,
  variable: string,
  configured: number | undefined,
  key: string,
  usual: number,
): number {
  const given = written ?? configured;
  if (given === undefined) return usual;
  const count = typeof given === 'string' ? (/^[1-9]\d{0,8}$/.test(given) ? Number(given) : 0) : given;
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw badValue(
    written === undefined ? key : variable,
    given,
    `must be a whole number from 1 to ${most}`,
    `は 1～${most} の整数で指定してください`,
  );
}
