import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import type { Contacts } from './contacts.ts';
import { type Opening, readOpening } from './hello.ts';
import { dismiss } from './refusal.ts';
import type { Target } from './rules.ts';

export interface TunnelOptions {
  readonly contacts: Contacts;
  readonly edge: TunnelEnds;
  readonly patienceMs: number;
}

/** Takes over plain HTTP, and TLS for an inspected host, so that each request is checked. */
export interface TunnelEnds {
  plain(client: Socket, target: Target): void;
  /** Answers in the host's place. */
  secure(client: Socket, target: Target): void;
  isInspected(target: Target): boolean;
}

/**
 * Serves the tunnel of an allowed CONNECT: TLS for the requested host, or plain HTTP. A client that names another host
 * in its TLS greeting, or hides the name, could reach another site at the same address, so it is refused.
 */
export async function openTunnel(
  client: Socket,
  upstream: Socket,
  target: Target,
  { contacts, edge, patienceMs }: TunnelOptions,
): Promise<void> {
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  const { opening, bytes } = await readStart(client, patienceMs);
  if (opening.kind === 'plain') {
    upstream.destroy();
    client.unshift(bytes);
    edge.plain(client, target);
    return;
  }
  if (opening.kind !== 'tls' || !isFor(opening, target)) {
    upstream.destroy();
    if (opening.kind === 'tls') contacts.missed(target, 'misnamed');
    // The alert "unrecognized_name", which clients report in their own words.
    dismiss(client, Buffer.from([21, 3, 3, 0, 2, 2, 112]));
    return;
  }
  if (edge.isInspected(target)) {
    upstream.destroy();
    client.unshift(bytes);
    edge.secure(client, target);
    return;
  }
  upstream.write(bytes);
  await join(client, upstream);
}

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

function isFor({ serverName, hidesName }: Extract<Opening, { kind: 'tls' }>, { host }: Target): boolean {
  if (hidesName) return false;
  if (serverName !== undefined) return serverName === host;
  // An address needs no server name; a missing name could stand for any host.
  return host.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

/** Reads until the protocol is known. */
function readStart(
  client: Socket,
  patienceMs: number,
): Promise<{ readonly opening: Opening; readonly bytes: Buffer }> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const finish = (opening: Opening) => {
      clearTimeout(timer);
      client.off('data', take);
      client.off('end', giveUp);
      client.off('close', giveUp);
      client.pause();
      resolve({ opening, bytes });
    };
    const giveUp = () => finish({ kind: 'broken' });
    const take = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const opening = readOpening(bytes);
      if (opening.kind !== 'incomplete') finish(opening);
      else if (bytes.length > maxHelloBytes) giveUp();
    };
    const timer = setTimeout(giveUp, patienceMs);
    client.on('data', take);
    client.once('end', giveUp);
    client.once('close', giveUp);
    client.resume();
  });
}
