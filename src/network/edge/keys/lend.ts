import { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import { inflateEither } from '../../body.ts';
import { endToEnd, type Field, valuesOf } from '../fields.ts';
import type { Answer, AnswerHead, Incoming } from '../incoming.ts';
import { awsPairOf } from './aws/signature.ts';
import { valueEncodings } from './forms.ts';
import { inLaterBody, type Lending, replaceInFields } from './keys.ts';
import { Replacement } from './replacement.ts';

/**
 * The request as its host gets it, with credentials in place of stand-ins; its answer shows stand-ins again. Undefined if it
 * was not signed with a stand-in that it names. `whole`: its body, if that decides.
 */
export function lend(
  incoming: Incoming,
  { uses, signing, inBody, shown, hider, forbidden, path, refused }: Lending,
  body: AsyncIterable<Buffer> | undefined,
  whole?: Buffer,
): { readonly incoming: Incoming; readonly path: string } | undefined {
  let fields = incoming.fields;
  for (const { standIn, value } of uses) fields = replaceInFields(fields, standIn, value);
  // A part of an answer could show a part of a credential. Compressed messages cannot be looked into.
  const left = [
    ...(uses.length > 0 ? ['range', 'if-range'] : []),
    ...(shown.length > 0 ? ['sec-websocket-extensions', 'grpc-accept-encoding'] : []),
  ];
  fields = fields.filter(([name]) => !left.includes(name.toLowerCase()));
  if (shown.length > 0) {
    fields = fields.map(([name, value]) =>
      name.toLowerCase() === 'accept-encoding' ? [name, readableOf(value)] : [name, value],
    );
  }
  const { method } = incoming;
  const signed = signing?.sign(
    { method, target: path, fields: endToEnd(fields) },
    awsPairOf(signing.value),
    whole,
  );
  if (signing && !signed) return undefined;
  const chunks = signed?.body;
  const pairs = inBody.flatMap(({ standIn, value }) =>
    valueEncodings.map((encode) => ({ from: encode(standIn), to: encode(value) })),
  );
  const hides = shown.length > 0;
  const checked =
    body &&
    bodyWith(
      pairs,
      withoutForms(body, forbidden, (name) => refused(inLaterBody, name)),
    );
  const sent = checked && Readable.from(checked, { objectMode: false });
  const lent: Incoming = {
    ...incoming,
    // The body's framing is not signed.
    fields: signed ? [...signed.fields, ...fields.filter(isFraming)] : fields,
    ...(sent && { body: chunks ? sent.compose(chunks) : sent }),
    ...(hides && { answer: (head) => hiding(incoming, head, hider), hider }),
  };
  return { incoming: lent, path: signed?.target ?? path };
}

function isFraming([name]: Field): boolean {
  return name.toLowerCase() === 'transfer-encoding';
}

async function* withoutForms(
  body: AsyncIterable<Buffer>,
  forbidden: Lending['forbidden'],
  leaked: (name: string) => void,
) {
  const longest = Math.max(0, ...forbidden.map(({ form }) => form.length));
  let before = '';
  for await (const chunk of body) {
    const words = before + chunk.toString('latin1').toLowerCase();
    const found = forbidden.find(({ form }) => words.includes(form));
    if (found) {
      leaked(found.name);
      throw new Error('a stand-in that may not go there');
    }
    before = longest > 0 ? words.slice(-longest) : '';
    yield chunk;
  }
}

function bodyWith(
  pairs: readonly { readonly from: string; readonly to: string }[],
  body: AsyncIterable<Buffer>,
) {
  return pairs.length > 0
    ? Readable.from(body, { objectMode: false }).compose(new Replacement(pairs).stream())
    : body;
}

/** Finds credentials in any form that the edge knows, and puts their stand-ins in their place. */
function hiding(incoming: Incoming, head: AnswerHead, hider: Replacement): Answer {
  const hasBody = incoming.method !== 'HEAD' && head.status !== 204 && head.status !== 304;
  const codings = valuesOf(head.fields, 'content-encoding').flatMap((value) =>
    value.toLowerCase().split(/[\s,]+/),
  );
  const makers = codings
    .filter((coding) => coding !== '' && coding !== 'identity')
    .map((coding) => decoders.get(coding));
  if (hasBody && makers.includes(undefined)) throw new Error(`an answer in ${codings.join(', ')}`);
  const isDecoded = hasBody && makers.length > 0;
  const fields = isDecoded ? endToEnd(head.fields, ['content-length', 'content-encoding']) : head.fields;
  const answer = incoming.answer({
    ...head,
    reason: hider.text(head.reason),
    fields: fields.map(([name, value]) => [hider.text(name), hider.text(value)]),
  });
  const endWith = (trailers: Parameters<Answer['end']>[0]) =>
    answer.end(trailers?.map(([name, value]) => [name, hider.text(value)]));
  if (!answer.body) return { body: undefined, end: endWith };
  const stages: Duplex[] = isDecoded ? makers.toReversed().flatMap((make) => make?.() ?? []) : [];
  const all = [...stages, hider.stream()];
  const [first = hider.stream()] = all;
  const written = pipeline([...all, answer.body], { end: false });
  // Its failure is met where the answer ends.
  written.catch(() => first.destroy());
  return {
    body: first,
    end(trailers) {
      first.end();
      written.then(
        () => endWith(trailers),
        () => incoming.abort(),
      );
    },
  };
}

const decoders: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', () => Duplex.from(inflateEither)],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/** Of the codings that a client takes, those that can be looked into. */
function readableOf(accepted: string): string {
  const readable = accepted
    .split(',')
    .filter((part) => decoders.has(part.split(';')[0]?.trim().toLowerCase() ?? ''));
  return readable.length > 0 ? readable.join(',') : 'identity';
}
