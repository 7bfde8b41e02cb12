import { Buffer } from 'node:buffer';

/**
 * The messages between a session's small program and the resident server. Up: the greeting, the client's bytes, their
 * end, a request to stop, a sign of life. Down: the welcome, words for the client, a note of what was taken, lines for
 * stderr, the end, and that this session is to be served alone.
 */
export const frameTypes = {
  greeting: 1,
  bytes: 2,
  end: 3,
  stop: 4,
  ping: 5,
  welcome: 16,
  words: 17,
  taken: 18,
  log: 19,
  exit: 20,
  alone: 21,
  report: 22,
} as const;

export type FrameType = (typeof frameTypes)[keyof typeof frameTypes];

export interface Greeting {
  /** The arguments after `serve`. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** After the death of a resident server: the session as that one sealed it, and the lines that belong to it. */
  readonly resumed?: { readonly session: string; readonly lines: readonly string[] };
  /** Not a client but a person: show the sessions, or end them. */
  readonly asks?: { readonly kind: 'list' } | { readonly kind: 'stop'; readonly session?: string };
}

/** The server's note of what it took, and what becomes of that if it dies. */
export interface Taken {
  /** The lines before this byte are received. */
  readonly to: number;
  readonly key?: number;
  readonly kind?: 'say' | 'repeat' | 'keep' | 'drop';
  readonly words?: string;
  readonly name?: string;
  /** The first byte of the line. */
  readonly from?: number;
}

export interface Welcome {
  /** Names the session at the next server. */
  readonly session: string;
  readonly pid: number;
}

const headBytes = 5;

export function frame(type: FrameType, body: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(body);
  const whole = Buffer.allocUnsafe(headBytes + bytes.length);
  whole.writeUInt32BE(bytes.length, 0);
  whole[4] = type;
  bytes.copy(whole, headBytes);
  return whole;
}

export function jsonFrame(type: FrameType, value: object): Buffer {
  return frame(type, JSON.stringify(value));
}

/** Words for the client, with the keys of what they answer. */
export function wordsFrame(keys: readonly number[], words: Buffer): Buffer {
  const head = Buffer.alloc(4 + keys.length * 4);
  head.writeUInt32BE(keys.length, 0);
  for (const [index, key] of keys.entries()) head.writeUInt32BE(key, 4 + index * 4);
  return frame(frameTypes.words, Buffer.concat([head, words]));
}

export function readWords(body: Buffer): { readonly keys: readonly number[]; readonly words: Buffer } {
  const count = body.readUInt32BE(0);
  const keys = Array.from({ length: count }, (_, index) => body.readUInt32BE(4 + index * 4));
  return { keys, words: body.subarray(4 + count * 4) };
}

/** Splits a stream into whole frames. Throws if one is larger than allowed. */
export function createFrameSplitter(
  maxBytes: number,
  onFrame: (type: number, body: Buffer) => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  let wanted = headBytes;
  return (chunk) => {
    parts.push(chunk);
    bytes += chunk.length;
    while (bytes >= wanted) {
      const all = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
      const length = all.readUInt32BE(0);
      if (length > maxBytes) throw new Error('the frame is too large');
      parts = [all];
      wanted = headBytes + length;
      if (bytes < wanted) return;
      const rest = all.subarray(wanted);
      parts = rest.length > 0 ? [rest] : [];
      bytes = rest.length;
      const type = all[4] ?? 0;
      const body = all.subarray(headBytes, wanted);
      wanted = headBytes;
      onFrame(type, body);
    }
  };
}
