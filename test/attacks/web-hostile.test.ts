import { Buffer } from 'node:buffer';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSite } from '../network/site.ts';
import { childrenOf } from '../support/children.ts';
import { cpuTimeMs } from '../support/cpu-time.ts';

const maxBytes = 1024 * 1024;
const zeros = Buffer.alloc(64 * 1024 * 1024);

const bodies: Readonly<Record<string, { readonly coding: string; readonly body: () => Buffer }>> = {
  '/bomb-gzip': { coding: 'gzip', body: () => zlib.gzipSync(zeros) },
  '/bomb-deflate': { coding: 'deflate', body: () => zlib.deflateSync(zeros) },
  '/bomb-br': {
    coding: 'br',
    body: () => zlib.brotliCompressSync(zeros, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  },
  '/bomb-zstd': { coding: 'zstd', body: () => zlib.zstdCompressSync(zeros) },
  '/bomb-nested': { coding: 'gzip, gzip', body: () => zlib.gzipSync(zlib.gzipSync(zeros)) },
};

const deep = '<div>'.repeat(100_000);
const nasty: Readonly<Record<string, string>> = {
  '/deep': `${deep}the words at the bottom`,
  '/deep-mixed': `<title>A deep page</title>${'<b><i><u>'.repeat(50_000)}words`,
  '/links': `<body>${'<a href="/x">a link of words</a> '.repeat(13_000)}`,
  '/rows': `<table>${'<tr><td>a<td>b<td>c'.repeat(8_000)}</table>`,
  '/attributes': `<p ${Array.from({ length: 8_000 }, (_, i) => `a${i}=1`).join(' ')}>words</p>`,
  '/unclosed-comment': `<p>words</p><!--${'-'.repeat(500_000)}`,
  '/unclosed-tag': `<p>words</p><div class="${'x'.repeat(500_000)}`,
  '/angle': '<'.repeat(500_000),
  '/entities': '&amp;'.repeat(200_000),
  '/nested-tables': '<table><tr><td>'.repeat(2000),
  '/handlers':
    '<body onload="globalThis.process.kill(globalThis.process.pid)" onclick="throw 1"><p>words</p>',
  '/json-deep': '['.repeat(400_000),
  '/json-string': `"${'\\u0000'.repeat(100_000)}"`,
};

let site: Awaited<ReturnType<typeof openSite>>;
let closedEarly = 0;

beforeAll(async () => {
  site = await openSite(
    (request, response) => {
      const path = request.url ?? '/';
      const packed = bodies[path];
      const page = nasty[path];
      if (packed) {
        response
          .writeHead(200, { 'content-type': 'text/html', 'content-encoding': packed.coding })
          .end(packed.body());
      } else if (page !== undefined) {
        response
          .writeHead(200, { 'content-type': path.startsWith('/json') ? 'application/json' : 'text/html' })
          .end(page);
      } else if (path === '/endless') {
        response.writeHead(200, { 'content-type': 'text/plain' });
        const more = () => {
          while (response.write('on and on '.repeat(1000)));
        };
        response.on('drain', more).once('close', () => closedEarly++);
        more();
      } else if (path === '/silent') {
        response.once('close', () => closedEarly++);
      } else if (path === '/trickle') {
        response.writeHead(200, { 'content-type': 'text/plain' });
        response.write('a');
        const timer = setInterval(() => response.write('a'), 50);
        response.once('close', () => clearInterval(timer));
      } else if (path === '/loop') {
        response.writeHead(302, { location: '/loop' }).end();
      } else if (path.startsWith('/hop')) {
        const left = Number(path.slice(4));
        if (left === 0) response.end('arrived');
        else response.writeHead(301, { location: `/hop${left - 1}` }).end();
      } else if (path === '/hang-up') {
        request.socket.destroy();
      } else if (path === '/half') {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('half', () => request.socket.destroy());
      } else if (path === '/codings') {
        response.writeHead(200, { 'content-encoding': 'gzip,gzip,gzip,gzip,gzip' }).end('words');
      } else if (path === '/not-gzip') {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('this is no gzip at all');
      } else if (path === '/headers') {
        for (let index = 0; index < 500; index++) response.setHeader(`x-${index}`, 'y'.repeat(100));
        response.end();
      } else if (path === '/upgrade') {
        request.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
      } else if (path === '/bad-location') {
        response.writeHead(302, { location: 'http://[half' }).end();
      } else if (path === '/binary') {
        response.writeHead(200, { 'content-type': 'application/zip' }).end(Buffer.from('PK\x03\x04\0\0\0'));
      } else {
        response.writeHead(404).end();
      }
    },
    { maxBytes, timeoutMs: 20_000 },
  );
});
afterAll(() => site.close());

test.each(Object.keys(bodies))('%s unpacks to the limit and no further', async (path) => {
  const page = await site.get(path);
  expect(page.body.length).toBe(maxBytes);
  expect(page.truncated).toBe(true);
});

test('an endless body is cut, and its sender let go', async () => {
  const before = closedEarly;
  const page = await site.get('/endless');
  expect(page.body.length).toBe(maxBytes);
  expect(page.truncated).toBe(true);
  await expect.poll(() => closedEarly).toBe(before + 1);
});

test.each([
  ['/loop', 'upstream_error'],
  ['/hop6', 'upstream_error'],
  ['/hang-up', 'upstream_error'],
  ['/half', 'upstream_error'],
  ['/codings', 'upstream_error'],
  ['/not-gzip', 'upstream_error'],
  ['/headers', 'upstream_error'],
  ['/upgrade', 'upstream_error'],
  ['/bad-location', 'invalid_parameter'],
])('%s ends as %s, in our words', async (path, code) => {
  const error = await site.get(path).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code });
  expect(String(error)).not.toMatch(/ECONN|HPE_|Z_DATA|127\.0\.0\.1/);
});

