import { text } from '../../../../contract/text/text.ts';
import type { Dialect } from '../dialect.ts';
import { graphqlRows } from './graphql-rows.ts';

/** GitLab's API, of which many hosts have one of their own. What no row names is judged by its method. */
export const gitlab: Dialect = {
  name: 'gitlab',
  hosts: ['gitlab.com', 'gitlab.gnome.org', 'gitlab.freedesktop.org', 'salsa.debian.org'],
  shape: ({ path }) => path.startsWith('/api/v4/'),
  rows: [
    ...graphqlRows('/api/graphql'),
    {
      of: 'POST|PUT|PATCH|DELETE /api/v4/{scope}/{right...}',
      kind: 'rights',
      says: text('changes rights of {scope}', '{scope} の権限を変更します'),
      when: ({ path }) =>
        /\/(?:members|invitations|access_tokens|deploy_keys|deploy_tokens|hooks|variables|protected_branches|protected_tags|share|transfer|keys|gpg_keys|emails|runners|triggers|approval_rules|integrations|services)(?:\/|$)/.test(
          path,
        ),
      examples: [
        'POST /api/v4/projects/o%2Fr/members {"user_id":7}',
        'DELETE /api/v4/projects/7/protected_branches/main',
        'POST /api/v4/user/keys {"key":"x"}',
      ],
    },
    {
      of: 'POST /api/v4/projects/{project}/releases',
      kind: 'publish',
      says: text('publishes a release of {project}', '{project} のリリースを公開します'),
      examples: ['POST /api/v4/projects/o%2Fr/releases {"tag_name":"v1"}'],
    },
    {
      of: 'POST|PUT /api/v4/projects/{project}/packages/{package...}',
      kind: 'publish',
      says: text('publishes a package of {project}', '{project} のパッケージを公開します'),
      examples: [
        'PUT /api/v4/projects/7/packages/generic/a/1.0/a.zip x',
        'POST /api/v4/projects/7/packages/pypi x',
      ],
    },
    {
      of: 'POST /api/v4/snippets',
      kind: 'publish',
      says: text('publishes a snippet', 'スニペットを公開します'),
      examples: ['POST /api/v4/snippets {"title":"x"}'],
    },
    {
      of: 'PUT /api/v4/projects/{project}/merge_requests/{number}/merge',
      kind: 'change',
      says: text('merges !{number} of {project}', '{project} の !{number} をマージします'),
      examples: ['PUT /api/v4/projects/o%2Fr/merge_requests/7/merge {}'],
    },
    {
      of: 'POST /api/v4/projects/{project}/{what...}',
      kind: 'send',
      says: text('posts to {what} of {project}', '{project} の {what} に投稿します'),
      examples: ['POST /api/v4/projects/o%2Fr/issues {"title":"x"}'],
    },
    {
      of: 'DELETE /api/v4/projects/{project}',
      kind: 'delete',
      says: text('deletes the project {project}', 'プロジェクト {project} を削除します'),
      examples: ['DELETE /api/v4/projects/o%2Fr'],
    },
  ],
};
