import { text } from '../../contract/text/text.ts';
import type { CommandRule, Use } from './rule.ts';

const sqlClients = ['psql', 'mysql', 'mariadb', 'clickhouse-client', 'cqlsh', 'sqlcmd'];

/**
 * Deletions on a database server. In a sandbox a command reaches only servers of its own session; a database file in
 * the workspace is kept like any other file.
 */
export const databaseRules: readonly CommandRule[] = [
  {
    id: 'database-lose',
    decision: 'ask',
    programs: [...sqlClients, 'mongosh', 'mongo', 'redis-cli', 'valkey-cli', 'dropdb', 'mysqladmin'],
    because: text(
      'it removes data of a database, which cannot be undone here',
      'データベースのデータを削除します。ここでは元に戻せません',
    ),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    fits: (use, { confinement }) => confinement === undefined && loses(use),
    match: [
      "psql -c 'DROP DATABASE shop'",
      'psql "$URL" --command="truncate users, orders cascade"',
      "psql shop <<'E'\nBEGIN;\n/* all */ DELETE FROM users;\nCOMMIT;\nE",
      "mysql shop -e'update users set admin = 1'",
      "mariadb -e 'ALTER TABLE users DROP COLUMN email'",
      "mongosh --eval 'db.dropDatabase()'",
      'redis-cli -n 1 flushdb',
      'dropdb shop',
    ],
    notMatch: [
      "psql -c 'select * from drops where deleted'",
      'psql -c "delete from users where name = \'x; drop\'"',
      "mysql -e 'update t set a = 1 where id = 3'",
      "psql -c 'create table t (id int)' # drop",
      'psql -c "insert into log values (\'x; DROP TABLE y\')"',
      "mongosh --eval 'db.users.countDocuments({})'",
      'redis-cli get flushall',
      "sqlite3 app.db 'delete from users'",
      'dropdb --help',
    ],
  },
];

function loses({ program, args, input }: Use): boolean {
  const words = args.flatMap(({ value }) => value ?? []);
  const texts = [...words, ...input.texts.flatMap(({ value }) => value ?? [])];
  switch (program) {
    case 'dropdb':
      return !words.some((word) => /^(--help|--version|-\?|-V)$/.test(word));
    case 'mysqladmin':
      return words.includes('drop');
    case 'redis-cli':
    case 'valkey-cli':
      return /^flush(all|db)$/i.test(commandOfRedis(words) ?? '') || input.texts.some(flushes);
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
    .replace(/'[^']*('|$)|"[^"]*("|$)|`[^`]*(`|$)|\$\$(?:[^$]|\$(?!\$))*(\$\$|$)/g, ' _ ')
    .replace(/--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(\*\/|$)/g, ' ');
  return bare.split(';').map((statement) => statement.trim());
}

function isLoss(statement: string): boolean {
  if (/^(drop|truncate)\s/i.test(statement)) return true;
  if (/^(delete|update)\s/i.test(statement)) return !/\swhere\s/i.test(statement);
  return /^alter\s/i.test(statement) && /\sdrop\s/i.test(statement);
}

/** The first word that is neither an option nor an option's value. */
function commandOfRedis(words: readonly string[]): string | undefined {
  return words.find((word, at) => !word.startsWith('-') && !/^-[hpanutsrid]$/.test(words[at - 1] ?? ''));
}

function flushes({ value }: { readonly value: string | undefined }): boolean {
  return /^\s*flush(all|db)\s*$/im.test(value ?? '');
}
