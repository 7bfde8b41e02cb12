import { text } from '../../../../contract/text/text.ts';
import type { Asked } from '../asked.ts';
import { bodyStartOf } from '../body.ts';
import { type Dialect, type Look, shown } from '../dialect.ts';

/** The index of pip, uv and Poetry, and the upload of twine. */
export const pypi: Dialect = {
  name: 'pypi',
  hosts: [
    'pypi.org',
    'files.pythonhosted.org',
    'upload.pypi.org',
    'test.pypi.org',
    'test-files.pythonhosted.org',
  ],
  shape: (asked) => asked.method === 'POST' && fieldOf(asked, ':action') === 'file_upload',
  isShared: true,
  rows: [
    {
      of: 'GET|HEAD /simple/{project}/',
      kind: 'read',
      says: text('reads about {project}', '{project} の情報を読み取ります'),
      examples: ['GET /simple/requests/'],
    },
    {
      of: 'GET|HEAD /packages/{file...}',
      kind: 'read',
      says: text('downloads a file', 'ファイルをダウンロードします'),
      examples: [`GET /packages/ab/cd/${'0e'.repeat(30)}/requests-2.32.3-py3-none-any.whl`],
    },
    {
      of: 'GET|HEAD /pypi/{project...}/json',
      kind: 'read',
      says: text('reads about {project}', '{project} の情報を読み取ります'),
      examples: ['GET /pypi/requests/json', 'GET /pypi/requests/2.32.3/json'],
    },
    {
      of: 'POST *',
      kind: 'publish',
      says: text('uploads a package', 'パッケージをアップロードします'),
      when: (asked) => asked.path === '/legacy/' || fieldOf(asked, ':action') === 'file_upload',
      look: uploadLook,
      examples: ['POST /legacy/ x', 'POST /legacy/?:action=file_upload x'],
    },
    {
      of: 'POST /_/oidc/{token...}',
      kind: 'rights',
      says: text('takes a token for uploading', 'アップロード用のトークンを取得します'),
      examples: ['POST /_/oidc/mint-token {"token":"x"}'],
    },
  ],
};

function uploadLook(asked: Asked): Look {
  const name = shown(fieldOf(asked, 'name') ?? '');
  const version = shown(fieldOf(asked, 'version') ?? '');
  if (name === '') return {};
  return {
    says: text(`publishes ${name} ${version}`, `${name} ${version} を公開します`),
    covers: `${asked.path}#${name}`,
  };
}

/** A short field of a multipart form (RFC 7578). */
function fieldOf(asked: Asked, name: string): string | undefined {
  const form = bodyStartOf(asked)?.toString('utf8') ?? '';
  const at = form.indexOf(`name="${name}"\r\n\r\n`);
  return at === -1 ? undefined : /"\r\n\r\n([^\r\n]{1,200})\r\n/.exec(form.slice(at, at + 300))?.[1];
}
