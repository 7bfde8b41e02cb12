import { text } from '../../../../contract/text/text.ts';
import { isRecord } from '../../../../ground/is-record.ts';
import { type Asked, headerOf } from '../asked.ts';
import { bodyJsonOf } from '../body.ts';
import { type Dialect, type Look, row, shown } from '../dialect.ts';

/** A connection on which anything may be sent afterwards (RFC 6455). */
export const websocket: Dialect = {
  name: 'websocket',
  hosts: [],
  rows: [
    row.send('GET|CONNECT *', text('opens a websocket to {host}', '{host} に WebSocket を開きます'), {
      when: ({ headers }) =>
        headers.has('sec-websocket-key') ||
        (headers.get('upgrade') ?? []).some((value) => !/^h2c$/i.test(value)),
    }),
  ],
};

/** Calls whose names alone are known: `/package.Service/Method`. */
export const grpc: Dialect = {
  name: 'grpc',
  hosts: [],
  rows: [
    row.send(
      'POST /{service}/{call}',
      text('calls {call} of {service}', '{service} の {call} を呼び出します'),
      { when: isGrpc, look: ({ path }) => ({ kind: kindOf(path.slice(path.lastIndexOf('/') + 1)) }) },
    ),
  ],
};

/** JSON-RPC, and MCP over HTTP. */
export const jsonRpc: Dialect = {
  name: 'json-rpc',
  hosts: [],
  shape: (asked) => asked.method === 'POST' && callsOf(asked).length > 0,
  rows: [
    row.send('POST *', text('calls something at {host}', '{host} の機能を呼び出します'), { look: rpcLook }),
  ],
};

function isGrpc(asked: Asked): boolean {
  return /^application\/grpc(?:[+;-]|$)/i.test(headerOf(asked, 'content-type') ?? '');
}

function kindOf(call: string): 'delete' | 'rights' | 'send' {
  if (/^(?:delete|remove|purge|drop)/i.test(call)) return 'delete';
  return /iam|permission|role|acl/i.test(call) ? 'rights' : 'send';
}

function callsOf(asked: Asked): readonly string[] {
  const body = bodyJsonOf(asked);
  const calls = Array.isArray(body) ? body : [body];
  const names = calls.flatMap((call: unknown) => {
    if (!isRecord(call) || call.jsonrpc !== '2.0' || typeof call.method !== 'string') return [];
    const tool = isRecord(call.params) && call.method === 'tools/call' ? call.params.name : undefined;
    return [typeof tool === 'string' ? `${call.method} ${tool}` : call.method];
  });
  return names.length === calls.length ? names : [];
}

function rpcLook(asked: Asked): Look {
  const calls = [...new Set(callsOf(asked).map(shown))].toSorted();
  const names = calls.slice(0, 5).join(', ');
  return {
    says: text(`calls ${names} at {host}`, `{host} の ${names} を呼び出します`),
    covers: `${asked.path}#${calls.join(',')}`,
  };
}
