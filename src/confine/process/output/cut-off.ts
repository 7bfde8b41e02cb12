import type { CommandLine } from '../../../contract/capabilities/process.ts';

/**
 * Variables for commands that reach no network. Package managers ask again and again for half a minute where no answer
 * can come; without that they fail at once, in their own words. Not their offline modes: those would refuse a registry
 * on the command's own loopback as well. What the operator lets through stays as it is.
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
  // With none it does not say what failed.
  PIP_RETRIES: '1',
};

/** What a failed command should have been told, where its output, or its exit code, says that it looked for the network. */
export function cutOffNotes(
  outputs: readonly string[],
  { command, exitCode, key = 'process.network' }: CutOff,
): readonly string[] {
  const said = outputs.some((output) => lookedForNetwork.test(output.slice(-lastChars)));
  if (!said && !silentEnds.some(({ code, program }) => code === exitCode && program.test(wordsOf(command))))
    return [];
  return [`[network: commands reach no host; the operator can list those they need in ${key}]\n`];
}

interface CutOff {
  readonly command: CommandLine;
  readonly exitCode: number;
  readonly key?: string | undefined;
}

/** With -s and -q they say it by their exit code alone. */
const silentEnds = [
  { program: /\bcurl\b/, code: 6 },
  { program: /\bwget\b/, code: 4 },
];

function wordsOf(command: CommandLine): string {
  return command.kind === 'script' ? command.script : command.program;
}

/** A program that gives up says why at its end. */
const lastChars = 16_384;

// The words of the C library, and of the resolvers that do without it: Node, Go, Rust, npm's cache.
const lookedForNetwork = new RegExp(
  [
    "Could(?: not|n't) resolve (?:proxy|host)",
    'Temporary failure in name resolution',
    'Name or service not known',
    'unable to resolve host address',
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
