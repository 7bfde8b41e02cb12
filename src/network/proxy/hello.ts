/** The kind of a connection's first bytes. */
export type Opening =
  | { readonly kind: 'incomplete' }
  /** Nothing whole came in time. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'plain' }
  | { readonly kind: 'broken' }
  | {
      readonly kind: 'tls';
      /** The name that the client asks for, if it sends one. */
      readonly serverName: string | undefined;
      /** It contains a second, encrypted hello (ECH) with a name that we cannot read. */
      readonly hidesName: boolean;
    };

/** Parses a TLS ClientHello that may be incomplete. The caller limits its size. */
export function readOpening(bytes: Buffer): Opening {
  if (bytes.length === 0) return { kind: 'incomplete' };
  if (bytes[0] !== handshakeRecord) return { kind: isMethod(bytes) ? 'plain' : 'broken' };
  const message = joinRecords(bytes);
  if (message === undefined) return { kind: 'broken' };
  if (message.length > 0 && message[0] !== clientHello) return { kind: 'broken' };
  if (message.length < 4 || message.length < 4 + message.readUIntBE(1, 3)) return { kind: 'incomplete' };
  try {
    return readHello(message.subarray(4, 4 + message.readUIntBE(1, 3)));
  } catch {
    // A part is longer than the message.
    return { kind: 'broken' };
  }
}

const handshakeRecord = 22;
const clientHello = 1;
const maxRecordBytes = 2 ** 14 + 256;

/** Whether the bytes are a method of HTTP/1, or the beginning of one. Lines of other protocols name no such version. */
function isMethod(bytes: Buffer): boolean {
  const [line = '', ...rest] = bytes.toString('latin1').split('\n', 2);
  return /^[A-Z][A-Z-]*(?: |$)/.test(line.slice(0, 24)) && (rest.length === 0 || / HTTP\/1/.test(line));
}

/** A message may be split over several records. */
function joinRecords(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== handshakeRecord || (bytes[at + 1] ?? 3) !== 3) return undefined;
    if (at + 5 > bytes.length) break;
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0 || length > maxRecordBytes) return undefined;
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return Buffer.concat(parts);
}

function readHello(hello: Buffer): Opening {
  let at = 2 + 32;
  const skip = (lengthBytes: number) => {
    at += lengthBytes + hello.readUIntBE(at, lengthBytes);
  };
  skip(1); // session
  skip(2); // ciphers
  skip(1); // compression
  let serverName: string | undefined;
  let hidesName = false;
  const end = at === hello.length ? at : at + 2 + hello.readUInt16BE(at);
  if (end !== hello.length) return { kind: 'broken' };
  const seen = new Set<number>();
  for (at += 2; at < end; ) {
    const type = hello.readUInt16BE(at);
    const body = hello.subarray(at + 4, at + 4 + hello.readUInt16BE(at + 2));
    if (body.length !== hello.readUInt16BE(at + 2) || seen.has(type)) return { kind: 'broken' };
    seen.add(type);
    if (type === 0) {
      serverName = readName(body);
      if (serverName === undefined) return { kind: 'broken' };
    }
    if (hiding.has(type)) hidesName = true;
    at += 4 + body.length;
  }
  return { kind: 'tls', serverName, hidesName };
}

/** Encrypted ClientHello, and its draft version. */
const hiding: ReadonlySet<number> = new Set([0xfe0d, 0xffce]);

/** The single host name of the list; other kinds of names do not exist. */
function readName(body: Buffer): string | undefined {
  if (body.length < 6 || body.readUInt16BE(0) !== body.length - 2 || body[2] !== 0) return undefined;
  if (body.readUInt16BE(3) !== body.length - 5) return undefined;
  const name = body.toString('latin1', 5);
  return /^[A-Za-z0-9._-]+$/.test(name) ? name.toLowerCase().replace(/\.$/, '') : undefined;
}
