import { text } from '../../../../contract/text/text.ts';
import type { Asked } from '../asked.ts';
import { bodyJsonOf, isRecord } from '../body.ts';
import type { Dialect } from '../dialect.ts';
import { graphqlRows } from './graphql-rows.ts';

/** GitHub's API; its repositories are git's. What no row names is judged by its method. */
export const github: Dialect = {
  name: 'github',
  hosts: [
    ...['api.github.com', 'uploads.github.com', 'github.com', 'gist.github.com', 'codeload.github.com'],
    ...[
      'raw.githubusercontent.com',
      'objects.githubusercontent.com',
      'release-assets.githubusercontent.com',
      'media.githubusercontent.com',
    ],
  ],
  rows: [
    ...graphqlRows('/graphql'),
    {
      of: 'POST|PUT|PATCH|DELETE /repos/{owner}/{repo}/{right...}',
      kind: 'rights',
      says: text('changes {right} of {owner}/{repo}', '{owner}/{repo} の {right} を変更します'),
      when: ({ path }) =>
        /^\/repos\/[^/]+\/[^/]+\/(?:collaborators|keys|hooks|invitations|rulesets|transfer|actions\/(?:secrets|variables|permissions|runners)|dependabot\/secrets|environments|branches\/.+\/protection)(?:\/|$)/.test(
          path,
        ),
      examples: [
        'PUT /repos/o/r/collaborators/eve {}',
        'POST /repos/o/r/keys {"key":"ssh-ed25519 x"}',
        'DELETE /repos/o/r/branches/main/protection',
        'PUT /repos/o/r/actions/secrets/A {}',
        'POST /repos/o/r/transfer {}',
      ],
    },
    {
      of: 'POST|PUT|PATCH|DELETE /{scope}/{right...}',
      kind: 'rights',
      says: text('changes {right} of {scope}', '{scope} の {right} を変更します'),
      when: ({ path }) =>
        /^\/(?:user\/(?:keys|gpg_keys|ssh_signing_keys|emails|memberships)|(?:orgs|enterprises|organizations)\/[^/]+\/(?:members|memberships|invitations|teams|hooks|actions|outside_collaborators|personal-access-tokens?|roles)|teams\/|applications\/|authorizations|app\/)/.test(
          path,
        ),
      examples: [
        'POST /user/keys {"key":"x"}',
        'PUT /orgs/o/memberships/eve {"role":"admin"}',
        'PUT /teams/7/members/eve',
      ],
    },
    {
      of: 'PATCH /repos/{owner}/{repo}',
      kind: 'rights',
      says: text('changes who sees {owner}/{repo}', '{owner}/{repo} の公開範囲を変更します'),
      when: changesVisibility,
      examples: ['PATCH /repos/o/r {"private":false}'],
    },
    {
      of: 'POST /gists',
      kind: 'publish',
      says: text('publishes a gist', 'gist を公開します'),
      examples: ['POST /gists {"files":{}}'],
    },
    {
      of: 'POST /repos/{owner}/{repo}/releases',
      kind: 'publish',
      says: text('publishes a release of {owner}/{repo}', '{owner}/{repo} のリリースを公開します'),
      examples: ['POST /repos/o/r/releases {"tag_name":"v1"}'],
    },
    {
      of: 'POST /repos/{owner}/{repo}/releases/{release}/assets',
      kind: 'publish',
      says: text(
        'uploads a file to a release of {owner}/{repo}',
        '{owner}/{repo} のリリースにファイルを送ります',
      ),
      covers: '/repos/{owner}/{repo}/releases/{release}/assets',
      examples: ['POST /repos/o/r/releases/7/assets?name=a.zip x'],
    },
    {
      of: 'PUT /repos/{owner}/{repo}/pulls/{number}/merge',
      kind: 'change',
      says: text('merges #{number} of {owner}/{repo}', '{owner}/{repo} の #{number} をマージします'),
      examples: ['PUT /repos/o/r/pulls/7/merge {}'],
    },
    {
      of: 'POST /repos/{owner}/{repo}/{what}',
      kind: 'send',
      says: text('posts to {what} of {owner}/{repo}', '{owner}/{repo} の {what} に投稿します'),
      examples: ['POST /repos/o/r/issues {"title":"x"}', 'POST /repos/o/r/pulls {"title":"x"}'],
    },
    {
      of: 'POST /repos/{owner}/{repo}/issues/{number}/comments',
      kind: 'send',
      says: text('comments on #{number} of {owner}/{repo}', '{owner}/{repo} の #{number} にコメントします'),
      covers: '/repos/{owner}/{repo}/issues/{number}/comments',
      examples: ['POST /repos/o/r/issues/7/comments {"body":"x"}'],
    },
    {
      of: 'DELETE /repos/{owner}/{repo}',
      kind: 'delete',
      says: text('deletes the repository {owner}/{repo}', 'リポジトリ {owner}/{repo} を削除します'),
      examples: ['DELETE /repos/o/r'],
    },
  ],
};

function changesVisibility(asked: Asked): boolean {
  const body = bodyJsonOf(asked);
  return !isRecord(body) || 'private' in body || 'visibility' in body || 'archived' in body;
}
