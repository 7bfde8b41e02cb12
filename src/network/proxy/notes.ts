import type { ContactOutcome, NetworkContact, SentRequest } from '../../contract/capabilities/process.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { counted } from '../../ground/counted.ts';

/** A program reports only that its proxy refused; these notes tell the reader what would help. `key` names the list. */
export function networkNotes(network: readonly NetworkContact[], key = 'process.network'): readonly string[] {
  return network.flatMap(({ host, outcome, requests }) => {
    if (host === 'signing' && requests !== undefined)
      return requests.map((request) => `[signing: ${signingNote(request)}]\n`);
    if (requests !== undefined) return [`[network: ${requestNote(host, outcome, requests)}]\n`];
    const what = notes[outcome]?.replace('KEY', key);
    return what === undefined ? [] : [`[network: ${host} ${what}]\n`];
  });
}

const notes: Readonly<Record<ContactOutcome, string | undefined>> = {
  reached: undefined,
  unlisted: 'may not be reached; the operator can list it in KEY',
  inner: 'leads to no public address; the operator can list the address itself, with its port, in KEY',
  misnamed: 'was asked for, and the greeting of TLS was for another host or hid its name',
  failed: 'did not answer',
  refused: undefined,
  untrusted:
    'is inspected, and a program did not trust the certificate for that; the operator can list the host with "tls": "tunnel" in KEY',
  unverified: 'is inspected, and its own certificate could not be verified',
};

function requestNote(host: string, outcome: ContactOutcome, requests: readonly SentRequest[]): string {
  const which = `${counted(requests.length, 'request')} to ${host}`;
  return outcome === 'reached'
    ? `sent ${which}: ${listed(requests)}`
    : `did not send ${which}: ${listed(requests)}. ${cleanLine(requests.at(-1)?.because ?? '').slice(0, mostChars)}`;
}

function signingNote({ path, allowedBy, because = '' }: SentRequest): string {
  const what = path === '' ? 'nothing was signed' : `the ${path.slice(1)} was not signed`;
  return allowedBy === undefined
    ? `${what}. ${cleanLine(because).slice(0, mostChars)}`
    : `a ${path.slice(1)} was signed, allowed by ${cleanLine(allowedBy)}`;
}

function listed(requests: readonly SentRequest[]): string {
  const shown = requests.slice(0, mostShown).map(({ method, path, allowedBy }) => {
    const by = allowedBy === undefined ? '' : `, allowed by ${allowedBy}`;
    return cleanLine(`${`${method} ${path}`.trim()}${by}`);
  });
  return [...shown, ...(requests.length > mostShown ? ['…'] : [])].join('; ');
}

const mostShown = 8;
const mostChars = 300;
