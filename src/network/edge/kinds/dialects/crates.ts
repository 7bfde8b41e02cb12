import { text } from '../../../../contract/text/text.ts';
import type { Asked } from '../asked.ts';
import { type Dialect, type Look, shown } from '../dialect.ts';

/** The sparse index and the registry of cargo (doc.rust-lang.org/cargo/reference/registry-web-api.html). */
export const crates: Dialect = {
  name: 'crates',
  hosts: ['crates.io', 'index.crates.io', 'static.crates.io'],
  isShared: true,
  rows: [
    {
      of: 'PUT /api/v1/crates/new',
      kind: 'publish',
      says: text('publishes a crate', 'クレートを公開します'),
      look: publishLook,
      examples: ['PUT /api/v1/crates/new x'],
    },
    {
      of: 'DELETE /api/v1/crates/{crate}/{version}/yank',
      kind: 'delete',
      says: text('yanks {crate} {version}', '{crate} {version} を取り下げます'),
      examples: ['DELETE /api/v1/crates/serde/1.0.0/yank'],
    },
    {
      of: 'PUT /api/v1/crates/{crate}/{version}/unyank',
      kind: 'change',
      says: text('offers {crate} {version} again', '{crate} {version} の取り下げを戻します'),
      examples: ['PUT /api/v1/crates/serde/1.0.0/unyank'],
    },
    {
      of: 'PUT|DELETE /api/v1/crates/{crate}/owners',
      kind: 'rights',
      says: text('changes the owners of {crate}', '{crate} の所有者を変更します'),
      examples: [
        'PUT /api/v1/crates/serde/owners {"users":["eve"]}',
        'DELETE /api/v1/crates/serde/owners {"users":["eve"]}',
      ],
    },
    {
      of: 'POST|PUT|DELETE /api/v1/{account...}',
      kind: 'rights',
      says: text('changes an account or a token', 'アカウントやトークンを変更します'),
      when: ({ path }) => /^\/api\/v1\/(?:me|users|trusted_publishing|confirm)(?:\/|$)/.test(path),
      examples: ['PUT /api/v1/me/tokens {}', 'POST /api/v1/trusted_publishing/tokens {}'],
    },
    {
      of: 'GET|HEAD /api/v1/crates/{crate}/{version}/download',
      kind: 'read',
      says: text('downloads {crate} {version}', '{crate} {version} をダウンロードします'),
      examples: ['GET /api/v1/crates/serde/1.0.0/download'],
    },
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
