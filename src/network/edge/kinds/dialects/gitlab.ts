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
    row.rights(
      'POST|PUT|PATCH|DELETE /api/v4/{scope}/{right...}',
      text('changes rights of {scope}', '{scope} の権限を変更します'),
      {
        when: ({ path }) =>
          /\/(?:members|invitations|access_tokens|deploy_keys|deploy_tokens|hooks|variables|protected_branches|protected_tags|share|transfer|keys|gpg_keys|emails|runners|triggers|approval_rules|integrations|services)(?:\/|$)/.test(
            path,
          ),
      },
    ),
    row.publish(
      'POST /api/v4/projects/{project}/releases',
      text('publishes a release of {project}', '{project} のリリースを公開します'),
    ),
    row.publish(
      'POST|PUT /api/v4/projects/{project}/packages/{package...}',
      text('publishes a package of {project}', '{project} のパッケージを公開します'),
    ),
    row.publish('POST /api/v4/snippets', text('publishes a snippet', 'スニペットを公開します')),
    row.change(
      'PUT /api/v4/projects/{project}/merge_requests/{number}/merge',
      text('merges !{number} of {project}', '{project} の !{number} をマージします'),
    ),
    row.send(
      'POST /api/v4/projects/{project}/{what...}',
      text('posts to {what} of {project}', '{project} の {what} に投稿します'),
    ),
    row.delete(
      'DELETE /api/v4/projects/{project}',
      text('deletes the project {project}', 'プロジェクト {project} を削除します'),
    ),
  ],
};
