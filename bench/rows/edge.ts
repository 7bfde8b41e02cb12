import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { Agent, createServer, request } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as secure, type TLSSocket } from 'node:tls';
import { createAuthority } from '../../src/network/edge/authority.ts';
import {
  atLeast,
  atMost,
  isFull,
  median,
  percentile,
  type Result,
  type Row,
  timed,
  within,
} from '../measure.ts';

const host = 'origin.test';
const downloadBytes = isFull ? 2 ** 30 : 2 ** 28;
const part = Buffer.alloc(1 << 20, 7);

export const rows: readonly Row[] = [
  {
    name: 'edge',
    async run() {
      const world = await openWorld();
      try {
        return [...(await compare(world.edge, world.tunnel)), ...(await swap(world)), ...(await hold(world))];
      } finally {
        world.close();
      }
    },
  },
];

async function compare(edge: Way, tunnel: Way): Promise<readonly Result[]> {
  const kept = await inTurns(500, edge.ask, tunnel.ask);
  const fresh = await inTurns(100, edge.askAnew, tunnel.askAnew);
  const down = await inTurns(3, edge.download, tunnel.download);
  const crowd = await inTurns(5, edge.crowd, tunnel.crowd);
  edge.scatter();
  const rate = (ms: number) => downloadBytes / 2 ** 20 / (ms / 1000);
  return [
    within('a request that is looked into, time added to a tunnel', 0.3, kept.ours - kept.theirs),
    within('the same on a new connection', 1, fresh.ours - fresh.theirs),
    atLeast(
      `a download of ${downloadBytes / 2 ** 20} MiB, MiB a second`,
      'a tunnel',
      0.55,
      { ours: rate(down.ours), theirs: rate(down.theirs) },
      'count',
    ),
    atMost('500 requests on 100 connections at once', 'a tunnel', 6, crowd),
  ];
}

/** Requests that carry a credential in place of a stand-in, and answers that are searched for it. */
async function swap({ edge, keyed, tunnel }: World): Promise<readonly Result[]> {
  const kept = await inTurns(500, keyed.ask, edge.ask);
  const down = await inTurns(3, keyed.download, tunnel.download);
  const rate = (ms: number) => downloadBytes / 2 ** 20 / (ms / 1000);
  return [
    within('a request with a secret, time added to one that is looked into', 0.3, kept.ours - kept.theirs),
    atLeast(
      `a download of ${downloadBytes / 2 ** 20} MiB from a host of a secret, MiB a second`,
      'a tunnel',
      0.4,
      { ours: rate(down.ours), theirs: rate(down.theirs) },
      'count',
    ),
  ];
}

/** Requests that wait for a person, and downloads whose reader has stopped. */
async function hold({ edge, port, edgePort, authority, memory, arrived }: World): Promise<readonly Result[]> {
  const sessions = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const client = await dial(edgePort, port, authority, 'h2');
      return connectHttp2(`https://${host}:${port}`, { createConnection: () => client });
    }),
  );
  const start = (session: ClientHttp2Session, method: string, path: string) =>
    session.request({ ':method': method, ':path': path }, { endStream: method === 'GET' });
  for (const session of sessions) await once(start(session, 'GET', '/word').resume(), 'close');

  const atRest = await memory();
  const uploads = sessions.flatMap((session) =>
    Array.from({ length: 99 }, () => start(session, 'POST', '/held')),
  );
  for (const upload of uploads) upload.on('error', () => {}).end(part);
  const reads: number[] = [];
  for (let count = 0; count < 1000; count++) reads.push(await timed(edge.ask));
  const held = (await memory()) - atRest;
  const leaked = arrived.filter((line) => line.startsWith('POST')).length;
  for (const upload of uploads) upload.close(constants.NGHTTP2_CANCEL);

  const crowd = await Promise.all(Array.from({ length: 50 }, () => dial(edgePort, port, authority)));
  const ask = (path: string) =>
    crowd.map((client) => client.write(`GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`));
  ask('/word');
  await Promise.all(crowd.map((client) => once(client, 'data')));
  const before = await memory();
  for (const client of crowd) client.pause();
  ask('/download');
  // Until everything between the two ends is full.
  await sleep(3000);
  const stream = ((await memory()) - before) / crowd.length;
  for (const client of crowd) client.destroy();
  for (const session of sessions) session.destroy();
  return [
    within(
      `${uploads.length} held uploads of 1 MiB, memory beyond their connections`,
      64,
      held / 2 ** 20,
      'MiB',
    ),
    within('requests of them that reach the host', 0, leaked, 'count'),
    within('a read beside them, p99', 5, percentile(reads, 0.99)),
    within('a download that nobody reads, memory beyond its connections', 256 * 1024, stream, 'bytes'),
  ];
}

