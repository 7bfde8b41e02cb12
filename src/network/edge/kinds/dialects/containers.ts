import { type Text, text } from '../../../../contract/text/text.ts';
import type { Asked } from '../asked.ts';
import { bodyFormOf } from '../body.ts';
import { type Dialect, row } from '../dialect.ts';

/** Registries of images and other artifacts (opencontainers.org, distribution-spec). */
export const containers: Dialect = {
  name: 'containers',
  hosts: `registry-1.docker.io auth.docker.io index.docker.io ghcr.io quay.io gcr.io *.gcr.io *.pkg.dev
    registry.gitlab.com public.ecr.aws *.dkr.ecr.*.amazonaws.com *.azurecr.io mcr.microsoft.com
    registry.k8s.io registry.access.redhat.com`.split(/\s+/),
  shape: ({ path }) => /^\/v2\/.+\/(?:manifests|blobs)\//.test(path),
  rows: [
    row.read(
      'GET|HEAD /v2/{image...}/manifests/{reference}',
      text('reads {image} {reference}', '{image} {reference} を読み取ります'),
    ),
    row.read(
      'GET|HEAD /v2/{image...}/blobs/{digest}',
      text('pulls a layer of {image}', '{image} のレイヤーを取得します'),
    ),
    row.publish(
      'POST /v2/{image...}/blobs/uploads/',
      text('uploads a layer of {image}', '{image} のレイヤーを送ります'),
      { covers: '/v2/{image}' },
    ),
    row.publish(
      'PATCH|PUT /v2/{image...}/blobs/uploads/{upload}',
      text('uploads a layer of {image}', '{image} のレイヤーを送ります'),
      { covers: '/v2/{image}' },
    ),
    row.publish(
      'PUT /v2/{image...}/manifests/{reference}',
      text('publishes {image} {reference}', '{image} {reference} を公開します'),
      { covers: '/v2/{image}' },
    ),
    row.change(
      'DELETE /v2/{image...}/blobs/uploads/{upload}',
      text('cancels an upload to {image}', '{image} への送信を取り消します'),
      { covers: '/v2/{image}' },
    ),
    row.delete(
      'DELETE /v2/{image...}/manifests/{reference}',
      text('deletes {image} {reference}', '{image} {reference} を削除します'),
    ),
    row.delete(
      'DELETE /v2/{image...}/blobs/{digest}',
      text('deletes a layer of {image}', '{image} のレイヤーを削除します'),
    ),
    row.read('POST /{path...}', text('logs in to {host}', '{host} にログインします'), {
      when: ({ path }) => /\/(?:token|oauth2\/(?:token|exchange))$/.test(path),
      body: loginFormCarries,
    }),
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
