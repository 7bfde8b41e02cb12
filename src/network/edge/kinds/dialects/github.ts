import { text } from '../../../../contract/text/text.ts';
import { isRecord } from '../../../../ground/is-record.ts';
import type { Asked } from '../asked.ts';
import { bodyJsonOf } from '../body.ts';
import { type Dialect, row } from '../dialect.ts';
import { graphqlRows } from './graphql-rows.ts';

/** GitHub's API; its repositories are git's. What no row names is judged by its method. */
export const github: Dialect = {
  name: 'github',
  hosts: `api.github.com uploads.github.com github.com gist.github.com codeload.github.com
    raw.githubusercontent.com objects.githubusercontent.com release-assets.githubusercontent.com
    media.githubusercontent.com`.split(/\s+/),
  rows: [
    ...graphqlRows('/graphql'),
    row.rights(
      'POST|PUT|PATCH|DELETE /repos/{owner}/{repo}/{right...}',
      text('changes {right} of {owner}/{repo}', '{owner}/{repo} の {right} を変更します'),
      {
        when: ({ path }) =>
          /^\/repos\/[^/]+\/[^/]+\/(?:collaborators|keys|hooks|invitations|rulesets|transfer|actions\/(?:secrets|variables|permissions|runners)|dependabot\/secrets|environments|branches\/.+\/protection)(?:\/|$)/.test(
            path,
          ),
      },
    ),
    row.rights(
      'POST|PUT|PATCH|DELETE /{scope}/{right...}',
      text('changes {right} of {scope}', '{scope} の {right} を変更します'),
      {
        when: ({ path }) =>
          /^\/(?:user\/(?:keys|gpg_keys|ssh_signing_keys|emails|memberships)|(?:orgs|enterprises|organizations)\/[^/]+\/(?:members|memberships|invitations|teams|hooks|actions|outside_collaborators|personal-access-tokens?|roles)|teams\/|applications\/|authorizations|app\/)/.test(
            path,
          ),
      },
    ),
    row.rights(
      'PATCH /repos/{owner}/{repo}',
      text('changes who sees {owner}/{repo}', '{owner}/{repo} の公開範囲を変更します'),
      { when: changesVisibility },
    ),
    row.publish('POST /gists', text('publishes a gist', 'gist を公開します')),
    row.publish(
      'POST /repos/{owner}/{repo}/releases',
      text('publishes a release of {owner}/{repo}', '{owner}/{repo} のリリースを公開します'),
    ),
    row.publish(
      'POST /repos/{owner}/{repo}/releases/{release}/assets',
      text('uploads a file to a release of {owner}/{repo}', '{owner}/{repo} のリリースにファイルを送ります'),
      { covers: '/repos/{owner}/{repo}/releases/{release}/assets' },
    ),
    row.change(
      'PUT /repos/{owner}/{repo}/pulls/{number}/merge',
      text('merges #{number} of {owner}/{repo}', '{owner}/{repo} の #{number} をマージします'),
    ),
    row.send(
      'POST /repos/{owner}/{repo}/{what}',
      text('posts to {what} of {owner}/{repo}', '{owner}/{repo} の {what} に投稿します'),
    ),
    row.send(
      'POST /repos/{owner}/{repo}/issues/{number}/comments',
      text('comments on #{number} of {owner}/{repo}', '{owner}/{repo} の #{number} にコメントします'),
      { covers: '/repos/{owner}/{repo}/issues/{number}/comments' },
    ),
    row.delete(
      'DELETE /repos/{owner}/{repo}',
      text('deletes the repository {owner}/{repo}', 'リポジトリ {owner}/{repo} を削除します'),
    ),
  ],
};

function changesVisibility(asked: Asked): boolean {
  const body = bodyJsonOf(asked);
  return !isRecord(body) || 'private' in body || 'visibility' in body || 'archived' in body;
}
