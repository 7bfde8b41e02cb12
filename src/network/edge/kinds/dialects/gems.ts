import { text } from '../../../../contract/text/text.ts';
import type { Dialect } from '../dialect.ts';

/** The index of Bundler and the registry of `gem` (guides.rubygems.org/rubygems-org-api). */
export const gems: Dialect = {
  name: 'gems',
  hosts: ['rubygems.org', 'index.rubygems.org', 'rubygems.pkg.github.com'],
  isShared: true,
  rows: [
    {
      of: 'POST /api/v1/gems',
      kind: 'publish',
      says: text('publishes a gem', 'gem を公開します'),
      examples: ['POST /api/v1/gems x'],
    },
    {
      of: 'DELETE /api/v1/gems/yank',
      kind: 'delete',
      says: text('yanks a gem', 'gem を取り下げます'),
      examples: ['DELETE /api/v1/gems/yank gem_name=a&version=1.0.0'],
    },
    {
      of: 'POST|PATCH|PUT|DELETE /api/v1/gems/{gem}/owners',
      kind: 'rights',
      says: text('changes the owners of {gem}', '{gem} の所有者を変更します'),
      examples: [
        'POST /api/v1/gems/rails/owners email=eve@example.com',
        'DELETE /api/v1/gems/rails/owners email=a@b.example',
      ],
    },
    {
      of: 'GET|POST|PUT /api/v1/api_key',
      kind: 'rights',
      says: text('takes or changes a key', 'キーを取得または変更します'),
      examples: ['GET /api/v1/api_key', 'POST /api/v1/api_key name=x'],
    },
    {
      of: 'GET|HEAD /gems/{file}',
      kind: 'read',
      says: text('downloads {file}', '{file} をダウンロードします'),
      examples: ['GET /gems/rails-8.0.0.gem'],
    },
    {
      of: 'GET|HEAD /info/{gem}',
      kind: 'read',
      says: text('reads about {gem}', '{gem} の情報を読み取ります'),
      examples: ['GET /info/rails'],
    },
  ],
};