test('five redirects are followed', async () => {
  expect((await site.get('/hop5')).body.toString()).toBe('arrived');
});

describe('a server that does not come to an end', () => {
  test.each(['/silent', '/trickle'])('%s is given its time and no more', async (path) => {
    const slow = await openSite(
      (_request, response) => {
        if (path === '/silent') return;
        response.write('a');
        const timer = setInterval(() => response.write('a'), 20);
        response.once('close', () => clearInterval(timer));
      },
      { timeoutMs: 300 },
    );
    await expect(slow.get(path)).rejects.toMatchObject({ code: 'timed_out' });
    await slow.close();
  });

  test('a caller who withdraws gets away at once, even from the name server', async () => {
    const stuck = await openSite(() => {}, { resolve: () => new Promise(() => {}) });
    const controller = new AbortController();
    const fetching = stuck.get('/', controller.signal);
    controller.abort();
    await expect(fetching).rejects.toMatchObject({ code: 'cancelled' });
    await stuck.close();
  });

  test('a caller who withdraws from a body frees the connection', async () => {
    const before = closedEarly;
    const controller = new AbortController();
    const fetching = site.get('/silent', controller.signal);
    await expect.poll(() => site.looked.length).toBeGreaterThan(0);
    controller.abort();
    await expect(fetching).rejects.toMatchObject({ code: 'cancelled' });
    expect(closedEarly).toBeGreaterThanOrEqual(before);
  });
});

describe('pages that are made to hurt their reader', () => {
  test.each(Object.keys(nasty))(
    '%s is read, or refused, and the loop goes on turning',
    async (path) => {
      let outcome: unknown;
      const spentMs = await cpuTimeMs(async () => {
        outcome = await site.web.read(await site.get(path)).then(
          (page) => page.text,
          (error: { code: string }) => error.code,
        );
      });
      expect(typeof outcome).toBe('string');
      if (path === '/deep') expect(outcome).toContain('the words at the bottom');
      if (path.startsWith('/unclosed') || path === '/handlers') expect(outcome).toContain('words');
      // A parser in this process would hold it up for longer than that.
      expect(spentMs).toBeLessThan(10_000);
    },
    90_000,
  );

  test('what is neither text nor picture is refused by its kind', async () => {
    const page = await site.get('/binary');
    await expect(site.web.read(page)).rejects.toMatchObject({
      code: 'unsupported_type',
      text: { en: expect.stringContaining('application/zip') },
    });
  });

  test('megabytes of characters that nobody sees are no text, whatever the header says', async () => {
    const page = { ...(await site.get('/binary')), contentType: 'text/plain' };
    for (const body of ['\x01'.repeat(2_000_000), 'ab\x00'.repeat(500_000)]) {
      await expect(site.web.read({ ...page, body: Buffer.from(body) })).rejects.toMatchObject({
        code: 'unsupported_type',
      });
    }
    const rare = `${'words '.repeat(10_000)}\x01`.repeat(20);
    expect((await site.web.read({ ...page, body: Buffer.from(rare) })).text).toBe(rare);
  });

  test('a page that defeats the parsers does not take the next one with it', async () => {
    const readings = ['/links', '/handlers', '/deep'].map(async (path) =>
      site.web.read(await site.get(path)),
    );
    const [, second, third] = await Promise.all(readings);
    expect(second?.text).toContain('words');
    expect(third?.text).toContain('bottom');
  }, 90_000);
});

test('a closed web leaves no process behind', async () => {
  const other = await openSite((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<p>x'),
  );
  const before = childrenOf(process.pid);
  await other.web.read(await other.get('/'));
  const converters = childrenOf(process.pid).filter((pid) => !before.includes(pid));
  expect(converters).toHaveLength(1);
  await other.close();
  await expect.poll(() => childrenOf(process.pid).filter((pid) => converters.includes(pid))).toEqual([]);
});
