import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { SshAccess, SshHost } from '../../contract/capabilities/signing.ts';
import { ConfigError } from '../../contract/error.ts';
import { orElse } from '../../ground/or-else.ts';
import { flag, section, word } from '../section.ts';

const list = (item: z.ZodString) => z.array(item).min(1);

export const signingSchema = section({
  ssh: section({
    hosts: list(z.string().regex(/^[\w.-]+(:\d{1,5})?$/)).describe(
      'The hosts at which your ssh agent signs commands in, e.g. ["github.com", "git.example.com:2222"]. Commands may reach them; each session is asked about.',
    ),
    keys: list(z.string().regex(/^SHA256:[\w+/]{43}$/)).describe(
      'The keys that commands may use, as `ssh-add -l` shows them: ["SHA256:…"]. Default: all that the agent has.',
    ),
    hostKeys: list(z.string().min(1)).describe(
      'The keys of the hosts, as lines of a known_hosts file. Default: those of ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts.',
    ),
    agent: word("The agent's socket. Default: the server's SSH_AUTH_SOCK."),
  }),
  commits: flag(
    'Commands have commits and tags signed with your git settings (user.signingKey, gpg.format), by your own gpg or ssh-keygen. Each signature is asked about.',
  ),
});

export interface SigningSettings {
  readonly ssh: SshAccess | undefined;
  readonly commits: boolean;
}

/** Throws `ConfigError` if no key of a host is known, so that nobody could tell it from another. */
export function signingOf(
  { ssh, commits = false }: z.input<typeof signingSchema> = {},
  {
    cwd,
    home,
    environment,
  }: { readonly cwd: string; readonly home: string; readonly environment: NodeJS.ProcessEnv },
): SigningSettings {
  if (!ssh?.hosts) return { ssh: undefined, commits };
  const files = [join(home, '.ssh/known_hosts'), '/etc/ssh/ssh_known_hosts'];
  const lines = ssh.hostKeys ?? files.map((path) => orElse(() => readFileSync(path, 'utf8'), ''));
  const hosts = ssh.hosts.map((entry): SshHost => {
    const [name = '', port = '22'] = entry.split(':');
    const host = { host: name.toLowerCase(), port: Number(port) };
    const keys = knownKeys(lines.join('\n'), host);
    if (keys.length > 0) return { ...host, keys };
    throw new ConfigError(
      `signing.ssh.hosts names ${entry}, whose key is not known. Connect to it once by ssh yourself, or write its key in signing.ssh.hostKeys.`,
      `signing.ssh.hosts の ${entry} の鍵が分かりません。一度自分で ssh 接続するか、signing.ssh.hostKeys に鍵を書いてください。`,
    );
  });
  const agent = ssh.agent === undefined ? environment.SSH_AUTH_SOCK : resolve(cwd, ssh.agent);
  return { ssh: { hosts, agent, keys: ssh.keys }, commits };
}

/** The keys of a host in a known_hosts file (sshd(8)), without revoked ones, authorities and patterns. */
export function knownKeys(file: string, { host, port }: Omit<SshHost, 'keys'>): readonly string[] {
  const name = port === 22 ? host : `[${host}]:${port}`;
  const lines = file.split(/\r?\n/).flatMap((line) => {
    const [, marker, hosts = '', key = ''] =
      /^(@[\w-]+\s+)?([^\s#]\S*)\s+(\S+\s+[\w+/]+={0,3})/.exec(line) ?? [];
    return hosts.split(',').some((each) => isName(each, name))
      ? [{ marker, key: key.replace(/\s+/, ' ') }]
      : [];
  });
  const isRevoked = (key: string) => lines.some((line) => line.marker && line.key === key);
  return [...new Set(lines.map(({ key }) => key))].filter((key) => !isRevoked(key));
}

/** Names may be hashed: `|1|salt|hash`. */
function isName(written: string, name: string): boolean {
  const [, salt, hash] = /^\|1\|([^|]+)\|([^|]+)$/.exec(written) ?? [];
  if (salt === undefined) return written.toLowerCase() === name;
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
}
