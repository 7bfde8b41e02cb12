import { text } from '../../../../contract/text/text.ts';
import { type Dialect, row } from '../dialect.ts';

/** The index of Bundler and the registry of `gem` (guides.rubygems.org/rubygems-org-api). */
export const gems: Dialect = {
  name: 'gems',
  hosts: ['rubygems.org', 'index.rubygems.org', 'rubygems.pkg.github.com'],
  isShared: true,
  rows: [
    row('POST /api/v1/gems', 'publish', text('publishes a gem', 'gem を公開します')),
    row('DELETE /api/v1/gems/yank', 'delete', text('yanks a gem', 'gem を取り下げます')),
    row(
      'POST|PATCH|PUT|DELETE /api/v1/gems/{gem}/owners',
      'rights',
      text('changes the owners of {gem}', '{gem} の所有者を変更します'),
    ),
    row(
      'GET|POST|PUT /api/v1/api_key',
      'rights',
      text('takes or changes a key', 'キーを取得または変更します'),
    ),
    row('GET|HEAD /gems/{file}', 'read', text('downloads {file}', '{file} をダウンロードします')),
    row('GET|HEAD /info/{gem}', 'read', text('reads about {gem}', '{gem} の情報を読み取ります')),
  ],
};
