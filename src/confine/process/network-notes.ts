import type { ContactOutcome, NetworkContact } from '../../contract/capabilities/process.ts';

/** A program reports only that its proxy refused; these notes tell the reader what would help. `key` names the list. */
export function networkNotes(network: readonly NetworkContact[], key = 'process.network'): readonly string[] {
  return network.flatMap(({ host, outcome }) => {
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
};
