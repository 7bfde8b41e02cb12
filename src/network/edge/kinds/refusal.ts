import type { EdgeRequest } from '../request.ts';
import { readRequest } from './asked.ts';
import { bodyStartOf } from './body.ts';
import { isNone, readPush } from './dialects/git-packets.ts';

/** An answer in a host's place. */
export interface EdgeRefusal {
  readonly status: number;
  /** Some programs show nothing else. */
  readonly reason: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Empty: the headers end the answer, as gRPC wants it. */
  readonly body: string;
}

/** A refusal in the form that the programs of a dialect show to people. */
export function refusalOf(dialect: string, request: EdgeRequest, sentence: string): EdgeRefusal {
  const words = `Sekisho: ${sentence}`;
  switch (dialect) {
    case 'git':
      return pushRefusal(request, sentence) ?? plain(words);
    case 'grpc':
      return {
        status: 200,
        reason: 'OK',
        headers: [
          ['Content-Type', 'application/grpc'],
          ['grpc-status', '7'],
          ['grpc-message', encodeURIComponent(words)],
        ],
        body: '',
      };
    case 's3':
      return refusal(
        words,
        'application/xml',
        `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>${asXml(words)}</Message></Error>\n`,
      );
    case 'go':
    case 'gems':
    case 'websocket':
      return plain(words);
    default:
      return refusal(words, 'application/json', `${JSON.stringify(asJson(words))}\n`);
  }
}

/** The sentence under each name by which programs look for one to show. */
function asJson(words: string) {
  return { error: words, message: words, errors: [{ code: 'DENIED', message: words, detail: words }] };
}

function plain(words: string): EdgeRefusal {
  return refusal(words, 'text/plain; charset=utf-8', `${words}\n`);
}

function refusal(words: string, type: string, body: string): EdgeRefusal {
  return { status: 403, reason: asReason(words), headers: [['Content-Type', type]], body };
}

const maxReasonChars = 200;

function asReason(words: string): string {
  return words.replace(/[^ -~]+/g, ' ').slice(0, maxReasonChars);
}

function asXml(words: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return words.replace(/[&<>"]/g, (sign) => names[sign] ?? sign);
}

/** git shows the body of an error to nobody, but the report of a push with its reasons. */
function pushRefusal(request: EdgeRequest, sentence: string): EdgeRefusal | undefined {
  const asked = readRequest(request);
  if (!asked.path.endsWith('/git-receive-pack') || request.method !== 'POST') return undefined;
  const push = readPush(bodyStartOf(asked) ?? request.bodyStart);
  const status = ['report-status', 'report-status-v2'].some((each) => push?.capabilities.has(each));
  if (!push || !status) return undefined;
  const reason = asReason(sentence).slice(0, maxReasonChars);
  const report = [
    'unpack ok\n',
    ...push.updates.map(({ ref, after }) => `ng ${ref} ${isNone(after) ? 'deletion ' : ''}${reason}\n`),
  ];
  const lines = `${report.map(packet).join('')}0000`;
  const isBanded = push.capabilities.has('side-band-64k') || push.capabilities.has('side-band');
  return {
    status: 200,
    reason: 'OK',
    headers: [
      ['Content-Type', 'application/x-git-receive-pack-result'],
      ['Cache-Control', 'no-cache'],
    ],
    body: isBanded ? `${packet(`\u0002Sekisho: ${sentence}\n`)}${banded(lines)}0000` : lines,
  };
}

function packet(line: string): string {
  return `${(Buffer.byteLength(line) + 4).toString(16).padStart(4, '0')}${line}`;
}

/** The report in packets of band 1, which the narrower band limits to a thousand bytes. */
function banded(lines: string): string {
  const parts = lines.match(/[\s\S]{1,300}/g) ?? [];
  return parts.map((part) => packet(`\u0001${part}`)).join('');
}
