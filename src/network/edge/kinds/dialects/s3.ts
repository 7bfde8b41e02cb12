import { type Text, text } from '../../../../contract/text/text.ts';
import { isRecord } from '../../../../ground/is-record.ts';
import type { RequestKind } from '../../request.ts';
import { type Asked, headerOf, parameterOf } from '../asked.ts';
import { bodyFormOf, bodyJsonOf, bodyTextOf } from '../body.ts';
import { forStrangers, wordsCarry } from '../carried.ts';
import { type Dialect, type Look, row, shown } from '../dialect.ts';

/** S3 and what signs like it: SigV4 in a header or in the address. Anyone may own a bucket and read its log. */
export const s3: Dialect = {
  name: 's3',
  hosts: [
    '*.amazonaws.com',
    '*.r2.cloudflarestorage.com',
    '*.digitaloceanspaces.com',
    'storage.googleapis.com',
    '*.backblazeb2.com',
  ],
  isShared: true,
  shape: isSigned,
  rows: [
    row.read('POST *', text('asks a service of AWS', 'AWS のサービスに問い合わせます'), {
      when: asksOnly,
      body: questionCarries,
    }),
    row.change('GET|HEAD|POST *', text('calls a service of AWS', 'AWS のサービスを呼び出します'), {
      when: (asked) => actionOf(asked) !== undefined && (asked.method === 'POST' || !asksOnly(asked)),
      look: callLook,
    }),
    row.rights('PUT|DELETE *', text('changes who may use {host}', '{host} の利用権限を変更します'), {
      when: ({ query }) => query.some(([name]) => rights.has(name)),
    }),
    row.delete('POST *?delete', text('deletes objects at {host}', '{host} のオブジェクトを削除します')),
    row.change('DELETE *?uploadId', text('cancels an upload at {host}', '{host} の送信を取り消します')),
    row.delete(
      'DELETE *',
      text('deletes an object or a bucket at {host}', '{host} のオブジェクトかバケットを削除します'),
    ),
    row.change('PUT *', text('copies an object at {host}', '{host} でオブジェクトをコピーします'), {
      when: ({ headers }) => headers.has('x-amz-copy-source'),
      look: coversPath,
    }),
    row.change('PUT|POST *', text('uploads to {host}', '{host} に送ります'), { look: coversPath }),
    row.read('GET|HEAD *', text('reads from {host}', '{host} から読み取ります')),
  ],
};

const rights = new Set(
  (
    'acl policy cors website publicAccessBlock ownershipControls replication notification logging ' +
    'object-lock retention legal-hold lifecycle encryption'
  ).split(' '),
);

function isSigned(asked: Asked): boolean {
  return (
    headerOf(asked, 'authorization')?.startsWith('AWS4-HMAC-SHA256 ') === true ||
    parameterOf(asked, 'X-Amz-Signature') !== undefined
  );
}

/** The parts of one upload come with numbers of their own. */
function coversPath({ path, headers }: Asked) {
  const isPublic = (headers.get('x-amz-acl') ?? []).some((value) => value.startsWith('public'));
  return isPublic
    ? {
        kind: 'rights' as const,
        covers: path,
        notes: [text('Everybody may read it.', '誰でも読めるようになります。')],
      }
    : { covers: path };
}

/** The operation of a service that is no REST; "?" if it is named in several places, of which services heed one. */
function actionOf(asked: Asked): string | undefined {
  const targets = (asked.headers.get('x-amz-target') ?? []).map((name) =>
    name.slice(name.lastIndexOf('.') + 1),
  );
  const inQuery = asked.query.filter(([name]) => name === 'Action').map(([, value]) => value);
  const form = bodyFormOf(asked);
  const inForm = form?.get('Action');
  const names = [...targets, ...inQuery, ...(inForm === undefined ? [] : [inForm])];
  const isJson = /^application\/x-amz-json-1\.[01]$/i.test(headerOf(asked, 'content-type') ?? '');
  const isClear = names.length === 1 && (targets.length === 0 || (isJson && isRecord(bodyJsonOf(asked))));
  return isClear ? names[0] : names.length > 0 ? '?' : undefined;
}

function asksOnly(asked: Asked): boolean {
  return /^(?:Describe|List|Get|Lookup|BatchGet)[A-Z]/.test(actionOf(asked) ?? '');
}

function callLook(asked: Asked): Look {
  const action = shown(actionOf(asked) ?? '');
  return {
    kind: kindOf(action),
    says: text(`calls ${action} at {host}`, `{host} の ${action} を呼び出します`),
    covers: `${asked.path}#${action}`,
  };
}

function kindOf(action: string): RequestKind {
  if (/^(?:Delete|Terminate|Remove|Purge)/.test(action)) return 'delete';
  return /Policy|Role|Permission|AccessKey|User$/.test(action) ? 'rights' : 'change';
}

const maxQuestionChars = 1000;

function questionCarries(asked: Asked): Text | undefined {
  const words = bodyTextOf(asked);
  if (words === undefined || words.length > maxQuestionChars)
    return text('Its body is longer than a question.', '本文が問い合わせより長くなっています。');
  return wordsCarry([words], asked.request.host, forStrangers);
}
