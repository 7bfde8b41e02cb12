import { request as send } from 'node:https';
import { isIP } from 'node:net';
import type { Carrying, SecretRule, Secrets } from '../../../contract/capabilities/secrets.ts';
import { type Text, text } from '../../../contract/text/text.ts';
import type { Field } from '../fields.ts';
import type { EdgeRequest } from '../request.ts';
import { Keys, replaceInFields } from './keys.ts';

/**
 * Reads a URL with a credential, by the rules that hold for commands, and returns the status of the answer, whose body is not
 * read. Rejects if the host cannot be reached. `authorities`: whom to trust, in PEM.
 */
export async function sendOnce(
  secrets: Secrets,
  { rule, url, authorities }: { readonly rule: SecretRule; readonly url: URL; readonly authorities: string },
): Promise<{ readonly status: number } | { readonly because: Text }> {
  const keys = new Keys({ ...secrets, rules: [rule] });
  const place = rule.as.find((each) => !['body', 'path', 'sigv4'].includes(each));
  if (place === undefined) return { because: nowhere(rule.name) };
  const carried = carriedAs(place, rule, keys.environment[rule.variable] ?? '');
  if (carried.query) url.searchParams.set(...carried.query);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const request: EdgeRequest = {
    method: 'GET',
    scheme: url.protocol === 'https:' ? 'https' : 'http',
    host,
    port: Number(url.port || 443),
    target: url.pathname + url.search,
    headers: [['User-Agent', 'sekisho'], ...carried.fields],
    bodyStart: Buffer.alloc(0),
    bodyIsWhole: true,
    bodyBytes: 0,
  };
  const lent = keys.lend(request, () => {});
  if (!lent || 'because' in lent) return { because: lent?.because ?? nowhere(rule.name) };
  const fields = lent.uses.reduce(
    (rest, { standIn, value }) => replaceInFields(rest, standIn, value),
    request.headers,
  );
  return new Promise((resolve, reject) => {
    const outgoing = send({
      host,
      port: request.port,
      path: lent.path,
      headers: { Host: url.host, ...Object.fromEntries(fields) },
      ca: authorities,
      ...(isIP(host) === 0 && { servername: host }),
      signal: AbortSignal.timeout(patienceMs),
    });
    outgoing.once('error', reject).once('response', (response) => {
      resolve({ status: response.statusCode ?? 0 });
      response.destroy();
    });
    outgoing.end();
  });
}

const patienceMs = 30_000;

function carriedAs(
  place: Carrying,
  { username }: SecretRule,
  standIn: string,
): { readonly fields: readonly Field[]; readonly query?: [name: string, value: string] } {
  const [kind, name = ''] = place.split(':');
  if (kind === 'query') return { fields: [], query: [name, standIn] };
  if (kind === 'header') return { fields: [[name, standIn]] };
  const basic = Buffer.from(`${username}:${standIn}`).toString('base64');
  return { fields: [['Authorization', kind === 'basic' ? `Basic ${basic}` : `Bearer ${standIn}`]] };
}

function nowhere(name: string): Text {
  return text(
    `secrets.${name}.as has no place in a request without a body: try a command instead.`,
    `secrets.${name}.as に、本文のないリクエストで使える場所がありません。コマンドで試してください。`,
  );
}
