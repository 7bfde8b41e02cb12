/** The lines of git's pkt-line format up to the first flush or the end of what is there (gitprotocol-common). */
export interface Packets {
  readonly lines: readonly string[];
  /** Every byte belongs to a packet. */
  readonly isWhole: boolean;
}

const maxLines = 20_000;

/** Reads lines until the first flush packet, or, if `through` is set, to the end. */
export function readPackets(bytes: Buffer, through: boolean): Packets {
  const lines: string[] = [];
  let at = 0;
  while (at + 4 <= bytes.length && lines.length < maxLines) {
    const head = bytes.toString('latin1', at, at + 4);
    if (!/^[\da-f]{4}$/i.test(head)) return { lines, isWhole: false };
    const length = Number.parseInt(head, 16);
    if (length < 4) {
      at += 4;
      if (length === 0 && !through) return { lines, isWhole: at === bytes.length };
      continue;
    }
    if (at + length > bytes.length) return { lines, isWhole: false };
    lines.push(bytes.toString('utf8', at + 4, at + length).replace(/\n$/, ''));
    at += length;
  }
  return { lines, isWhole: at === bytes.length };
}

export interface RefUpdate {
  readonly before: string;
  readonly after: string;
  readonly ref: string;
}

export interface Push {
  readonly updates: readonly RefUpdate[];
  readonly capabilities: ReadonlySet<string>;
}

/** The commands of a push, which come before its objects; undefined if they cannot be read (gitprotocol-pack). */
export function readPush(bytes: Buffer): Push | undefined {
  const { lines } = readPackets(bytes, false);
  const [first = ''] = lines;
  const capabilities = new Set((first.split('\0')[1] ?? '').trim().split(' '));
  const updates: RefUpdate[] = [];
  for (const line of lines) {
    const [command = ''] = line.split('\0');
    // A signed push repeats its commands inside of a certificate, among lines of other forms.
    const match = /^([\da-f]{40,64}) ([\da-f]{40,64}) (\S.*)$/.exec(command);
    if (match) updates.push({ before: match[1] ?? '', after: match[2] ?? '', ref: match[3] ?? '' });
    else if (!/^shallow [\da-f]{40,64}$/.test(command) && !first.startsWith('push-cert')) return undefined;
  }
  return updates.length > 0 ? { updates, capabilities } : undefined;
}

/** The id that stands for "there is none". */
export function isNone(id: string): boolean {
  return /^0+$/.test(id);
}
