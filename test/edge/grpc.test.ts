import { once } from 'node:events';
import { connect as connectHttp2, createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { createAuthority } from '../../src/network/edge/authority.ts';
import { createProxy } from '../../src/network/proxy/open.ts';
import { lendOutlet } from '../command/local-outlet.ts';

const host = 'grpc.test';

test.each(['/a.B/Echo', '/a.B/Fail'])(
  'a call of gRPC to %s goes on over HTTP/2, with its trailers',
  async (path) => {
    const { certificate, credentialsFor } = createAuthority();
    const arrived: string[] = [];
    const origin = createSecureServer({ ...credentialsFor(host), allowHTTP1: false });
    origin.on('stream', async (stream, headers) => {
      const parts: Buffer[] = [];
      for await (const part of stream) parts.push(part as Buffer);
      arrived.push(`${headers[':path']} ${headers.te} ${Buffer.concat(parts)}`);
      if (path === '/a.B/Fail')
        return stream.respond({ ':status': 200, 'grpc-status': '5' }, { endStream: true });
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end('an answer');
    });
    origin.listen(0, '127.0.0.2');
    await once(origin, 'listening');
    const { port } = origin.address() as AddressInfo;
    const proxy = createProxy({
      entries: [`${host}:${port}`, `127.0.0.2:${port}`],
      tunnels: [],
      key: 'process.network',
      resolve: async () => ['127.0.0.2'],
      trusted: () => certificate,
    });
    const { outlet, dial } = await lendOutlet(proxy);
    const asked: string[] = [];
    outlet.attend({
      isFrom: () => true,
      services: new Set(),
      async ask({ summary }) {
        asked.push(summary.en);
        return { isAllowed: true, by: 'alice' };
      },
    });

    const socket = await dial();
    socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\n\r\n`);
    await once(socket, 'data');
    const client = connectTls({ socket, servername: host, ca: proxy.authority, ALPNProtocols: ['h2'] });
    const session = connectHttp2(`https://${host}:${port}`, { createConnection: () => client });
    const call = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const statuses: unknown[] = [];
    for (const event of ['response', 'trailers'])
      call.on(event, (head: Record<string, unknown>) => statuses.push(head['grpc-status']));
    call.end('a message');
    let said = '';
    for await (const part of call) said += part;

    expect(asked).toEqual([`calls ${path.split('/')[2]} of a.B`]);
    expect(arrived).toEqual([`${path} trailers a message`]);
    expect([said, statuses]).toEqual(path === '/a.B/Fail' ? ['', ['5']] : ['an answer', [undefined, '0']]);
    session.destroy();
    outlet.close();
    origin.close();
  },
);
