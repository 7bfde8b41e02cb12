import type { Readable } from 'node:stream';

/** The first bytes of a body; the rest stays with the client. */
export interface BodyStart {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/**
 * Reads until the body ends, `most` bytes are there or `patienceMs` is over: a stream may never send so many.
 */
export async function readStart(body: Readable, most: number, patienceMs: number): Promise<BodyStart> {
  const chunks: Buffer[] = [];
  let read = 0;
  const isOver = AbortSignal.timeout(patienceMs);
  for (;;) {
    const chunk: Buffer | null = body.read();
    if (chunk !== null) {
      chunks.push(chunk);
      read += chunk.length;
    } else if (body.readableEnded || body.destroyed || isOver.aborted) break;
    else await nextEvent(body, isOver);
    if (read > most) break;
  }
  return { bytes: Buffer.concat(chunks), isWhole: body.readableEnded };
}

function nextEvent(body: Readable, isOver: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) body.off(event, done);
      isOver.removeEventListener('abort', done);
      resolve();
    };
    for (const event of events) body.on(event, done);
    isOver.addEventListener('abort', done, { once: true });
  });
}

const events = ['readable', 'end', 'close', 'error'] as const;
