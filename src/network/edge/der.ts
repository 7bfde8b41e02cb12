import { Buffer } from 'node:buffer';
import { isIPv4 } from 'node:net';

/** One value in ASN.1's distinguished encoding (X.690), of less than 64 KiB. */
export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** A number below 128. */
export function whole(value: number): Buffer {
  return der(0x02, Buffer.from([value]));
}

/** `unused`: bits at the end that do not count. */
export function bits(content: Buffer, unused: number): Buffer {
  return der(0x03, Buffer.from([unused]), content);
}

/** A time before 2050, with two digits for the year. */
export function moment(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const septets = [arc & 0x7f];
    for (let more = arc >>> 7; more > 0; more >>>= 7) septets.unshift((more & 0x7f) | 0x80);
    return septets;
  });
  return der(0x06, Buffer.from(bytes));
}

export function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** An IP address as its 4 or 16 bytes. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const groups = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  // In canonical form, as of a URL: without dotted decimals.
  const [left = '', right] = address.split('::');
  const [before, after] = [groups(left), groups(right ?? '')];
  const between = right === undefined ? [] : new Array(8 - before.length - after.length).fill(0);
  return Buffer.from([...before, ...between, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}
