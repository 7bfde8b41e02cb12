import { type Text, text } from '../../../../contract/text/text.ts';
import { isRecord } from '../../../../ground/is-record.ts';
import type { Asked } from '../asked.ts';
import { bodyJsonOf, bodyStartOf } from '../body.ts';
import { forStrangers, wordsCarry } from '../carried.ts';
import { type Dialect, type Look, row, shown } from '../dialect.ts';
import { isHexText } from '../encoded.ts';
import { isNone, type RefUpdate, readPackets, readPush } from './git-packets.ts';

/** Smart HTTP and large files (gitprotocol-http, git-lfs's batch API). */
export const git: Dialect = {
  name: 'git',
  hosts: `github.com gist.github.com gitlab.com bitbucket.org codeberg.org git.sr.ht *.googlesource.com
    huggingface.co`.split(/\s+/),
  shape: ({ path }) => /\/(?:info\/refs|git-(?:upload|receive)-pack|info\/lfs\/.+)$/.test(path),
  rows: [
    row.read(
      'GET /{repo...}/info/refs?service=git-upload-pack',
      text('lists what {repo} has', '{repo} の参照を一覧します'),
    ),
    row.read(
      'GET /{repo...}/info/refs?service=git-receive-pack',
      text('asks {repo} what a push would find', '{repo} にプッシュ前の状態を問い合わせます'),
    ),
    row.read('POST /{repo...}/git-upload-pack', text('fetches from {repo}', '{repo} から取得します'), {
      body: fetchCarries,
      anywhere: true,
    }),
    row.read(
      'POST /{repo...}/git-receive-pack',
      text('asks {repo} whether a push may log in', '{repo} にプッシュの認証を確認します'),
      { when: isProbe, body: () => undefined, anywhere: true },
    ),
    row.change('POST /{repo...}/git-receive-pack', text('pushes to {repo}', '{repo} にプッシュします'), {
      look: pushLook,
    }),
    row.read(
      'POST /{repo...}/info/lfs/objects/batch',
      text('asks {repo} for large files', '{repo} に大きなファイルを問い合わせます'),
      { when: (asked) => operationOf(asked) === 'download', body: batchCarries, anywhere: true },
    ),
    row.change(
      'POST /{repo...}/info/lfs/objects/batch',
      text('uploads large files to {repo}', '{repo} に大きなファイルを送ります'),
      {
        // They come before the push that needs them, which the same yes covers.
        covers: '/{repo}/git-receive-pack',
      },
    ),
    row.read(
      'POST /{repo...}/info/lfs/locks/verify',
      text('lists the locks of {repo}', '{repo} のロックを一覧します'),
      { body: locksCarry, anywhere: true },
    ),
    row.change(
      'POST /{repo...}/info/lfs/locks',
      text('locks a file of {repo}', '{repo} のファイルをロックします'),
    ),
    row.change(
      'POST /{repo...}/info/lfs/locks/{id}/unlock',
      text('unlocks a file of {repo}', '{repo} のファイルのロックを解除します'),
    ),
  ],
};

/** Lines of a fetch, in both versions of the protocol. */
const fetchLine =
  /^(?:command=(?:fetch|ls-refs)|agent=[\w./+()-]{1,80}|object-format=sha(?:1|256)|session-id=[\w-]{1,64}|(?:want|have|shallow) ([\da-f]{40}|[\da-f]{64})|deepen \d{1,10}|deepen-since \d{1,12}|(?:deepen-not|ref-prefix|want-ref) [!-~]{1,200}|filter [\w:=+%,./-]{1,80}|deepen-relative|done|peel|symrefs|unborn|thin-pack|no-progress|include-tag|ofs-delta|sideband-all|packfile-uris [a-z,]{1,40}|wait-for-done)$/;

/** Commits that a fetch names in one request: git begins with 16 and doubles. */
const maxCommits = 300;

function fetchCarries(asked: Asked, isKnown: boolean): Text | undefined {
  const odd = text('Its body is more than a fetch.', '本文が取得の要求だけではありません。');
  const { bodyIsWhole } = asked.request;
  const bytes = bodyStartOf(asked);
  if (!bytes || (!bodyIsWhole && !isKnown)) return odd;
  const { lines, isWhole } = readPackets(bytes, true);
  // In version 0, the first line ends with what git can do.
  const plain = lines.map((line, at) => (at === 0 ? line.replace(capabilities, '') : line));
  const commits = plain.flatMap((line) => fetchLine.exec(line)?.[1] ?? []);
  if (!plain.every((line) => fetchLine.test(line)) || (bodyIsWhole && !isWhole)) return odd;
  if (isKnown) return undefined;
  const others = plain.filter((line) => !/^(?:want|have|shallow) /.test(line));
  return commits.length > maxCommits || commits.some(isHexText) || others.join('').length > maxOtherChars
    ? odd
    : wordsCarry(others, asked.request.host, forStrangers);
}

