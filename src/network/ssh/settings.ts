import type { SshAccess, SshHost } from '../../contract/capabilities/signing.ts';

/** The folder of the sandbox in which commands find the socket of our agent, and the program that signs commits. */
export const signingFolder = '/run/sekisho';

/** The files below `/etc` by which ssh finds the hosts' keys and no others. */
export function sshSettings({ hosts }: SshAccess): readonly (readonly [path: string, content: string])[] {
  const known = hosts.flatMap(({ host, port, keys }) => keys.map((key) => `${nameFor(host, port)} ${key}\n`));
  return [
    ['ssh/ssh_known_hosts', known.join('')],
    ['ssh/ssh_config', [...hosts.map((each) => portOf(each, hosts)), everywhere].join('')],
  ];
}

/** As known_hosts files name it. */
export function nameFor(host: string, port: number): string {
  return port === 22 ? host : `[${host}]:${port}`;
}

/** A host that is listed with one port only needs none in its address. */
function portOf({ host, port }: SshHost, all: readonly SshHost[]): string {
  const isOnly = all.every((other) => other.host !== host || other.port === port);
  return isOnly && port !== 22 ? `Host ${host}\n\tPort ${port}\n` : '';
}

const everywhere = [
  'Host *',
  'GlobalKnownHostsFile /etc/ssh/ssh_known_hosts',
  'UserKnownHostsFile /dev/null',
  'StrictHostKeyChecking yes',
  'UpdateHostKeys no',
  'ForwardAgent no',
  // Nobody could type a password.
  'BatchMode yes\n',
].join('\n\t');
