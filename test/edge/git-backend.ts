import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** Answers by git's own server over a folder of repositories. */
export async function gitBackend(
  folder: string,
  { method, url = '', headers }: IncomingMessage,
  response: ServerResponse,
  body: Readable,
): Promise<void> {
  const [path = '', query = ''] = url.split('?');
  const child = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: method,
      CONTENT_TYPE: headers['content-type'] ?? '',
      ...(headers['content-encoding'] !== undefined && {
        HTTP_CONTENT_ENCODING: headers['content-encoding'],
      }),
      ...(headers['git-protocol'] !== undefined && { GIT_PROTOCOL: String(headers['git-protocol']) }),
      ...(headers['content-length'] !== undefined && { CONTENT_LENGTH: headers['content-length'] }),
    },
  });
  // It may answer before it has read everything.
  body.pipe(child.stdin.on('error', () => {}));
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const all = Buffer.concat(chunks);
  const end = all.indexOf('\r\n\r\n');
  for (const line of all.toString('latin1', 0, end).split('\r\n')) {
    const [name = '', value = ''] = line.split(': ');
    if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.end(all.subarray(end + 4));
}
