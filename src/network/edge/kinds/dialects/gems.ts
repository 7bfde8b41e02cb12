import { text } from '../../../../contract/text/text.ts';
import { type Dialect, row } from '../dialect.ts';

/** The index of Bundler and the registry of `gem` (guides.rubygems.org/rubygems-org-api). */
export const gems: Dialect = {
  name: 'gems',
  hosts: ['rubygems.org', 'index.rubygems.org', 'rubygems.pkg.github.com'],
  isShared: true,
  rows: [
    row.publish('POST /api/v1/gems', text('publishes a gem', 'gem を公開します')),
    row.delete('DELETE /api/v1/gems/yank', text('yanks a gem', 'gem を取り下げます')),
    row.rights(
      'POST|PATCH|PUT|DELETE /api/v1/gems/{gem}/owners',
      text('changes the owners of {gem}', '{gem} の所有者を変更します'),
    ),
    row.rights('GET|POST|PUT /api/v1/api_key', text('takes or changes a key', 'キーを取得または変更します')),
    row.read('GET|HEAD /gems/{file}', text('downloads {file}', '{file} をダウンロードします')),
    row.read('GET|HEAD /info/{gem}', text('reads about {gem}', '{gem} の情報を読み取ります')),
  ],
};
