import { mkdirSync } from 'node:fs';
import { copyRecords } from '../../checkpoint/index.ts';
import { ConfigError } from '../../contract/error.ts';
import type { Options } from './options.ts';
import { note, say, sayJson } from './say.ts';

/** Copies every record into an empty store of either kind. Stop the servers first. */
export async function copyStore(from: string, to: string, options: Options): Promise<number> {
  for (const url of [from, to]) {
    if (!/^(sqlite:.|postgres(ql)?:\/\/)/.test(url))
      throw new ConfigError(
        `A store is named as sqlite:PATH or postgres://…, got ${JSON.stringify(url)}.`,
        `ストアは sqlite:PATH または postgres://… で指定してください（指定値: ${JSON.stringify(url)}）。`,
      );
  }
  const stateFolder = options.state === undefined ? undefined : String(options.state);
  if (stateFolder !== undefined) mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const counts: Record<string, number> = {};
  await copyRecords({ from, to, stateFolder }, (table, rows) => {
    counts[table] = rows;
    if (process.stderr.isTTY) process.stderr.write(`\r${table}: ${rows}   `);
  });
  if (process.stderr.isTTY) process.stderr.write('\n');
  if (options.json) sayJson(counts);
  else for (const [table, rows] of Object.entries(counts)) say(`${table}\t${rows}`);
  note(
    'The audit chain continues with the same audit.key: copy it to the state folder of the new store.',
    '監査ログのチェーンは同じ audit.key で続きます。新しいストアの状態フォルダーにコピーしてください。',
  );
  return 0;
}
