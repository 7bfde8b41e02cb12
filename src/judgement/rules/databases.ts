import { text } from '../../contract/text/text.ts';
import type { CommandRule, Use } from './rule.ts';

/** Deletions on a database server; a database file in the workspace is kept like any other file. */
export const databaseRules: readonly CommandRule[] = [
  {
    id: 'database-lose',
    decision: 'ask',
    programs: [
      ...['psql', 'mysql', 'mariadb', 'clickhouse-client', 'cqlsh', 'sqlcmd', 'mongosh', 'mongo'],
      ...['redis-cli', 'valkey-cli', 'dropdb', 'mysqladmin'],
    ],
    because: text(
      'it removes data of a database, which cannot be undone here',
      'データベースのデータを削除します。ここでは元に戻せません',
    ),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    fits: losesData,
    // In a sandbox a command reaches servers of its own session, and ports that the operator lists for it.
    needs: 'machine',
    match: [
      "psql -c 'DROP DATABASE shop'",
      "psql shop <<'E'\nBEGIN;\n/* all */ DELETE FROM users;\nCOMMIT;\nE",
      "mysql shop -e'update users set admin = 1'",
      "mariadb -e 'ALTER TABLE users DROP COLUMN email'",
      "mongosh --eval 'db.dropDatabase()'",
      'redis-cli -n 1 flushdb',
      'dropdb shop',
    ],
    notMatch: [
      "psql -c 'select * from drops where deleted'",
      "mysql -e 'update t set a = 1 where id = 3'",
      "mongosh --eval 'db.users.countDocuments({})'",
      'redis-cli get a',
      "sqlite3 app.db 'delete from users'",
      'dropdb --help',
    ],
  },
];

function losesData({ program, args, input }: Use): boolean {
  const words = args.flatMap(({ value }) => value ?? []);
  const texts = [...words, ...input.texts.flatMap(({ value }) => value ?? [])];
  switch (program) {
    case 'dropdb':
      return !words.some((word) => /^(--help|--version|-\?|-V)$/.test(word));
    case 'mysqladmin':
      return words.includes('drop');
    case 'redis-cli':
    case 'valkey-cli':
      return texts.some((one) => /^\s*flush(all|db)\s*$/im.test(one));
    case 'mongosh':
    case 'mongo':
      return texts.some((one) => /\bdropDatabase\(|\.drop\(|\.(deleteMany|remove)\(\s?\{\s?\}/.test(one));
    default:
      return texts.some((one) => statementsOf(one.replace(/^(-[ceqQ]|--\w+=)/, '')).some(isLoss));
  }
}

/** SQL without quoted text and comments. */
function statementsOf(sql: string): readonly string[] {
  const bare = sql
    .replace(/'[^']*('|$)|"[^"]*("|$)|`[^`]*(`|$)/g, ' _ ')
    .replace(/--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(\*\/|$)/g, ' ');
  return bare.split(';').map((statement) => statement.trim());
}

function isLoss(statement: string): boolean {
  if (/^(delete|update)\s/i.test(statement)) return !/\swhere\s/i.test(statement);
  return /^(drop|truncate)\s|^alter\s.*\sdrop\s/is.test(statement);
}
