import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { createAuthority } from '../../../src/network/edge/authority.ts';
import { gitBackend } from '../git-backend.ts';

/** The names that programs know these registries by. */
export const names = [
  ...['registry.npmjs.org', 'pypi.org', 'upload.pypi.org', 'files.pythonhosted.org'],
  ...['index.crates.io', 'crates.io', 'static.crates.io', 'github.com', 'ghcr.io', 'proxy.golang.org'],
];

/** Registries that keep what is published: of npm, Python, Rust, Go and containers, and a host of repositories. */
export async function openRegistries(folder: string) {
  const { certificate, credentialsFor } = createAuthority();
  writeFileSync(join(folder, 'its.pem'), certificate);
  let kept = new Map<string, Buffer>();
  const reset = () => {
    kept = new Map();
    rmSync(join(folder, 'git'), { recursive: true, force: true });
    mkdirSync(join(folder, 'git'));
  };
  reset();
  const server = createServer(
    { SNICallback: (name, done) => done(null, createSecureContext(credentialsFor(name))) },
    async (request, response) => {
      const host = request.headers.host?.replace(/:\d+$/, '') ?? '';
      if (host === 'github.com') return gitBackend(join(folder, 'git'), request, response, request);
      const parts: Buffer[] = [];
      for await (const part of request.on('error', () => {})) parts.push(part as Buffer);
      const answer = answers[host] ?? (() => undefined);
      const body = answer({ request, response, body: Buffer.concat(parts), kept, port });
      if (body === undefined) response.statusCode = 404;
      response.end(typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body);
    },
  );
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    certificate,
    bundle: join(folder, 'its.pem'),
    reset,
    makeRepository: (name: string) => join(folder, 'git', name),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly kept: Map<string, Buffer>;
  readonly port: number;
}

/** Undefined: there is no such thing. */
type Answer = (asked: Asked) => Buffer | string | object | undefined;

const python: Answer = ({ request: { method, url = '' }, response, body, kept, port }) => {
  if (method === 'POST') {
    const text = body.toString('latin1');
    const [, file = ''] = /filename="([^"]+)"/.exec(text) ?? [];
    const start = text.indexOf('\r\n\r\n', text.indexOf('filename=')) + 4;
    kept.set(`python ${file}`, body.subarray(start, text.lastIndexOf('\r\n--')));
    return 'OK';
  }
  const [, project] = /^\/simple\/([^/]+)\/$/.exec(url) ?? [];
  if (project === undefined) return kept.get(`python ${url.split('/').at(-1)}`);
  const files = [...kept.keys()].filter((key) => key.startsWith(`python ${project.replaceAll('-', '_')}-`));
  response.setHeader('content-type', 'text/html');
  return files
    .map((key) => key.slice(7))
    .map((file) => `<a href="https://files.pythonhosted.org:${port}/packages/ab/${file}">${file}</a>`)
    .join('\n');
};

const crates: Answer = ({ request: { method, url = '' }, body, kept, port }) => {
  if (url === '/config.json')
    return { dl: `https://static.crates.io:${port}/crates`, api: `https://crates.io:${port}` };
  if (method === 'PUT') {
    const length = body.readUInt32LE(0);
    const { name, vers, deps, features } = JSON.parse(body.toString('utf8', 4, 4 + length));
    const crate = body.subarray(8 + length);
    kept.set(`crate ${name} ${vers}`, crate);
    const known = (deps as { name: string; version_req: string }[]).map((each) => ({
      ...each,
      req: each.version_req,
    }));
    const line = { name, vers, deps: known, features, cksum: digestOf(crate), yanked: false };
    kept.set(`index ${name}`, Buffer.from(`${kept.get(`index ${name}`) ?? ''}${JSON.stringify(line)}\n`));
    return { warnings: { invalid_categories: [], invalid_badges: [], other: [] } };
  }
  const [, name, version] = /^\/crates\/([^/]+)\/([^/]+)\/download$/.exec(url) ?? [];
  return name ? kept.get(`crate ${name} ${version}`) : kept.get(`index ${url.split('/').at(-1)}`);
};

const answers: Readonly<Record<string, Answer>> = {
  'registry.npmjs.org': ({ request: { method, url = '' }, body, kept, port }) => {
    if (url.startsWith('/-/')) return {};
    const [, name = '', file] = /^\/([^/?]+)(?:\/-\/([^/]+))?/.exec(url) ?? [];
    if (file !== undefined) return kept.get(`npm ${file}`);
    if (method !== 'PUT') return kept.get(`npm ${name}`);
    const { _attachments: files, ...added } = JSON.parse(body.toString());
    for (const [key, { data }] of Object.entries<{ data: string }>(files))
      kept.set(`npm ${key}`, Buffer.from(data, 'base64'));
    for (const version of Object.values<{ dist: { tarball: string } }>(added.versions))
      version.dist.tarball = version.dist.tarball.replace(
        /^.*\/-\//,
        `https://registry.npmjs.org:${port}/${name}/-/`,
      );
    const before = JSON.parse(kept.get(`npm ${name}`)?.toString() ?? '{}');
    const versions = { ...before.versions, ...added.versions };
    kept.set(`npm ${name}`, Buffer.from(JSON.stringify({ ...before, ...added, versions })));
    return { success: true };
  },
  'pypi.org': python,
  'upload.pypi.org': python,
  'files.pythonhosted.org': python,
  'index.crates.io': crates,
  'crates.io': crates,
  'static.crates.io': crates,
  'proxy.golang.org': ({ request: { url = '' } }) => {
    if (url.endsWith('/@v/list')) return 'v1.0.0\nv1.1.0\n';
    if (url.endsWith('.info')) return { Version: 'v1.1.0', Time: '2026-01-02T03:04:05Z' };
    return url.endsWith('.mod') ? 'module example.com/notes\n' : undefined;
  },
  'ghcr.io': ({ request: { method = '', url = '' }, response, body, kept }) => {
    if (url === '/v2/') return {};
    const [, upload] = /\/blobs\/uploads\/(.*)$/.exec(url) ?? [];
    if (method === 'POST' || method === 'PATCH') {
      if (method === 'PATCH')
        kept.set('upload', Buffer.concat([kept.get('upload') ?? Buffer.alloc(0), body]));
      else kept.set('upload', Buffer.alloc(0));
      response.statusCode = 202;
      response.setHeader('location', url.replace(/\/uploads\/.*$/, '/uploads/1'));
      return '';
    }
    const place = url.replace(/^\/v2\//, '');
    if (method === 'PUT') {
      const whole =
        upload === undefined ? body : Buffer.concat([kept.get('upload') ?? Buffer.alloc(0), body]);
      const digest = new URLSearchParams(url.split('?')[1] ?? '').get('digest') ?? `sha256:${digestOf(body)}`;
      if (`sha256:${digestOf(whole)}` !== digest) return undefined;
      kept.set(`image ${upload === undefined ? place : place.replace(/uploads\/.*$/, digest)}`, whole);
      response.statusCode = 201;
      return '';
    }
    if (url.endsWith('/tags/list'))
      return { tags: [...kept.keys()].flatMap((key) => /\/manifests\/(.+)$/.exec(key)?.[1] ?? []) };
    return kept.get(`image ${place}`);
  },
};

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
