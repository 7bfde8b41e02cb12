import { type Text, text } from '../../../../contract/text/text.ts';
import { isRecord } from '../../../../ground/is-record.ts';
import type { Asked } from '../asked.ts';
import { bodyJsonOf } from '../body.ts';
import { forKnown, wordsCarry } from '../carried.ts';
import { type Dialect, type Look, row, shown } from '../dialect.ts';

/** The registry of npm, Yarn, pnpm and Bun. */
export const npm: Dialect = {
  name: 'npm',
  hosts: `registry.npmjs.org registry.yarnpkg.com npm.pkg.github.com registry.npmmirror.com npm.jsr.io`.split(
    /\s+/,
  ),
  shape: ({ method, path, request }) =>
    path.startsWith('/-/') || (method === 'PUT' && request.bodyStart.includes('"_attachments"')),
  isShared: true,
  rows: [
    row.read(
      'POST /-/npm/v1/security/{question...}',
      text('asks about the security of packages', 'パッケージの安全性を問い合わせます'),
      { when: ({ path }) => /\/(?:advisories\/bulk|audits(?:\/quick)?)$/.test(path), body: auditCarries },
    ),
    row.change(
      'PUT|DELETE|POST /-/package/{package}/dist-tags/{tag}',
      text('changes the tag {tag} of {package}', '{package} のタグ {tag} を変更します'),
    ),
    row.rights(
      'PUT|POST|DELETE /-/package/{package}/{right...}',
      text('changes who may do what with {package}', '{package} の権限を変更します'),
    ),
    row.rights(
      'PUT|POST|DELETE|PATCH /-/{account...}',
      text('changes an account, a team or a token', 'アカウント、チーム、トークンを変更します'),
      {
        when: ({ path }) =>
          /^\/-\/(?:user|v1\/login|npm\/v1\/(?:tokens|user|hooks)|team|org)(?:\/|$)/.test(path),
      },
    ),
    row.delete(
      'DELETE /{package}/-rev/{revision}',
      text('unpublishes {package}', '{package} を非公開にします'),
    ),
    row.delete(
      'DELETE /{package}/-/{file...}',
      text('unpublishes {file} of {package}', '{package} の {file} を非公開にします'),
    ),
    row.change(
      'PUT /{package}/-rev/{revision}',
      text('changes versions or owners of {package}', '{package} のバージョンや所有者を変更します'),
      {
        covers: '/{package}/-rev',
        look: (asked) => ({
          kind: 'maintainers' in record(asked) && !('versions' in record(asked)) ? 'rights' : 'change',
        }),
      },
    ),
    row.change(
      'PUT /{package}',
      text('stars or deprecates {package}', '{package} にスターや非推奨の印を付けます'),
      { when: isWithoutFiles },
    ),
    row.publish('PUT /{package}', text('publishes {package}', '{package} を公開します'), {
      look: publishLook,
    }),
    row.read('GET|HEAD /{package}', text('reads about {package}', '{package} の情報を読み取ります')),
    row.read('GET|HEAD /{package}/-/{file}', text('downloads {file}', '{file} をダウンロードします')),
  ],
};

function record(asked: Asked): Readonly<Record<string, unknown>> {
  const body = bodyJsonOf(asked);
  return isRecord(body) ? body : {};
}

/** A body that is not whole has the files of a package. */
function isWithoutFiles(asked: Asked): boolean {
  const body = bodyJsonOf(asked);
  return isRecord(body) && (!isRecord(body._attachments) || Object.keys(body._attachments).length === 0);
}

function publishLook(asked: Asked): Look {
  const { versions, access } = record(asked);
  const names = isRecord(versions) ? Object.keys(versions).slice(0, 3).map(shown) : [];
  return {
    ...(names.length > 0 && {
      says: text(`publishes {package} ${names.join(', ')}`, `{package} ${names.join(', ')} を公開します`),
    }),
    notes: access === 'public' ? [text('Everybody may read it.', '誰でも読めるようになります。')] : [],
  };
}

/** A whole tree has many words, each of them short. */
const forTrees = { ...forKnown, encoded: Number.POSITIVE_INFINITY, identifiers: Number.POSITIVE_INFINITY };

/** Names and versions, which an audit consists of. */
function auditCarries(asked: Asked): Text | undefined {
  const words: string[] = [];
  const body = bodyJsonOf(asked);
  if (!isRecord(body) || !isPlain(body, words))
    return text('Its body is more than names and versions.', '本文が名前とバージョンだけではありません。');
  // Integrity digests of a whole tree are many, and each has a form of its own.
  return wordsCarry(
    words.filter((word) => !/^sha\d{1,3}-[A-Za-z\d+/]{27,86}={0,2}$/.test(word)),
    asked.request.host,
    forTrees,
  );
}

function isPlain(value: unknown, words: string[], depth = 0): boolean {
  if (typeof value === 'string') {
    words.push(value);
    return value.length <= 214;
  }
  if (typeof value !== 'object' || value === null) return true;
  return (
    depth < 40 &&
    Object.entries(value).every(
      ([key, member]) => key.length <= 214 && isPlain(member, words, depth + 1) && words.push(key) > 0,
    )
  );
}
