import type { Socket } from 'node:net';
import { type Opening, readOpening } from './hello.ts';
import type { Target } from './rules.ts';

/** Copies both ways, until both have ended or one fails. */
export function join(client: Socket, upstream: Socket): Promise<void> {
  client.setTimeout(idleMs, () => client.destroy());
  upstream.setTimeout(idleMs, () => upstream.destroy());
  client.pipe(upstream);
  upstream.pipe(client);
  return new Promise((resolve) => {
    const watch = (one: Socket, other: Socket) =>
      one.once('close', () => {
        // It broke off: the other side must not look like a complete reply.
        if (!one.readableEnded || !one.writableFinished) other.destroy();
        if (other.closed) resolve();
      });
    watch(client, upstream);
    watch(upstream, client);
    if (client.destroyed) upstream.destroy();
    if (upstream.destroyed) client.destroy();
  });
}

/** A server may be silent for minutes; unused connections are closed. */
export const idleMs = 5 * 60_000;
/** The largest greetings in use have two thousand bytes. */
const maxHelloBytes = 20 * 1024;

/** Whether a TLS greeting is for this host: under another name, or a hidden one, another site could be reached. */
export function isFor(
  { serverName, hidesName }: Extract<Opening, { kind: 'tls' }>,
  { host }: Target,
): boolean {
  if (hidesName) return false;
  if (serverName !== undefined) return serverName === host;
  // An address needs no server name; a missing name could stand for any host.
  return host.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

/** Reads until the protocol is known, and gives the bytes back. `hostSpeaks`: the host was first, so no HTTP. */
export function readGreeting(
  client: Socket,
  patienceMs: number,
  hostSpeaks?: Promise<void>,
): Promise<Opening> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const finish = (opening: Opening) => {
      clearTimeout(timer);
      client.off('data', take);
      client.off('end', giveUp);
      client.off('close', giveUp);
      client.pause();
      if (bytes.length > 0) client.unshift(bytes);
      resolve(opening);
    };
    const giveUp = () => finish({ kind: 'silent' });
    const take = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const opening = readOpening(bytes);
      if (opening.kind !== 'incomplete') finish(opening);
      else if (bytes.length > maxHelloBytes) giveUp();
    };
    const timer = setTimeout(giveUp, patienceMs);
    hostSpeaks?.then(
      () => bytes.length === 0 && finish({ kind: 'broken' }),
      () => {},
    );
    client.on('data', take);
    client.once('end', giveUp);
    client.once('close', giveUp);
    client.resume();
  });
}
