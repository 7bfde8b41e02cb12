import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/contract/error.ts';
import { createPublicAddressCheck } from '../../src/network/address.ts';
import { openWeb } from '../../src/network/web.ts';
import { openSite } from '../network/site.ts';

const isPublic = createPublicAddressCheck();

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.0.1',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:0:10.0.0.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%lo',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
  '2001:1::1',
  '2001:4:112::1',
  '',
  'localhost',
  '127.1',
  '0x7f.0.0.1',
  '8.8.8.8:80',
  '2606:4700::1%eth0',
])('%s is no public address', (address) => {
  expect(isPublic(address)).toBe(false);
});

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '168.63.129.15',
  '223.255.255.255',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '2400:cb00::1',
])('%s is a public address', (address) => {
  expect(isPublic(address)).toBe(true);
});

describe('a site whose names lead wherever an attacker likes', () => {
  let site: Awaited<ReturnType<typeof openSite>>;
  const answers = new Map<string, readonly (readonly string[])[]>();
  const asked = new Map<string, number>();

  beforeAll(async () => {
    site = await openSite(
      (request, response) => {
        const target = new URL(request.url ?? '/', 'http://site.test').searchParams.get('to');
        if (target === null) response.end('fine');
        // As servers send it that do not encode: the bytes of UTF-8.
        else response.writeHead(302, { location: Buffer.from(target).toString('latin1') }).end();
      },
      {
        // The canary's port is open by name, so that the address alone decides.
        allowHosts: (port) => [
          '*.test',
          ...['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', 'inner.test'].map(
            (host) => `${host}:${port}`,
          ),
        ],
        // Whoever forgets a check connects to the canary: it listens on the loopback address.
        resolve: async (host) => {
          const turns = answers.get(host);
          if (!turns) return ['127.0.0.1'];
          const turn = asked.get(host) ?? 0;
          asked.set(host, turn + 1);
          return turns[Math.min(turn, turns.length - 1)] ?? [];
        },
      },
    );
  });
  afterAll(() => site.close());

  const inside = () => [
    `http://127.0.0.1:${site.canaryPort}/`,
    `http://localhost:${site.canaryPort}/`,
    `http://[::1]:${site.canaryPort}/`,
    `http://[::ffff:127.0.0.1]:${site.canaryPort}/`,
    `http://0.0.0.0:${site.canaryPort}/`,
    `http://2130706433:${site.canaryPort}/`,
    `http://0x7f.1:${site.canaryPort}/`,
    `http://0177.0.0.1:${site.canaryPort}/`,
    `http://127.1:${site.canaryPort}/`,
    `http://①②⑦.⓪.⓪.①:${site.canaryPort}/`,
    `http://inner.test:${site.canaryPort}/`,
    'http://127.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://metadata.test/computeMetadata/v1/',
  ];

  test('refuses every spelling of an inner address, and no connection is opened', async () => {
    for (const url of inside()) {
      await expect(site.get(url), url).rejects.toMatchObject({ code: 'denied' });
    }
    expect(site.touched()).toBe(0);
  });

  test('refuses a redirect to every one of them', async () => {
    for (const url of inside()) {
      await expect(site.get(`/?to=${encodeURIComponent(url)}`), url).rejects.toMatchObject({
        code: 'denied',
      });
    }
    expect(site.touched()).toBe(0);
  });

  test.each([
    'file:///etc/passwd',
    'gopher://site.test/',
    'ftp://site.test/',
    'data:text/html,x',
    'javascript:1',
  ])('refuses a redirect to %s', async (url) => {
    await expect(site.get(`/?to=${encodeURIComponent(url)}`)).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
  });

  test('refuses a redirect that carries a user name', async () => {
    const url = `http://user:secret@site.test:${site.port}/`;
    await expect(site.get(`/?to=${encodeURIComponent(url)}`)).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
  });

  test('refuses a name of which one answer lies inside', async () => {
    answers.set('mixed.test', [['93.184.216.34', '10.0.0.1']]);
    await expect(site.get('http://mixed.test/')).rejects.toMatchObject({ code: 'denied' });
  });

  test('refuses a name that leads nowhere', async () => {
    answers.set('nowhere.test', [[]]);
    await expect(site.get('http://nowhere.test/')).rejects.toMatchObject({ code: 'denied' });
  });

  test('a name that answers otherwise the second time gains nothing: it is asked once a connection', async () => {
    answers.set('rebind.test', [['127.0.0.1'], ['10.0.0.1']]);
    const page = await site.get(`http://rebind.test:${site.port}/`);
    expect(page.body.toString()).toBe('fine');
    expect(asked.get('rebind.test')).toBe(1);
  });

  test('a redirect to the same name is asked and checked anew', async () => {
    answers.set('turning.test', [['127.0.0.1'], ['10.0.0.1']]);
    const url = `http://turning.test:${site.port}/?to=/again`;
    await expect(site.get(url)).rejects.toMatchObject({ code: 'denied' });
    expect(asked.get('turning.test')).toBe(2);
  });

  test('the error names neither the address inside nor what listens there', async () => {
    answers.set('wiki.test', [['10.9.8.7']]);
    const error = await site.get('http://wiki.test/').catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error)).not.toContain('10.9.8.7');
    expect(String(error)).not.toContain('10.9.8.7');
  });

  test.each(['http://site.test:22/', 'http://site.test:6379/', 'https://site.test:3000/'])(
    'refuses the port of %s without looking the name up',
    async (url) => {
      const before = site.looked.length;
      await expect(site.get(url)).rejects.toMatchObject({ code: 'denied' });
      expect(site.looked.length).toBe(before);
    },
  );

  test.each([
    '',
    'site.test',
    '//site.test/',
    'http:\\\\site.test\\',
    'http://site.test\\@127.0.0.1/',
    'http://a b.test/',
    'http://site.test/\u0000',
    'http://site.test/\r\nHost: x',
    'http://user@site.test/',
    'http://:pw@site.test/',
    ' http://site.test/',
    'http://[fe80::1%25lo]/',
    `http://site.test/${'a'.repeat(9000)}`,
  ])('refuses the URL %j', async (url) => {
    await expect(site.web.fetch(url, new AbortController().signal)).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
  });
});

