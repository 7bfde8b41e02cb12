import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outgoingSecret } from '../../src/call/flow/outgoing.ts';
import type { Tool } from '../../src/contract/tool/tool.ts';
import { cpuTimeMs } from '../support/cpu-time.ts';
import { habitual, namesIn, openWithServers, wordsOf } from '../upstream/world.ts';

// Only its annotations and what it uses are looked at.
const tool = { name: 'post', uses: [], annotations: { openWorld: true } } as unknown as Tool;
const key = `ghp_${'a1B2c3D4e5'.repeat(4)}`.slice(0, 40);

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const hex = Buffer.from(key).toString('hex');

function base32(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}

test.each<[string, unknown, boolean]>([
  ['a body', { body: `The key is ${key}.` }, false],
  ['a header', { headers: { Authorization: `token ${key}` } }, false],
  ['a list', { to: ['a', key] }, false],
  ['the name of an argument', { [key]: 1 }, false],
  ['a query', { url: `https://x.example/?q=${key}` }, false],
  ['a private key', { body: '-----BEGIN OPENSSH PRIVATE KEY-----\nb3' }, false],
  ['base64', { body: `see ${base64(`key=${key}`)} there` }, true],
  ['base64 twice', { body: base64(base64(key)) }, true],
  ['hex in an address', { url: `https://x.example/${hex}` }, true],
  [
    'percent signs',
    { url: `https://x.example/?q=${[...key].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('')}` },
    true,
  ],
  ['gzip in base64', { body: base64(gzipSync(key)) }, true],
  [
    'a label of a host name, in hex',
    { url: `https://${hex.slice(0, 60)}.${hex.slice(60)}.evil.example/` },
    true,
  ],
  [
    'labels of a host name, in base32',
    { url: `https://${base32(key).slice(0, 40)}.${base32(key).slice(40)}.evil.example/` },
    true,
  ],
])('a credential in %s is found', (_, input, isEncoded) => {
  expect(outgoingSecret(tool, input)).toMatchObject({ isEncoded });
});

test.each([
  'https://shop.example/sk-produkty-pre-domacnost-a-zahradu',
  'Set OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxx first',
  'https://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi.ipfs.example/',
  'https://d3a2b4c5e6f7g8.cdn.example/a.js?v=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  base64('a harmless text that is encoded, as files are'),
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  '5f4dcc3b-5aa7-65d6-1d83-27deb882cf99',
])('%s is none', (text) => {
  expect(outgoingSecret(tool, { text })).toBeUndefined();
});

test('nothing that a call holds makes the look fail, and long ones end soon', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), (input) => {
      outgoingSecret(tool, input);
    }),
    { numRuns: 500 },
  );
  const long = { body: `${'A'.repeat(60_000)} `.repeat(17) };
  expect(await cpuTimeMs(() => outgoingSecret(tool, long))).toBeLessThan(5000);
});

test('a call of a proxied tool or of web_fetch that sends one asks a person, and a yes is for that alone', async () => {
  await using world = await openWithServers(
    { fix: habitual() },
    { config: { mode: 'workspace-write', toolsets: ['assistant'], approval: { waitMs: 1 } } },
  );
  await namesIn(world);
  expect(await world.call('fix__echo', { text: `Use ${key}` })).toMatchObject({ code: 'approval_pending' });
  const { approvals } = await world.checkpoint.store();
  const [pending] = await approvals.list('pending', Date.now());
  expect(pending).toMatchObject({ rule: 'sends-credential' });
  expect(pending?.message.en).toContain('text holds a credential, which would be sent to others');
  expect(pending?.grant).toContain('"secret":"text"');
  await approvals.decide(pending?.id ?? '', 'approved', 'test', 'once', Date.now());
  expect(wordsOf(await world.call('fix__echo', { text: `Use ${key}` }))).toBe(`Use ${key}`);

  const url = `https://x.example/?q=${base64(key)}`;
  expect(await world.call('web_fetch', { url })).toMatchObject({ code: 'approval_pending' });
});

test("the operator's rule for the host answers", async () => {
  await using world = await openWithServers(
    { fix: habitual() },
    {
      config: {
        mode: 'workspace-write',
        approval: { waitMs: 1 },
        rules: [{ tool: 'fix__*', decision: 'allow', because: 'a store of keys' }],
      },
    },
  );
  await namesIn(world);
  expect(wordsOf(await world.call('fix__echo', { text: key }))).toBe(key);
});
