import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HeldRequest, RequestAnswer } from '../../src/contract/capabilities/process.ts';
import { text } from '../../src/contract/text/text.ts';
import { createAuthority } from '../../src/network/edge/authority.ts';
import { createProxy, type HostProxyOptions } from '../../src/network/proxy/open.ts';
import { lendOutlet } from '../command/local-outlet.ts';

/** A request as the origin got it. */
export interface Arrived {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const host = 'api.test';

/** An https server that notes what arrives, and the authority that signed for it. */
export async function openOrigin(name: string) {
  const { certificate, credentialsFor } = createAuthority();
  const arrived: Arrived[] = [];
  const server = createServer(credentialsFor(name), async (request, response) => {
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part);
    } catch {
      // The client broke off.
      return;
    }
    const { method, url, headers } = request;
    arrived.push({ line: `${method} ${url}`, headers, body: Buffer.concat(parts).toString() });
    // A test may have answered.
    if (!response.writableEnded) response.end(`origin: ${method} ${url}\n`);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  const port = await listen(server);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { certificate, arrived, server, port, close };
}

/** An https server on this machine, and an outlet whose proxy inspects it. */
export async function openWorld(
  given: Partial<HostProxyOptions> | ((port: number) => Partial<HostProxyOptions>) = {},
) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-edge-')));
  const origin = await openOrigin(host);
  const { port, arrived } = origin;
  const more = typeof given === 'function' ? given(port) : given;
  const proxy = createProxy({
    tunnels: [],
    key: 'process.network',
    resolve: async () => ['127.0.0.2'],
    trusted: () => origin.certificate,
    // The name leads inside, so the address is listed too.
    ...more,
    ...{ entries: [`${host}:${port}`, `127.0.0.2:${port}`, ...(more.entries ?? [])] },
  });
  const lent = await lendOutlet(proxy);
  const bundle = join(folder, 'bundle.pem');
  writeFileSync(bundle, proxy.authority ?? '');
  const asked: HeldRequest[] = [];
  let answer: (held: HeldRequest) => Promise<RequestAnswer> = async () => no;
  lent.outlet.attend({
    isFrom: () => true,
    services: new Set(),
    ask(held) {
      asked.push(held);
      return answer(held);
    },
  });
  const variables = {
    PATH: process.env.PATH,
    HOME: folder,
    ...proxyVariables(lent.port),
    ...Object.fromEntries(Object.entries(proxy.environment).filter(([name]) => /KEY(_ID)?$/.test(name))),
    ...Object.fromEntries(trusting.map((name) => [name, bundle])),
  };
  return {
    ...lent,
    folder,
    origin,
    proxy,
    bundle,
    base: `https://${host}:${port}`,
    originPort: port,
    arrived,
    asked,
    variables,
    answers(next: typeof answer) {
      answer = next;
    },
    /** Its output, with the exit code if it is not 0. */
    run: (program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      new Promise<string>((resolve) =>
        execFile(program, args, { cwd: folder, env: { ...variables, ...more } }, (error, stdout, stderr) =>
          resolve(`${stdout}${stderr}${error ? `exit ${error.code}` : ''}`),
        ),
      ),
    close() {
      lent.outlet.close();
      origin.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

export const yes: RequestAnswer = { isAllowed: true, by: 'alice' };
export const no: Extract<RequestAnswer, { isAllowed: false }> = {
  isAllowed: false,
  because: text('A person refused.', '拒否されました。'),
};

function listen(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.2', () => resolve((server.address() as AddressInfo).port)),
  );
}

const trusting = ['SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS', 'GIT_SSL_CAINFO'];

function proxyVariables(port: number): Readonly<Record<string, string>> {
  const url = `http://127.0.0.1:${port}`;
  return { HTTPS_PROXY: url, HTTP_PROXY: url, https_proxy: url, http_proxy: url, NODE_USE_ENV_PROXY: '1' };
}