describe('the lists of the operator', () => {
  const never = new AbortController().signal;
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'ok',
      (error: { code: string }) => error.code,
    );

  test('an empty allowHosts allows nothing', async () => {
    const web = openWeb({ allowHosts: [], resolve: async () => ['1.1.1.1'] });
    expect(await codeOf(web.fetch('http://example.com/', never))).toBe('denied');
    await web.close();
  });

  test.each([
    ['http://example.com/', 'denied'],
    ['http://EXAMPLE.com./', 'denied'],
    ['http://a.evil.test/', 'denied'],
    ['http://evil.test/', 'denied'],
    ['http://other.test/', 'denied'],
  ])('denyHosts and allowHosts refuse %s, whatever its spelling', async (url, code) => {
    const asked: string[] = [];
    const web = openWeb({
      allowHosts: ['good.test', '*.evil.test', 'example.com'],
      denyHosts: ['example.com', '*.evil.test'],
      resolve: async (host) => {
        asked.push(host);
        return ['127.0.0.1'];
      },
    });
    expect(await codeOf(web.fetch(url, never))).toBe(code);
    expect(asked).toEqual([]);
    await web.close();
  });

  test('an address in denyHosts is refused behind any name', async () => {
    const web = openWeb({ denyHosts: ['93.184.216.34'], resolve: async () => ['93.184.216.34'] });
    expect(await codeOf(web.fetch('http://name.test/', never))).toBe('denied');
    await web.close();
  });

  test('allowPrivate opens one address on one port and no other', async () => {
    const site = await openSite((_request, response) => response.end('inner page'));
    expect((await site.get(`http://127.0.0.1:${site.port}/`)).body.toString()).toBe('inner page');
    expect(await codeOf(site.get(`http://127.0.0.1:${site.canaryPort}/`))).toBe('denied');
    expect(await codeOf(site.get(`http://127.0.0.2:${site.port}/`))).toBe('denied');
    expect(site.touched()).toBe(0);
    await site.close();
  });

  test.each([
    [{ allowPrivate: ['10.1.2.3'] }, 'web.allowPrivate[0]'],
    [{ allowPrivate: ['10.1.2.3:99999'] }, 'web.allowPrivate[0]'],
    [{ allowPrivate: ['http://10.1.2.3:80'] }, 'web.allowPrivate[0]'],
    [{ allowPrivate: ['10.0.0.0/8:80'] }, 'web.allowPrivate[0]'],
    [{ allowPrivate: ['*:80'] }, 'web.allowPrivate[0]'],
    [{ allowHosts: ['ok.test', ''] }, 'web.allowHosts[1]'],
    [{ allowHosts: ['*'] }, 'web.allowHosts[0]'],
    [{ denyHosts: ['https://evil.test'] }, 'web.denyHosts[0]'],
    [{ denyHosts: ['evil.test/path'] }, 'web.denyHosts[0]'],
    [{ denyHosts: ['a@evil.test'] }, 'web.denyHosts[0]'],
  ])('%j stops the start and names the key', (options, key) => {
    expect(() => openWeb(options)).toThrow(ConfigError);
    expect(() => openWeb(options)).toThrow(key);
  });
});
