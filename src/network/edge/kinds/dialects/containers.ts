import { type Text, text } from '../../../../contract/text/text.ts';
import type { Asked } from '../asked.ts';
import { bodyFormOf } from '../body.ts';
import type { Dialect } from '../dialect.ts';

/** Registries of images and other artifacts (opencontainers.org, distribution-spec). */
export const containers: Dialect = {
  name: 'containers',
  hosts: `registry-1.docker.io auth.docker.io index.docker.io ghcr.io quay.io gcr.io *.gcr.io *.pkg.dev
    registry.gitlab.com public.ecr.aws *.dkr.ecr.*.amazonaws.com *.azurecr.io mcr.microsoft.com
    registry.k8s.io registry.access.redhat.com`.split(/\s+/),
  shape: ({ path }) => /^\/v2\/.+\/(?:manifests|blobs)\//.test(path),
  rows: [
    {
      of: 'GET|HEAD /v2/{image...}/manifests/{reference}',
      kind: 'read',
      says: text('reads {image} {reference}', '{image} {reference} を読み取ります'),
      examples: ['GET /v2/library/alpine/manifests/latest', 'HEAD /v2/a/b/manifests/3.20'],
    },
    {
      of: 'GET|HEAD /v2/{image...}/blobs/{digest}',
      kind: 'read',
      says: text('pulls a layer of {image}', '{image} のレイヤーを取得します'),
      examples: [`GET /v2/library/alpine/blobs/sha256:${'0e'.repeat(32)}`],
    },
    {
      of: 'POST /v2/{image...}/blobs/uploads/',
      kind: 'publish',
      says: text('uploads a layer of {image}', '{image} のレイヤーを送ります'),
      covers: '/v2/{image}',
      examples: [
        'POST /v2/ours/app/blobs/uploads/',
        `POST /v2/ours/app/blobs/uploads/?mount=sha256:${'0e'.repeat(32)}&from=a`,
      ],
    },
    {
      of: 'PATCH|PUT /v2/{image...}/blobs/uploads/{upload}',
      kind: 'publish',
      says: text('uploads a layer of {image}', '{image} のレイヤーを送ります'),
      covers: '/v2/{image}',
      examples: [
        'PATCH /v2/ours/app/blobs/uploads/7 x',
        `PUT /v2/ours/app/blobs/uploads/7?digest=sha256:${'0e'.repeat(32)}`,
      ],
    },
    {
      of: 'PUT /v2/{image...}/manifests/{reference}',
      kind: 'publish',
      says: text('publishes {image} {reference}', '{image} {reference} を公開します'),
      covers: '/v2/{image}',
      examples: ['PUT /v2/ours/app/manifests/latest {"schemaVersion":2}'],
    },
    {
      of: 'DELETE /v2/{image...}/blobs/uploads/{upload}',
      kind: 'change',
      says: text('cancels an upload to {image}', '{image} への送信を取り消します'),
      covers: '/v2/{image}',
      examples: ['DELETE /v2/ours/app/blobs/uploads/7'],
    },
    {
      of: 'DELETE /v2/{image...}/manifests/{reference}',
      kind: 'delete',
      says: text('deletes {image} {reference}', '{image} {reference} を削除します'),
      examples: ['DELETE /v2/ours/app/manifests/latest'],
    },
    {
      of: 'DELETE /v2/{image...}/blobs/{digest}',
      kind: 'delete',
      says: text('deletes a layer of {image}', '{image} のレイヤーを削除します'),
      examples: [`DELETE /v2/ours/app/blobs/sha256:${'0e'.repeat(32)}`],
    },
    {
      of: 'POST /{path...}',
      kind: 'read',
      says: text('logs in to {host}', '{host} にログインします'),
      when: ({ path }) => /\/(?:token|oauth2\/(?:token|exchange))$/.test(path),
      body: loginFormCarries,
      examples: [
        'POST /token\ncontent-type: application/x-www-form-urlencoded\n\ngrant_type=password&service=registry.docker.io&username=a&password=b',
      ],
    },
  ],
};

const loginFields = new Set(
  'grant_type service client_id scope access_type username password refresh_token access_token tenant'.split(
    ' ',
  ),
);

function loginFormCarries(asked: Asked): Text | undefined {
  const form = bodyFormOf(asked);
  const isLogin =
    form &&
    [...form].every(
      ([name, value]) => loginFields.has(name) && value.length <= (/token|password/.test(name) ? 4096 : 256),
    );
  return isLogin ? undefined : text('Its body is more than a login.', '本文がログインだけではありません。');
}
