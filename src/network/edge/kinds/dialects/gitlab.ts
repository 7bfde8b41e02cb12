import { text } from '../../../../contract/text/text.ts';
import { type Dialect, row } from '../dialect.ts';
import { graphqlRows } from './graphql-rows.ts';

/** GitLab's API, of which many hosts have one of their own. What no row names is judged by its method. */
export const gitlab: Dialect = {
  name: 'gitlab',
  hosts: ['gitlab.com', 'gitlab.gnome.org', 'gitlab.freedesktop.org', 'salsa.debian.org'],
  shape: ({ path }) => path.startsWith('/api/v4/'),
  rows: [
    ...graphqlRows('/api/graphql'),
    row(
      'POST|PUT|PATCH|DELETE /api/v4/{scope}/{right...}',
      'rights',
      text('changes rights of {scope}', '{scope} の権限を変更します'),
      {
        when: ({ path }) =>
          /\/(?:members|invitations|access_tokens|deploy_keys|deploy_tokens|hooks|variables|protected_branches|protected_tags|share|transfer|keys|gpg_keys|emails|runners|triggers|approval_rules|integrations|services)(?:\/|$)/.test(
            path,
          ),
      },
    ),
    row(
      'POST /api/v4/projects/{project}/releases',
      'publish',
      text('publishes a release of {project}', '{project} のリリースを公開します'),
    ),
    row(
      'POST|PUT /api/v4/projects/{project}/packages/{package...}',
      'publish',
      text('publishes a package of {project}', '{project} のパッケージを公開します'),
    ),
    row('POST /api/v4/snippets', 'publish', text('publishes a snippet', 'スニペットを公開します')),
    row(
      'PUT /api/v4/projects/{project}/merge_requests/{number}/merge',
      'change',
      text('merges !{number} of {project}', '{project} の !{number} をマージします'),
    ),
    row(
      'POST /api/v4/projects/{project}/{what...}',
      'send',
      text('posts to {what} of {project}', '{project} の {what} に投稿します'),
    ),
    row(
      'DELETE /api/v4/projects/{project}',
      'delete',
      text('deletes the project {project}', 'プロジェクト {project} を削除します'),
    ),
  ],
};
