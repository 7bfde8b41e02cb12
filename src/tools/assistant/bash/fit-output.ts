import { type Locale, text } from '../../../contract/text/text.ts';
import { counted } from '../../../ground/counted.ts';
import { cutMiddle } from '../../../ground/text/cut-middle.ts';

interface Streams {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Fits both streams into a reply: leaves out the middle of long output, with a line in its place that says how to read
 * it. `keep` takes the whole, standard output first.
 */
export function fitOutput(
  { stdout, stderr }: Streams,
  replyBytes: number,
  keep: (output: string) => string | undefined,
  locale: Locale,
): Streams & { readonly id?: string | undefined } {
  const [outBytes, errBytes] = [Buffer.byteLength(stdout), Buffer.byteLength(stderr)];
  const room = replyBytes - noteBytes;
  if (outBytes + errBytes <= room) return { stdout, stderr };
  // stderr gets a quarter of the room, and what stdout leaves.
  const errRoom = Math.max(Math.floor(room / 4), room - outBytes);
  const id = keep(stdout + stderr);
  const shorten = (stream: string, maxBytes: number, startsAt: number) => {
    const cut = cutMiddle(stream, maxBytes);
    if (!cut) return stream;
    const { head, tail, fromByte, leftOutBytes: bytes } = cut;
    const how = id === undefined ? '' : `: bash_output process_id ${id}, cursor ${startsAt + fromByte}`;
    const note = text(`[… ${counted(bytes, 'byte')} left out${how} …]`, `[… ${bytes} バイト省略${how} …]`)[
      locale
    ];
    return `${head}${head.endsWith('\n') ? '' : '\n'}${note}\n${tail}`;
  };
  return {
    stdout: shorten(stdout, room - Math.min(errBytes, errRoom), 0),
    stderr: shorten(stderr, errRoom, outBytes),
    id,
  };
}

/** For the exit code, the names of the streams and the notes. */
const noteBytes = 400;
