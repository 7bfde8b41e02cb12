import type { CommandLine } from '../../contract/capabilities/process.ts';
import { commandText } from '../commands-options.ts';

/**
 * Variables for commands without network access. Package managers retry for half a minute if no answer can come; with
 * these they fail at once, with their own messages. Their offline modes would also refuse a registry on the command's
 * own loopback. Variables that the operator allows stay unchanged.
 */
export function withoutRetries(allowed: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(Object.entries(retries).filter(([name]) => !allowed.includes(name)));
}

const retries: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: '0',
  pnpm_config_fetch_retries: '0',
  YARN_HTTP_RETRY: '0',
  CARGO_NET_RETRY: '0',
  UV_HTTP_RETRIES: '0',
  // With 0 it does not say what failed.
  PIP_RETRIES: '1',
};

/** Notes for a failed command whose output or exit code shows that it needed the network. */
export function cutOffNotes(
  outputs: readonly string[],
  { command, exitCode, key = 'process.network' }: CutOff,
): readonly string[] {
  if (
    !saysSo(outputs) &&
    !silentEnds.some(({ code, program }) => code === exitCode && program.test(commandText(command)))
  )
    return [];
  return [`[network: commands reach no host; the operator can list those they need in ${key}]\n`];
}

/** The note for a failed command that asked no proxy for a host, and did not find it. */
export function aroundProxyNotes(outputs: readonly string[]): readonly string[] {
  if (!saysSo(outputs) && !outputs.some((output) => refusedSsh.test(output.slice(-lastChars)))) return [];
  return [
    '[network: without the proxy only hosts are found that are listed by their exact name, at ports 443 and 80 and those in the list; use https instead of ssh]\n',
  ];
}

const refusedSsh = /^ssh: connect to host (?!localhost\b|127\.)\S+ port 22: Connection refused/m;

function saysSo(outputs: readonly string[]): boolean {
  return outputs.some((output) => lookedForNetwork.test(output.slice(-lastChars)));
}

interface CutOff {
  readonly command: CommandLine;
  readonly exitCode: number;
  readonly key?: string | undefined;
}

/** With -s and -q these programs report it only by their exit code. */
const silentEnds = [
  { program: /\bcurl\b/, code: 6 },
  { program: /\bwget\b/, code: 4 },
];

/** A failing program gives the reason at its end. */
const lastChars = 16_384;

// Messages of the C library, and of resolvers without it: Node, Go, Rust, npm's cache.
const lookedForNetwork = new RegExp(
  [
    "Could(?: not|n't) resolve (?:proxy|host)",
    'Temporary failure in name resolution',
    'Name or service not known',
    'unable to resolve host address',
    '\\bUnknownHostException\\b',
    'failed to lookup address information',
    '\\bEAI_AGAIN\\b',
    'getaddrinfo ENOTFOUND',
    '\\bENOTCACHED\\b',
    '\\bENETUNREACH\\b',
    'Network is unreachable',
    'dial tcp: lookup ',
  ].join('|'),
  'i',
);