const maxOtherChars = 2000;
const capabilities =
  /(?: (?:multi_ack(?:_detailed)?|no-done|side-band(?:-64k)?|thin-pack|no-progress|include-tag|ofs-delta|deepen-since|deepen-not|deepen-relative|allow-tip-sha1-in-want|filter|object-format=sha(?:1|256)|agent=[\w./+()-]{1,80}|session-id=[\w-]{1,64}))+$/;

/** Before a large push, git sends an empty one to see whether its login is accepted. */
function isProbe({ request: { bodyStart, bodyIsWhole } }: Asked): boolean {
  return bodyIsWhole && bodyStart.toString('latin1') === '0000';
}

function pushLook(asked: Asked): Look {
  const push = readPush(bodyStartOf(asked) ?? asked.request.bodyStart);
  if (!push) return { notes: [text('Its refs cannot be read.', '対象の参照を読み取れません。')] };
  const { updates } = push;
  const refs = updates.slice(0, maxNotes).map(({ ref }) => shown(ref));
  const more = updates.length - refs.length;
  const names = `${refs.join(', ')}${more > 0 ? ` +${more}` : ''}`;
  const areDeleted = updates.every(({ after }) => isNone(after));
  return {
    kind: updates.some(({ after }) => isNone(after)) ? 'delete' : 'change',
    says: areDeleted
      ? text(`deletes ${names} of {repo}`, `{repo} の ${names} を削除します`)
      : text(`pushes to ${names} of {repo}`, `{repo} の ${names} にプッシュします`),
    notes: updates.slice(0, maxNotes).map(updateNote),
  };
}

const maxNotes = 10;

function updateNote({ before, after, ref }: RefUpdate): Text {
  const name = shown(ref);
  const short = (id: string) => id.slice(0, 8);
  if (isNone(after)) return text(`It deletes ${name}.`, `${name} を削除します。`);
  if (isNone(before))
    return text(`It creates ${name} at ${short(after)}.`, `${name} を ${short(after)} に作成します。`);
  // Whether commits are lost by it is not on the wire.
  return text(
    `It replaces ${short(before)} by ${short(after)} in ${name}.`,
    `${name} の ${short(before)} を ${short(after)} に置き換えます。`,
  );
}

function operationOf(asked: Asked): unknown {
  const batch = bodyJsonOf(asked);
  return isRecord(batch) ? batch.operation : undefined;
}

const notFiles = text(
  'Its body is more than a question about files.',
  '本文がファイルの問い合わせだけではありません。',
);

function batchCarries(asked: Asked, isKnown: boolean): Text | undefined {
  const batch = bodyJsonOf(asked);
  if (!isRecord(batch)) return notFiles;
  const { operation: _, objects, transfers = [], ref, hash_algo = 'sha256', ...others } = batch;
  const isFine =
    Object.keys(others).length === 0 &&
    Array.isArray(objects) &&
    objects.length <= (isKnown ? 1000 : 100) &&
    objects.every(isObject) &&
    Array.isArray(transfers) &&
    transfers.length <= 8 &&
    transfers.every((each) => typeof each === 'string' && /^[a-z-]{1,24}$/.test(each)) &&
    hash_algo === 'sha256' &&
    isRef(ref);
  return isFine ? refCarries(asked, ref) : notFiles;
}

function isObject(value: unknown): boolean {
  return (
    isRecord(value) &&
    Object.keys(value).every((key) => key === 'oid' || key === 'size') &&
    typeof value.oid === 'string' &&
    /^[\da-f]{64}$/.test(value.oid) &&
    !isHexText(value.oid) &&
    Number.isSafeInteger(value.size)
  );
}

function isRef(ref: unknown): boolean {
  return (
    ref === undefined ||
    (isRecord(ref) &&
      Object.keys(ref).join() === 'name' &&
      typeof ref.name === 'string' &&
      /^[\w./-]{1,200}$/.test(ref.name))
  );
}

function refCarries({ request }: Asked, ref: unknown): Text | undefined {
  return isRecord(ref) ? wordsCarry([String(ref.name)], request.host, forStrangers) : undefined;
}

function locksCarry(asked: Asked): Text | undefined {
  const asks = bodyJsonOf(asked);
  if (!isRecord(asks)) return notFiles;
  const { ref, cursor = '', limit = 0, ...others } = asks;
  const isFine =
    Object.keys(others).length === 0 &&
    isRef(ref) &&
    typeof cursor === 'string' &&
    cursor.length <= 64 &&
    Number.isSafeInteger(limit);
  return isFine ? refCarries(asked, ref) : notFiles;
}
