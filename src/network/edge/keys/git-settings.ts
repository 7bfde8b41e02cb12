import type { SecretRule } from '../../../contract/capabilities/secrets.ts';
import { parseHost } from '../../rules.ts';

type Setting = readonly [name: string, value: string];

/**
 * Settings by which git logs in to the hosts of a credential, and goes to them over https where an address is for ssh:
 * there its requests are read, and a push is judged.
 */
export function gitSettingsFor(rule: SecretRule): readonly Setting[] {
  if (!rule.as.includes('basic')) return [];
  return rule.hosts.flatMap((entry) => [
    [`credential.https://${entry}.helper`, helperFor(rule)] as const,
    ...sshForms(entry).map((form): Setting => [`url.https://${entry}/.insteadOf`, form]),
  ]);
}

/** The names of hosts whose addresses for ssh lead to https. */
export function hostsOverHttps(rules: readonly SecretRule[]): readonly string[] {
  const all = rules.flatMap(({ as, hosts }) => (as.includes('basic') ? hosts : []));
  return all.map((entry) => parseHost(entry, 'secrets')).flatMap(({ host, below }) => (below ? [] : [host]));
}

/** The beginnings of addresses for ssh: git compares whole beginnings, so each user and port is one of its own. */
function sshForms(entry: string): readonly string[] {
  const { host, below } = parseHost(entry, 'secrets');
  if (below) return [];
  const name = host.includes(':') ? `[${host}]` : host;
  return ['git@', ''].flatMap((user) => [
    ...[`${user}${name}:`, `${user}${name}:/`],
    ...['', ...usualPorts.map((port) => `:${port}`)].map((port) => `ssh://${user}${name}${port}/`),
  ]);
}

/** Ports at which git servers listen for ssh. */
const usualPorts = [22, 222, 443, 2222, 10022];

/** git runs it by the shell, which finds the stand-in in the variable. */
function helperFor({ username, variable }: SecretRule): string {
  return `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' '${username}' "$${variable}"; }; f`;
}
