import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { limits } from '../../contract/limits.ts';
import { isTooIntricate } from '../../contract/text/intricate.ts';
import { parseMessage } from '../../ground/exact-numbers.ts';
import { RpcError, rpcCode, tooIntricate } from '../jsonrpc.ts';

/** Reads a body as JSON. Throws if it is too large, too intricate, not UTF-8 or not JSON. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  assertJson(request);
  const body = await readBody(request, maxBytes);
  if (!isUtf8(body)) throw new RpcError(rpcCode.parseError, 'The body is not UTF-8.');
  if (isTooIntricate(body, { maxValues: limits.messageValues, maxDepth: limits.messageDepth }))
    throw tooIntricate();
  try {
    return parseMessage(body.toString('utf8'), 'params', 'arguments');
  } catch {
    throw new RpcError(rpcCode.parseError, 'The body is not JSON.');
  }
}

function assertJson({ headers }: IncomingMessage): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding'];
  if (type === 'application/json' && (encoding === undefined || encoding === 'identity')) return;
  throw new RpcError(rpcCode.invalidRequest, 'The body must be application/json, unencoded.', undefined, 415);
}

/** The whole body. Throws if it is over the limit, or the client hangs up. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = () =>
      reject(
        new RpcError(
          rpcCode.invalidRequest,
          `The body is over the limit of ${maxBytes} bytes.`,
          { maxBytes },
          413,
        ),
      );
    if (Number(request.headers['content-length']) > maxBytes) return tooLarge();
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.off('data', take);
      chunks.length = 0;
      tooLarge();
    };
    request.on('data', take);
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => {
      // Every request closes; create the error only for one that did not end.
      if (!request.readableEnded) reject(new Error('The client hung up.'));
    });
  });
}
