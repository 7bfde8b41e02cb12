import { text } from '../../../../contract/text/text.ts';
import type { Asked } from '../asked.ts';
import { type Dialect, type Look, row, shown } from '../dialect.ts';

/** The sparse index and the registry of cargo (doc.rust-lang.org/cargo/reference/registry-web-api.html). */
export const crates: Dialect = {
  name: 'crates',
  hosts: ['crates.io', 'index.crates.io', 'static.crates.io'],
  isShared: true,
  rows: [
    row.publish('PUT /api/v1/crates/new', text('publishes a crate', 'クレートを公開します'), {
      look: publishLook,
    }),
    row.delete(
      'DELETE /api/v1/crates/{crate}/{version}/yank',
      text('yanks {crate} {version}', '{crate} {version} を取り下げます'),
    ),
    row.change(
      'PUT /api/v1/crates/{crate}/{version}/unyank',
      text('offers {crate} {version} again', '{crate} {version} の取り下げを戻します'),
    ),
    row.rights(
      'PUT|DELETE /api/v1/crates/{crate}/owners',
      text('changes the owners of {crate}', '{crate} の所有者を変更します'),
    ),
    row.rights(
      'POST|PUT|DELETE /api/v1/{account...}',
      text('changes an account or a token', 'アカウントやトークンを変更します'),
      { when: ({ path }) => /^\/api\/v1\/(?:me|users|trusted_publishing|confirm)(?:\/|$)/.test(path) },
    ),
    row.read(
      'GET|HEAD /api/v1/crates/{crate}/{version}/download',
      text('downloads {crate} {version}', '{crate} {version} をダウンロードします'),
    ),
  ],
};

/** Four bytes of length come before the description. */
function publishLook({ request: { bodyStart } }: Asked): Look {
  if (bodyStart.length < 5) return {};
  const [, name = ''] = /"name":"([\w-]{1,64})"/.exec(bodyStart.toString('utf8', 4, 4096)) ?? [];
  const [, version = ''] = /"vers":"([^"]{1,64})"/.exec(bodyStart.toString('utf8', 4, 4096)) ?? [];
  if (name === '') return {};
  return {
    says: text(`publishes ${name} ${shown(version)}`, `${name} ${shown(version)} を公開します`),
    covers: `/api/v1/crates/new#${name}`,
  };
}
