import type { Checkpoint } from '../../checkpoint/index.ts';
import { ConfigError, ToolError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { counted } from '../../ground/counted.ts';
import type { Finding } from './finding.ts';

type Store = Awaited<ReturnType<Checkpoint['store']>>;

/** Reports the kept records, and whether they can be kept. */
export async function examineRecords(store: Store): Promise<readonly Finding[]> {
  const kept = await examineDatabase(store);
  return [kept, ...(kept.works ? await examineWakeups(store) : []), ...(await examineBucket(store))];
}

/** Checks the database: whether it opens, its pages are whole, and the audit log verifies. */
async function examineDatabase(store: Store): Promise<Finding> {
  const bad = (detail: Text | string, remedy?: Text | string): Finding => ({
    what: 'store',
    works: false,
    detail,
    remedy,
  });
  try {
    await store.ready();
    const damage = await store.damage();
    if (damage !== undefined) return bad(text(`damaged: ${damage}`, `破損しています: ${damage}`), bringBack);
    const verdict = await store.audit.verify();
    if (!verdict.ok) return bad(verdict.problem, 'sekisho audit verify');
    const entries = counted(verdict.entries, 'audit entry', 'audit entries');
    return {
      what: 'store',
      works: true,
      detail: text(`${entries}, unbroken`, `監査ログ ${verdict.entries} 件、改ざんや欠落なし`),
    };
  } catch (error) {
    const { message, cause } = error as Error;
    if (error instanceof ConfigError) return bad(error.text);
    // A failed read's message is written for callers; its cause has the database's own message.
    return error instanceof ToolError
      ? bad(cause instanceof Error ? cause.message : message, bringBack)
      : bad(message);
  }
}

/** If several servers share a database: checks whether this one is notified of the others' changes. */
async function examineWakeups({ wakeups }: Store): Promise<readonly Finding[]> {
  const found = await wakeups();
  if (!found) return [];
  const { state, receivedAfterMs = 0, pollEveryMs } = found;
  if (state === 'working') {
    const ms = Math.ceil(receivedAfterMs);
    return [
      { what: 'wake-ups', works: true, detail: text(`heard after ${ms} ms`, `${ms} ミリ秒で届きました`) },
    ];
  }
  return [
    {
      what: 'wake-ups',
      works: false,
      isWarning: true,
      detail: text(
        `notifications do not arrive; the database is polled every ${pollEveryMs} ms instead`,
        `通知が届きません。代わりに ${pollEveryMs} ミリ秒ごとにデータベースを確認します`,
      ),
      remedy: text(
        'connect to PostgreSQL directly, or set the pooler to session mode: in transaction mode, LISTEN does not work',
        'PostgreSQL に直接接続するか、プーラーをセッションモードにしてください。トランザクションモードでは LISTEN が機能しません',
      ),
    },
  ];
}

/** If former contents are in a bucket: checks whether it exists and is readable. */
async function examineBucket({ probeBucket }: Store): Promise<readonly Finding[]> {
  if (!probeBucket) return [];
  try {
    await probeBucket();
    return [{ what: 'history.store', works: true, detail: text('reached', '接続できました') }];
  } catch (error) {
    const { name, message } = error as Error;
    return [{ what: 'history.store', works: false, detail: `${name}: ${message}`, remedy: bucketRemedy }];
  }
}

const bringBack = text(
  'restore the database from a backup, together with the audit.key of its state folder',
  'データベースを、状態フォルダーの audit.key とともにバックアップから復元してください',
);

const bucketRemedy = text(
  'check the bucket’s name, the credentials and the region (AWS_* variables or ~/.aws), and AWS_ENDPOINT_URL_S3 if it is not at Amazon',
  'バケット名、認証情報とリージョン（AWS_* 変数または ~/.aws）、Amazon 以外の場合は AWS_ENDPOINT_URL_S3 を確認してください',
);
