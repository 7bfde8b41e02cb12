import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openCallback } from '../../src/upstream/oauth/callback.ts';

test.each(['//', '/\\', 'http://', '/callback?state=%E0%A4%A', '*'])(
  'an odd address %j from a page that guesses the port neither ends the login nor the program',
  async (path) => {
    const callback = await openCallback(0);
    onTestFinished(() => callback.close());
    const answered = callback.answer('right', AbortSignal.timeout(60_000));
    const { host, port } = new URL(callback.redirectUrl);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 4/);
    const page = await fetch(`${callback.redirectUrl}?state=right&code=c`);
    // The person's language is not known here.
    expect(await page.text()).toMatch(/close this window.*\n.*閉じて/);
    expect((await answered).get('code')).toBe('c');
  },
);
