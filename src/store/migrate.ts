import { ConfigError } from '../contract/error.ts';
import { migrations, statementsOf } from './migrations.ts';

/** The schema version of this program. */
export const schemaVersion = migrations.length;

/** The oldest program that works with these tables: one that knows the last contracting step. */
export const oldestUsable = 1 + migrations.findLastIndex(({ contracts }) => contracts === true);

/**
 * The statements that migrate a database from `version` to ours; empty if it is at ours, or at a later version that
 * programs from `oldest` on can use. Throws `ConfigError` if it is too new for us.
 */
export function statementsSince(
  version: number,
  kind: 'sqlite' | 'postgres',
  oldest: number = version,
): readonly string[] {
  if (version > schemaVersion && oldest > schemaVersion)
    throw new ConfigError(
      `store.url: the database has schema ${version} and this version of sekisho knows ${schemaVersion}. Use the newer version.`,
      `store.url: データベースのスキーマは ${version} ですが、このバージョンの sekisho が対応するのは ${schemaVersion} までです。新しいバージョンを使ってください。`,
    );
  return migrations.slice(version).map((step) => statementsOf(step, kind));
}
