import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { homeOf, residentFolderOf } from '../../config/places/state.ts';
import type { SharedServer } from '../../contract/shared-server.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { RunRequest } from '../../hooks/gate.ts';
import { inLocale, note, say, sayJson, sayRow } from '../common/say.ts';

/** A request to a shared server, as a line of JSON. */
export type Asked =
  | { readonly kind: 'list' | 'hooks' }
  | { readonly kind: 'stop'; readonly session?: string }
  | ({ readonly kind: 'run' } & RunRequest);

/** Lists the sessions, with their clients, folders and servers. */
export async function listSessions({ json }: { readonly json?: unknown }): Promise<number> {
  const reports = await askAll({ kind: 'list' });
  if (json) sayJson(reports);
  else if (reports.length === 0) say(noServer);
  for (const { pid, bytes, sessions, conversations, servers, published } of json ? [] : reports) {
    const mb = megabytes(bytes);
    say(
      text(
        `Server ${pid}: ${mb}, sessions: ${sessions.length}, conversations with hooks: ${conversations}`,
        `サーバー ${pid}: ${mb}、セッション数: ${sessions.length}、フックを使う会話: ${conversations}`,
      ),
    );
    for (const { id, client, folder, sinceMs } of sessions)
      sayRow([id.slice(0, shortId), client || '-', folder, new Date(sinceMs).toISOString()]);
    for (const { sessionId, url, command, sinceMs } of published)
      sayRow([sessionId.slice(0, shortId), url, command, new Date(sinceMs).toISOString()]);
    for (const { name, bytes: used, sessions: of } of servers)
      sayRow([name, used === undefined ? '-' : megabytes(used), inLocale(usedBy(of))]);
  }
  return 0;
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

function usedBy(sessions: readonly string[]): Text {
  const ids = sessions.map((id) => id.slice(0, shortId));
  return text(`used by ${ids.join(', ') || 'none'}`, `使用中: ${ids.join('、') || 'なし'}`);
}

/** Ends one session, or the servers: without `--all`, only those that serve nobody. */
export async function stopSessions(
  session: string | undefined,
  { all }: { readonly all?: unknown },
): Promise<number> {
  const reports = await askAll({ kind: 'list' });
  const sessions = reports.flatMap((report) => report.sessions);
  if (session !== undefined) {
    const found = sessions.filter(({ id }) => id.startsWith(session));
    if (found.length !== 1 || session === '') {
      note(
        text(
          `There is no one session ${JSON.stringify(session)}. \`sekisho ps\` lists them.`,
          `セッション ${JSON.stringify(session)} を特定できません。一覧は \`sekisho ps\` で確認できます。`,
        ),
      );
      return 1;
    }
    await askAll({ kind: 'stop', session });
    say(text('The session ends.', 'セッションを終了します。'));
    return 0;
  }
  if (!all && sessions.length > 0) {
    note(
      text(
        `Sessions that go on: ${sessions.length}. Name one, or end them all with --all.`,
        `進行中のセッション: ${sessions.length}。1 つを指定するか、--all で全部を終了してください。`,
      ),
    );
    return 1;
  }
  await askAll({ kind: 'stop' });
  say(reports.length === 0 ? noServer : text('The server ends.', 'サーバーを終了します。'));
  return 0;
}

/** The answers of all shared servers of this user, whatever build they are of. */
export async function askAll(asks: Asked): Promise<readonly SharedServer[]> {
  const folder = residentFolderOf(process.env, homeOf(process.env));
  if (!existsSync(folder)) return [];
  const sockets = readdirSync(folder).filter((name) => name.endsWith('.sock'));
  const asked = await Promise.all(sockets.map((name) => ask(join(folder, name), asks)));
  // One server may listen on two.
  return [...new Map(asked.flatMap((report) => (report ? [[report.pid, report] as const] : []))).values()];
}

/** Resolves with undefined if none answers there. */
function ask(path: string, asks: Asked): Promise<SharedServer | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const give = (report: SharedServer | undefined) => {
      socket.destroy();
      resolve(report);
    };
    socket.setTimeout(answerMs, () => give(undefined));
    socket.once('error', () => give(undefined)).once('close', () => resolve(undefined));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('end', () => {
      const words = Buffer.concat(chunks).toString('utf8');
      // One of an earlier build names neither.
      give(words === '' ? undefined : { servers: [], published: [], ...JSON.parse(words) });
    });
    socket.write(`${JSON.stringify(asks)}\n`);
  });
}

const noServer = text('No shared server runs.', '共有サーバーは動いていません。');
const answerMs = 5000;
/** Enough to name a session by. */
const shortId = 8;
