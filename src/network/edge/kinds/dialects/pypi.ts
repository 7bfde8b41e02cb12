import { text } from '../../../../contract/text/text.ts';
import type { Asked } from '../asked.ts';
import { bodyStartOf } from '../body.ts';
import { type Dialect, type Look, row, shown } from '../dialect.ts';

/** The index of pip, uv and Poetry, and the upload of twine. */
export const pypi: Dialect = {
  name: 'pypi',
  hosts: `pypi.org files.pythonhosted.org upload.pypi.org test.pypi.org test-files.pythonhosted.org`.split(
    /\s+/,
  ),
  shape: (asked) => asked.method === 'POST' && fieldOf(asked, ':action') === 'file_upload',
  isShared: true,
  rows: [
    row.read('GET|HEAD /simple/{project}/', text('reads about {project}', '{project} の情報を読み取ります')),
    row.read('GET|HEAD /packages/{file...}', text('downloads a file', 'ファイルをダウンロードします')),
    row.read(
      'GET|HEAD /pypi/{project...}/json',
      text('reads about {project}', '{project} の情報を読み取ります'),
    ),
    row.publish('POST *', text('uploads a package', 'パッケージをアップロードします'), {
      when: (asked) => asked.path === '/legacy/' || fieldOf(asked, ':action') === 'file_upload',
      look: uploadLook,
    }),
    row.rights(
      'POST /_/oidc/{token...}',
      text('takes a token for uploading', 'アップロード用のトークンを取得します'),
    ),
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
