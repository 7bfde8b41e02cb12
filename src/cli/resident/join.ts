import { closeSync, readFileSync, readlinkSync } from 'node:fs';
import { lastWordsOf } from '../hook/socket.ts';
import { descriptors, memoryNames } from './memory-names.ts';
import { prepareProgram } from './program-file.ts';
import { residentNameOf, residentSocketOf, thisProcess } from './standing.ts';

/**
 * Turns this process into the small program that joins its streams to the resident server. Returns the exit status of a
 * session that has lost its server, or undefined if the session is to be served in this process.
 */
export async function join(args: readonly string[]): Promise<number | undefined> {
  const { node, script, environment } = thisProcess();
  const name = residentNameOf(thisProcess());
  const socket = name === undefined ? undefined : residentSocketOf(name, environment);
  const returned = returnedFrom();
  if (returned?.hasBegun) {
    // Served here, its client would wait for a process that has not heard its handshake.
    warn(words.lost, lastWordsOf(socket ?? ''));
    return systemFailed;
  }
  if (returned || socket === undefined) {
    const why = returned ? returned.why || lastWordsOf(socket ?? '') : words.otherRights;
    if (why) warn(words.alone, why);
    return undefined;
  }
  try {
    const program = await prepareProgram({ socket, node, script });
    process.execve?.(
      program,
      [program, node, script, 'serve', ...args],
      environment as Record<string, string>,
    );
  } catch (error) {
    warn(words.alone, error instanceof Error ? error.message : String(error));
  }
  return undefined;
}

/** What the small program left as it became this process: it could not join, or its session lost its server. */
function returnedFrom(): { readonly hasBegun: boolean; readonly why: string } | undefined {
  try {
    const path = `/proc/self/fd/${descriptors.mark}`;
    const name = readlinkSync(path);
    const hasBegun = name.startsWith(`/memfd:${memoryNames.notes}`);
    if (!hasBegun && !name.startsWith(`/memfd:${memoryNames.up}`)) return undefined;
    const why = hasBegun ? '' : readFileSync(path, 'utf8');
    closeSync(descriptors.mark);
    return { hasBegun, why };
  } catch {
    // A person or a client has started this process.
    return undefined;
  }
}

function warn(what: string, why: string): void {
  process.stderr.write(`sekisho: ${what}: ${why}\n`);
}

/** Without our texts, which would take longer to load than all else here. */
const words = /^ja/i.test(process.env.LC_ALL || process.env.LC_MESSAGES || process.env.LANG || '')
  ? {
      alone: 'このセッションは共有サーバーを使いません',
      otherRights: 'プロセスの権限を確認できないか、サンドボックスの中にある可能性があります',
      lost: 'サーバーが終了し、起動し直せませんでした',
    }
  : {
      alone: 'this session does not use the shared server',
      otherRights: 'its rights cannot be told, or a sandbox may hold it',
      lost: 'the server has ended and could not be started again',
    };
const systemFailed = 3;
