import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { loadSettings } from '../config/load.ts';
import { type ProfileName, profiles } from '../config/profiles.ts';
import { configFolderOf, homeOf } from '../config/state.ts';
import { ConfigError } from '../contract/error.ts';
import { type ClientName, clientConfig, clientNames } from './clients.ts';
import { say } from './say.ts';

type Options = Readonly<Record<string, unknown>>;

interface Answers {
  readonly folder: string;
  readonly profile: ProfileName;
  readonly client: ClientName;
}

const schemaUrl = 'https://unpkg.com/sekisho/docs/sekisho.schema.json';

/**
 * Writes `sekisho.jsonc` and prints what to paste into a client. Asks where a terminal is there; with `--yes`, or
 * without a terminal, takes the defaults and the options. Never overwrites a file unless told to.
 */
export async function init(options: Options): Promise<number> {
  const path = resolve(
    String(options.out ?? join(configFolderOf(process.env, homeOf(process.env)), 'sekisho.jsonc')),
  );
  if (existsSync(path) && !options.force) {
    throw new ConfigError(
      `${path} is already there. \`--force\` replaces it, \`--out FILE\` writes another.`,
    );
  }
  const answers = await ask(options).catch((error: unknown) => {
    if ((error as Error).name === 'AbortError') return undefined;
    throw error;
  });
  if (!answers) {
    process.stderr.write('\nNothing was written.\n');
    return 1;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, configFor(answers), { mode: 0o600 });
  // What was written must load; a file that would stop the next start is a mistake of ours, found here.
  loadSettings({ config: path });
  const { file, words } = clientConfig(answers.client, 'npx', ['-y', 'sekisho', 'serve', '--config', path]);
  say(
    `Wrote ${path}.\n\nPut this into ${file}:\n\n${words}\n\n\`sekisho doctor\` says what works on this machine.`,
  );
  return 0;
}

async function ask(options: Options): Promise<Answers> {
  const profileNames = Object.keys(profiles) as ProfileName[];
  const given = {
    folder: resolve(String(options.root ?? process.cwd())),
    profile: oneOf('--profile', String(options.profile ?? 'coding'), profileNames),
    client: oneOf('--client', String(options.client ?? 'claude'), clientNames),
  };
  if (options.yes || !process.stdin.isTTY) return given;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const folder = await question(terminal, 'Which folder may tools see?', given.folder);
    for (const name of profileNames)
      process.stderr.write(`  ${name.padEnd(8)} ${profiles[name].summary.en}\n`);
    const profile = await question(terminal, 'Which profile?', given.profile);
    const client = await question(terminal, `Which client (${clientNames.join(', ')})?`, given.client);
    return {
      folder: resolve(folder),
      profile: oneOf('The profile', profile, profileNames),
      client: oneOf('The client', client, clientNames),
    };
  } finally {
    terminal.close();
  }
}

async function question(terminal: Interface, words: string, otherwise: string): Promise<string> {
  const answer = (await terminal.question(`${words} [${otherwise}] `)).trim();
  return answer === '' ? otherwise : answer;
}

function configFor({ folder, profile }: Answers): string {
  return `{
  "$schema": ${JSON.stringify(schemaUrl)},
  // ${profiles[profile].summary.en}
  "profile": ${JSON.stringify(profile)},
  // Folders that tools may see; the first is where relative paths begin.
  "roots": [${JSON.stringify(folder)}],
  // read-only, workspace-write (a person is asked for what is risky) or full-access
  "mode": "workspace-write",
  // Your own rules; the strictest of all that fit wins.
  "rules": []
}
`;
}

function oneOf<T extends string>(what: string, value: string, among: readonly T[]): T {
  const found = among.find((candidate) => candidate === value);
  if (found === undefined) {
    throw new ConfigError(`${what} must be one of ${among.join(', ')}, got ${JSON.stringify(value)}.`);
  }
  return found;
}
