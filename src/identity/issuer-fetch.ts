import { isSecureUrl } from '../ground/secure-url.ts';

/** Metadata and keys are small; larger responses are wrong. */
const maxBytes = 512 * 1024;
const timeoutMs = 10_000;

/** A JSON document of an issuer. No redirects: an issuer must publish under its own address. */
export async function fetchJson(url: string): Promise<unknown> {
  if (!isSecureUrl(new URL(url))) throw new Error(`${url} is not https`);
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json, application/jwk-set+json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw new Error(`${url} answered with too much`);
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}
