import type { SecretRule } from '../../../contract/capabilities/secrets.ts';
import { parseHost } from '../../rules.ts';

interface Held {
  readonly rule: SecretRule;
  readonly standIn: string;
}

/**
 * Files of the home folder in which programs look for a login, with stand-ins, by their paths below it. Only hosts that are
 * named exactly have one. `.netrc` has those whose secret is nothing but a password: Python's requests would otherwise
 * replace the login of a script by it.
 */
export function homeFiles(held: readonly Held[]): ReadonlyMap<string, string> {
  const logins = held.flatMap(({ rule, standIn }) =>
    rule.hosts
      .map((entry) => ({ ...parseHost(entry, 'hosts'), rule, standIn }))
      .filter(({ below }) => !below)
      .map(({ host, port, ...rest }) => ({
        ...rest,
        host,
        place: port === undefined ? host : `${host}:${port}`,
      })),
  );
  const npm = logins.filter(({ rule }) => rule.as.includes('bearer'));
  const basic = logins.filter(({ rule }) => rule.as.includes('basic'));
  const netrc = basic.filter(({ rule }) => rule.as.length === 1);
  const pypi = basic.filter(({ host }) => uploads.has(host));
  const gh = npm.filter(({ place }) => /^(api\.github\.com|github\.(?!com$)[^:]+)$/.test(place));
  const aws = new Map(held.flatMap(awsProfile));
  const files = {
    '.npmrc': npm.map(({ place, standIn }) => `//${place}/:_authToken=${standIn}\n`),
    '.netrc': netrc.map(
      ({ host, rule, standIn }) => `machine ${host} login ${rule.username} password ${standIn}\n`,
    ),
    '.pypirc': pypi.map(
      ({ host, standIn }) => `[${uploads.get(host)}]\nusername = __token__\npassword = ${standIn}\n`,
    ),
    '.docker/config.json':
      basic.length > 0 ? [JSON.stringify({ auths: Object.fromEntries(basic.map(dockerLogin)) })] : [],
    // JSON is valid YAML.
    '.config/gh/hosts.yml': gh.length > 0 ? [JSON.stringify(Object.fromEntries(gh.map(ghLogin)))] : [],
    // Without a version, gh migrates hosts.yml, and asks the host for the name of its user.
    '.config/gh/config.yml': gh.length > 0 ? ['version: "1"\n'] : [],
    '.aws/credentials': [...aws].map(([name, lines]) => `[${name}]\n${lines}`),
  };
  return new Map(
    Object.entries(files).flatMap(([path, lines]) =>
      lines.length > 0 ? [[path, lines.join('')] as const] : [],
    ),
  );
}

/** Variables of programs that read their login there first, by the host that they log in to. */
export function loginVariables(held: readonly Held[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    held.flatMap(({ rule, standIn }) =>
      rule.hosts
        .flatMap((host) => (rule.as.includes('bearer') ? [host] : []))
        .flatMap((host) => (variables.get(host) ?? []).map((name) => [name, standIn] as const)),
    ),
  );
}

const variables: ReadonlyMap<string, readonly string[]> = new Map([
  ['api.github.com', ['GH_TOKEN']],
  ['crates.io', ['CARGO_REGISTRY_TOKEN']],
  ['huggingface.co', ['HF_TOKEN']],
  ['gitlab.com', ['GITLAB_TOKEN']],
]);

/** The names by which twine knows them. */
const uploads: ReadonlyMap<string, string> = new Map([
  ['upload.pypi.org', 'pypi'],
  ['test.pypi.org', 'testpypi'],
]);

function dockerLogin({ place, rule, standIn }: { readonly place: string } & Held) {
  const name = place === 'auth.docker.io' ? 'https://index.docker.io/v1/' : place;
  return [name, { auth: Buffer.from(`${rule.username}:${standIn}`).toString('base64') }] as const;
}

function ghLogin({ host, rule, standIn }: { readonly host: string } & Held) {
  const user = { oauth_token: standIn, user: rule.username, git_protocol: 'https' };
  return [host.replace(/^api\.(?=github\.com$)/, ''), user] as const;
}

/** The key in the standard variables becomes the profile `default`; any other profile has the name of its secret. */
function awsProfile({ rule, standIn }: Held): [name: string, lines: string][] {
  if (!rule.as.includes('sigv4')) return [];
  const names = ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'];
  const lines = standIn.split(':').map((part, index) => `${names[index]} = ${part}\n`);
  return [[rule.variable === 'AWS' ? 'default' : rule.name, lines.join('')]];
}
