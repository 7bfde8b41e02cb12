import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

/**
 * Sends one GET to addresses that were checked before: connects to these, not to those that a second look-up might
 * return, while the URL's own name is used for the Host header, SNI and the certificate check. Resolves with the head
 * of the response; does not follow redirects.
 */
export function request(
  url: URL,
  addresses: readonly string[],
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? https.request : http.request;
    // No shared agent: a kept connection could have been opened under another check.
    const outgoing = send(url, { agent: false, lookup: answerWith(addresses), headers, signal });
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    // `101 Switching Protocols` would give us a bare socket that is not read here.
    outgoing.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('the server switched protocols'));
    });
    outgoing.end();
  });
}

/** A look-up with a fixed result. Not called for hosts that are addresses, which were checked as such. */
export function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const wanted =
      options.family === 4 || options.family === 6
        ? answers.filter(({ family }) => family === options.family)
        : answers;
    const first = wanted[0];
    if (!first) callback(new Error('no address of this family'), '', 0);
    else if (options.all) callback(null, wanted);
    else callback(null, first.address, first.family);
  };
}
