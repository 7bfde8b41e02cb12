import { ConfigError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { migrations } from './migrations/all.ts';

/** The version that this program's tables have. */
export const schemaVersion = migrations.length;

/** The statements that bring a database from `version` to ours; empty where it is there already. */
export function statementsSince(version: number, kind: 'sqlite' | 'postgres'): readonly string[] {
  if (version > schemaVersion) {
    throw new ConfigError(
      text(
        `store.url: the database has schema ${version} and this version of sekisho knows ${schemaVersion}. Use the newer version.`,
        `store.url: データベースのスキーマは ${version} ですが、このバージョンの sekisho が対応するのは ${schemaVersion} までです。新しいバージョンを使ってください。`,
      ),
    );
  }
  return migrations.slice(version).map((step) => `${step.both}${step[kind]}`);
}
