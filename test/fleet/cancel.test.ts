import { afterAll, expect, test } from 'vitest';
import { serveHttp } from '../../src/checkpoint/serving.ts';
import { startPostgres } from '../store/postgres-server.ts';
import { needs } from '../support/needs.ts';
import { countSleepers } from '../support/sleepers.ts';
import { openTwoNodes } from './nodes.ts';

const postgres = await startPostgres();
const missing = 'missing' in postgres ? postgres.missing : undefined;
afterAll(async () => {
  if ('stop' in postgres) await postgres.stop();
});

test(
  'a request of an older client is cancelled by a notification that came to another server',
  needs(missing),
  async () => {
    if (!('createDatabase' in postgres)) return;
    const nodes = await openTwoNodes(await postgres.createDatabase(), { http: { port: 0 } });
    const services = await Promise.all(nodes.map(({ world }) => serveHttp(world.checkpoint)));
    const [first = '', second = ''] = services.map(({ address }) => `http://127.0.0.1:${address.port}/mcp`);
    const { tokens, audit } = await nodes[0].world.checkpoint.store();
    const { token } = await tokens.create({ user: 'mio' });
    let session: string | null = null;
    const send = async (url: string, message: object) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
      };
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      const reply = await fetch(url, { method: 'POST', headers, body });
      session ??= reply.headers.get('mcp-session-id');
      return reply.text();
    };
    const client = { name: 'old', version: '1' };
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client };
    await send(first, { id: 1, method: 'initialize', params: hello });
    await send(first, { method: 'notifications/initialized' });

    const call = { name: 'bash', arguments: { command: 'sleep 47.11' } };
    const answer = send(first, { id: 'long', method: 'tools/call', params: call });
    await expect.poll(() => countSleepers('47.11')).toBe(1);
    // One that is over, or never was, cancels nothing.
    await send(second, { method: 'notifications/cancelled', params: { requestId: 'other' } });
    await send(second, { method: 'notifications/cancelled', params: { requestId: 'long' } });

    expect(await answer).not.toContain('"result"');
    expect(countSleepers('47.11')).toBe(0);
    await audit.flush();
    const [record] = await audit.search({ limit: 5 });
    expect(record).toMatchObject({ tool: 'bash', outcome: 'error', code: 'cancelled' });
    await Promise.all(services.map((service) => service.close()));
  },
);
