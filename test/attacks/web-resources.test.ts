import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWeb } from '../../src/network/web.ts';
import { pdfOf } from '../network/pages.ts';
import { childrenOf, residentBytes } from '../support/children.ts';

const mib = 1024 * 1024;
/** Longer than a busy machine needs for a body, so that only one that is never over reaches it. */
const timeoutMs = 60_000;
const zeros = Buffer.alloc(128 * mib);
const codings: Readonly<Record<string, Buffer>> = {
  zstd: zlib.gzipSync('not what its label says'.repeat(10_000)),
  'gzip, gzip': zlib.gzipSync(zlib.gzipSync(zeros)),
  'deflate, gzip': zlib.gzipSync(zlib.deflateSync(zeros)),
  'deflate, deflate': zlib.deflateSync(zlib.deflateSync(zeros)),
  'gzip, br': zlib.brotliCompressSync(zlib.gzipSync(zeros)),
  'zstd, zstd': zlib.zstdCompressSync(zlib.zstdCompressSync(zeros)),
};

describe.each(['http', 'https'] as const)('over %s', (protocol) => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-web-'));
  const authorities = tls.getCACertificates('default');
  let server: http.Server;
  let web: ReturnType<typeof openWeb>;

  beforeAll(async () => {
    const answer: http.RequestListener = ({ url = '/' }, response) => {
      const coding = decodeURIComponent(url.slice(1));
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': coding });
      // It never says that this was all.
      response.write(codings[coding] ?? '');
    };
    const keys = identity(folder);
    server = protocol === 'http' ? http.createServer(answer) : https.createServer(keys, answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    tls.setDefaultCACertificates([...authorities, readFileSync(join(folder, 'cert.pem'), 'utf8')]);
    const { port } = server.address() as AddressInfo;
    web = openWeb({ allowPrivate: [`127.0.0.1:${port}`], timeoutMs });
  });
  afterAll(async () => {
    tls.setDefaultCACertificates(authorities);
    await web.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(Object.keys(codings))('a body in %j is over when it is enough or broken', async (coding) => {
    const { port } = server.address() as AddressInfo;
    const url = `${protocol}://127.0.0.1:${port}/${encodeURIComponent(coding)}`;
    const outcome = await web.fetch(url, new AbortController().signal).then(
      ({ body, truncated }) => ({ bytes: body.length, truncated }),
      ({ code }) => code,
    );

    // Not `timed_out`: the server never says that this was all.
    expect(outcome).toEqual(coding === 'zstd' ? 'upstream_error' : { bytes: 5 * mib, truncated: true });
  });
});

test('a small PDF that unpacks to gigabytes costs a process of its own, and the server nothing', async () => {
  const inner = zlib.deflateSync(Buffer.alloc(512 * mib, ' '));
  const bomb = pdfOf(zlib.deflateSync(inner).toString('latin1'), '/Filter[/FlateDecode/FlateDecode]');
  const words = pdfOf('BT /F1 24 Tf 72 700 Td (still here) Tj ET');
  expect(bomb.length).toBeLessThan(20_000);
  const web = openWeb({});
  const page = (body: Buffer) => ({
    url: 'https://example.com/a.pdf',
    status: 200,
    contentType: 'application/pdf',
    body,
    truncated: false,
    fetchedAtMs: 0,
    fromCache: false,
    retryAfterMs: undefined,
  });
  expect((await web.read(page(words))).text).toBe('still here');
  const ownBefore = residentBytes(process.pid);
  let converterPeak = 0;
  let ownPeak = 0;
  const watching = setInterval(() => {
    ownPeak = Math.max(ownPeak, residentBytes(process.pid));
    for (const pid of childrenOf(process.pid)) converterPeak = Math.max(converterPeak, residentBytes(pid));
  }, 5);

  const outcome = await web.read(page(bomb)).catch(({ code }) => code);
  const after = await web.read(page(Buffer.concat([words, Buffer.from('\n')])));
  clearInterval(watching);
  await web.close();

  expect(outcome).toBe('unsupported_type');
  expect(after.text).toBe('still here');
  expect((ownPeak - ownBefore) / mib).toBeLessThan(50);
  // It is looked at every 10 ms, and takes some more between two looks.
  expect(converterPeak / mib).toBeLessThan(256 + 128);
});

function identity(folder: string): https.ServerOptions {
  const key = join(folder, 'key.pem');
  const cert = join(folder, 'cert.pem');
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...name, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}
