import type { Socket } from 'node:net';
import type { HeldRequest, RequestAnswer } from '../../contract/capabilities/process.ts';
import type { CommitSigner, SignedObject } from '../../contract/capabilities/signing.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { type Text, text } from '../../contract/text/text.ts';

export interface CommitSigning {
  readonly signer: CommitSigner;
  readonly ask: (held: HeldRequest, signal: AbortSignal) => Promise<RequestAnswer>;
  readonly refused: (because: Text) => void;
}

/**
 * Answers the program that git runs to sign. It sends a format, a key and the object, each with a NUL at its end, and gets
 * `ok` and the signature, or a line that says why not.
 */
export async function serveCommits(client: Socket, { signer, ask, refused }: CommitSigning): Promise<void> {
  const left = new AbortController();
  client.once('close', () => left.abort());
  const refuse = (because: Text) => {
    refused(because);
    client.end(`Sekisho: ${cleanLine(because.en)}\n`);
  };
  const parts = await partsOf(client);
  const [format = '', key = '', payload] = parts ?? [];
  if (!payload) return refuse(tooLong);
  const read = signer.read({ format: String(format), key: String(key).trim(), payload });
  if ('because' in read) return refuse(read.because);
  const answer = await ask(heldFor(read.object, payload), left.signal);
  // The gate has noted it.
  if (!answer.isAllowed) return void client.end(`Sekisho: ${cleanLine(answer.because.en)}\n`);
  try {
    const signature = await signer.sign(payload, left.signal);
    client.end(Buffer.concat([Buffer.from('ok\n'), signature]));
  } catch (error) {
    refuse(failed(error instanceof Error ? error.message : String(error)));
  }
}

/** Undefined if it ends early, or is too long. */
async function partsOf(client: Socket): Promise<readonly Buffer[] | undefined> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of client.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk]);
    const first = bytes.indexOf(0);
    const second = first < 0 ? -1 : bytes.indexOf(0, first + 1);
    const third = second < 0 ? -1 : bytes.indexOf(0, second + 1);
    if (third >= 0)
      return [bytes.subarray(0, first), bytes.subarray(first + 1, second), bytes.subarray(second + 1, third)];
    if (bytes.length > maxBytes) return undefined;
  }
  return undefined;
}

function heldFor({ kind, key, digest }: SignedObject, payload: Buffer): HeldRequest {
  const named = cleanLine(key);
  return {
    kind: 'publish',
    method: 'SIGN',
    scheme: 'sign',
    host: 'signing',
    path: `/${kind}`,
    pathPattern: `/${kind}`,
    summary:
      kind === 'commit'
        ? text(`signs a commit with your key ${named}`, `鍵 ${named} でコミットに署名します`)
        : text(`signs a tag with your key ${named}`, `鍵 ${named} でタグに署名します`),
    notes: [stands],
    program: undefined,
    bodyBytes: payload.length,
    bodyStart: payload,
    isBodyWhole: true,
    digest,
  };
}

const maxBytes = 256 * 1024;

const stands = text(
  'It is signed in your name as it stands here; a later yes also fits the same with another time.',
  'ここに示すとおりの内容に、あなたの名前で署名します。後からの承認は、時刻だけが違う同じ内容にも有効です。',
);
const tooLong = text(
  'What git asked to have signed is longer than 256 KiB, or broke off.',
  'git が署名を求めた内容が 256 KiB を超えるか、途中で切れました。',
);

function failed(words: string): Text {
  const cause = cleanLine(words).slice(0, 300);
  return text(`The person's own program did not sign: ${cause}`, `署名プログラムが失敗しました: ${cause}`);
}
