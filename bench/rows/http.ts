import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { atLeast, median, type Row, timed } from '../measure.ts';
import { assertHolds, makeFolder, oursOn } from '../world.ts';

const content = '0123456789abcde\n'.repeat(256);
const inFlight = 16;
const calls = 800;

export const rows: readonly Row[] = [
  {
    name: 'http',
    async run() {
      const { folder, remove } = makeFolder();
      writeFileSync(join(folder, 'a.txt'), content);
      const ours = await start(oursOn(folder, `${folder}-state`, ['--http', '127.0.0.1:0']));
      const sdk = join(import.meta.dirname, '../servers/sdk-http.ts');
      const theirs = await start([process.execPath, sdk, folder]);
      const rates: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
      for (let round = -1; round < 5; round++) {
        for (const [side, server] of [
          ['ours', ours],
          ['theirs', theirs],
        ] as const) {
          const ms = await timed(() => server.burst());
          if (round >= 0) rates[side].push((calls / ms) * 1000);
        }
      }
      for (const server of [ours, theirs]) await server.stop();
      remove();
      return [
        atLeast('HTTP call, stateless, 16 in flight', "the SDK's handler", 2, {
          ours: median(rates.ours),
          theirs: median(rates.theirs),
        }),
      ];
    },
  },
];

/** Starts a server that tells its address and, perhaps, a token on stderr. */
async function start([program, ...args]: [string, ...string[]]) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const said = await untilSaid(child, /Ctrl-C/);
  const url = new URL(/http:\/\/\S+\/mcp/.exec(said)?.[0] ?? '');
  const token = /token +(\S+)/.exec(said)?.[1];
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const one = () => post(url, token, agent);
  assertHolds(await one(), '0123456789abcde');
  return {
    async burst() {
      let left = calls;
      await Promise.all(
        Array.from({ length: inFlight }, async () => {
          while (left-- > 0) await one();
        }),
      );
    },
    async stop() {
      agent.destroy();
      child.kill();
      await once(child, 'exit');
    },
  };
}

function post(url: URL, token: string | undefined, agent: Agent): Promise<Record<string, unknown>> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'file_read',
      arguments: { path: 'a.txt' },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'sekisho-bench', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'file_read',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const words = String(Buffer.concat(chunks));
        const result = /"result":/.test(words) && !/"isError":true/.test(words);
        if (response.statusCode === 200 && result) resolve({ words });
        else reject(new Error(`HTTP ${response.statusCode}: ${words.slice(0, 300)}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function untilSaid(child: ChildProcess, mark: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let words = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      words += String(chunk);
      if (mark.test(words)) resolve(words);
    });
    child.once('exit', () => reject(new Error(`it ended: ${words.slice(0, 300)}`)));
  });
}