async function inTurns(rounds: number, ours: () => Promise<unknown>, theirs: () => Promise<unknown>) {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let round = -Math.ceil(rounds / 5); round < rounds; round++) {
    const pair = { ours: await timed(ours), theirs: await timed(theirs) };
    if (round < 0) continue;
    times.ours.push(pair.ours);
    times.theirs.push(pair.theirs);
  }
  return { ours: median(times.ours), theirs: median(times.theirs) };
}

interface Way {
  ask(): Promise<void>;
  askAnew(): Promise<void>;
  download(): Promise<void>;
  /** Five requests on each of 100 connections. */
  crowd(): Promise<unknown>;
  /** Ends the connections of the crowd: a command may have 128 at once. */
  scatter(): void;
  close(): void;
}

function wayThrough(proxyPort: number, port: number, ca: string, standIn?: string): Way {
  const headers = standIn === undefined ? {} : { authorization: `Bearer ${standIn}` };
  const agentOf = (keepAlive: boolean) => {
    const agent = new Agent({ keepAlive });
    agent.createConnection = (_options, callback) => {
      dial(proxyPort, port, ca).then(
        (socket) => callback?.(null, socket),
        (error: Error) => callback?.(error, undefined as never),
      );
      return undefined;
    };
    return agent;
  };
  const [kept, anew] = [agentOf(true), agentOf(false)];
  // One connection each.
  const many = Array.from({ length: 100 }, () => agentOf(true));
  const get = (path: string, agent: Agent) => read(port, path, agent, headers);
  return {
    ask: () => get('/word', kept),
    askAnew: () => get('/word', anew),
    download: () => get('/download', kept),
    crowd: () =>
      Promise.all(
        many.map(async (agent) => {
          for (let count = 0; count < 5; count++) await get('/word', agent);
        }),
      ),
    scatter() {
      for (const agent of many) agent.destroy();
    },
    close() {
      for (const agent of [kept, anew, ...many]) agent.destroy();
    },
  };
}

function read(port: number, path: string, agent: Agent, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path, agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().once('end', resolve).once('error', reject);
    });
    asked.once('error', reject).end();
  });
}

async function dial(proxyPort: number, port: number, ca: string, protocol = 'http/1.1'): Promise<TLSSocket> {
  const socket: Socket = connect(proxyPort, '127.0.0.1');
  socket.setNoDelay();
  socket.on('error', () => {});
  socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString().startsWith('HTTP/1.1 200')) throw new Error(answer.toString());
  const secured = secure({ socket, servername: host, ca, ALPNProtocols: [protocol] });
  await once(secured, 'secureConnect');
  secured.on('error', () => {});
  return secured;
}

type World = Awaited<ReturnType<typeof openWorld>>;

async function openWorld() {
  const { certificate, credentialsFor } = createAuthority();
  const arrived: string[] = [];
  const origin = createServer(credentialsFor(host), async (asked, response) => {
    arrived.push(`${asked.method} ${asked.url}`);
    if (asked.url !== '/download') return void response.end('a word\n');
    for (let sent = 0; sent < downloadBytes; sent += part.length)
      if (!response.write(part)) await once(response, 'drain');
    response.end();
  });
  origin.listen(0, '127.0.0.2');
  await once(origin, 'listening');
  const { port } = origin.address() as AddressInfo;
  const proxies = fork(join(import.meta.dirname, '../servers/edge.ts'), { execArgv: ['--expose-gc'] });
  proxies.send({ port, certificate });
  const [ports] = (await once(proxies, 'message')) as [
    {
      edge: number;
      tunnel: number;
      authority: string;
      keyed: { port: number; authority: string; standIn: string };
    },
  ];
  const edge = wayThrough(ports.edge, port, ports.authority);
  const tunnel = wayThrough(ports.tunnel, port, certificate);
  const keyed = wayThrough(ports.keyed.port, port, ports.keyed.authority, ports.keyed.standIn);
  return {
    edge,
    keyed,
    tunnel,
    port,
    edgePort: ports.edge,
    authority: ports.authority,
    arrived,
    /** What the process with the proxies holds, in bytes. */
    async memory(): Promise<number> {
      proxies.send('memory');
      const [bytes] = (await once(proxies, 'message')) as [number];
      return bytes;
    },
    close() {
      edge.close();
      keyed.close();
      tunnel.close();
      proxies.kill();
      origin.closeAllConnections();
      origin.close();
    },
  };
}
