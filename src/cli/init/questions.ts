import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { networkSets, registriesOf } from '../../config/network-sets.ts';
import { existingFolder } from '../../config/places/roots.ts';
import { type ProfileName, profiles } from '../../config/profiles.ts';
import { ConfigError, oneOf } from '../../contract/error.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import { type ClientName, clientConfig, clientNames } from '../clients.ts';
import { hookedClients } from './hooked-clients.ts';

export interface Answers {
  readonly folder: string;
  readonly profile: ProfileName;
  readonly client: ClientName;
  /** Sets of hosts that commands may reach. */
  readonly network: readonly string[];
  readonly ownTools: OwnTools;
}

/** The handling of the client's own shell and file tools. */
export type OwnTools = 'keep' | 'hooks' | 'off';

/** The choices that `init` can carry out for this client. */
export function ownToolsOf(client: ClientName): readonly OwnTools[] {
  const { off } = clientConfig(client, '', []);
  return ['keep', ...(hookedClients.has(client) ? ['hooks' as const] : []), ...(off ? ['off' as const] : [])];
}

/** Only this profile installs a project's dependencies. */
export function networkFor(profile: ProfileName, folder: string): readonly string[] {
  return profile === 'coding' ? registriesOf(folder) : [];
}

/** Asks a person at the terminal; Enter takes the default. Undefined if they leave by Ctrl-C or Ctrl-D. */
export async function askPerson(
  given: Omit<Answers, 'network' | 'ownTools'>,
  locale: Locale,
): Promise<Answers | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const folder = await question(terminal, questions.folder[locale], given.folder, locale, (answer) =>
      existingFolder(resolve(answer.replace(/^~(?=\/|$)/, homedir()))),
    );
    for (const name of profileNames)
      process.stderr.write(`  ${name.padEnd(8)} ${profiles[name].summary[locale]}\n`);
    const profile = await question(terminal, questions.profile[locale], given.profile, locale, (answer) =>
      oneOf(questions.itsProfile, answer, profileNames),
    );
    const client = await question(
      terminal,
      `${questions.client[locale]} (${clientNames.join(', ')})`,
      given.client,
      locale,
      (answer) => oneOf(questions.itsClient, answer, clientNames),
    );
    const found = networkFor(profile, folder);
    const network =
      found.length === 0
        ? found
        : await question(terminal, questions.network[locale], found.join(', '), locale, registriesNamed);
    const choices = ownToolsOf(client);
    const ownTools =
      choices.length === 1
        ? 'keep'
        : await question(
            terminal,
            `${questions.ownTools[locale]} (${choices.join(', ')})`,
            'keep',
            locale,
            (answer) => oneOf(questions.itsTools, answer, choices),
          );
    return { folder, profile, client, network, ownTools };
  } catch (error) {
    if ((error as Error).name === 'AbortError') return undefined;
    throw error;
  } finally {
    terminal.close();
  }
}

export const profileNames = Object.keys(profiles) as ProfileName[];

/** Asks until the answer is valid, so that a slip does not restart all questions. */
async function question<T>(
  terminal: Interface,
  words: string,
  otherwise: string,
  locale: Locale,
  take: (answer: string) => T,
): Promise<T> {
  for (;;) {
    const answer = (await terminal.question(`${words} [${otherwise}] `)).trim();
    try {
      return take(answer === '' ? otherwise : answer);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      process.stderr.write(`${error.text[locale]} ${questions.again[locale]}\n`);
    }
  }
}

const questions = {
  folder: text('Which folder may tools see?', 'ツールから見えるフォルダーは?'),
  profile: text('Which profile?', 'プロファイルは?'),
  client: text('Which client?', 'クライアントは?'),
  network: text(
    'Which registries may commands reach, or none?',
    'コマンドが接続してよいレジストリは?（なければ none）',
  ),
  ownTools: text(
    "The client's own shell and file tools bypass all this: keep them, judge them with hooks, or switch them off?",
    'クライアント自身のシェルとファイルのツールは Sekisho を通りません。そのまま（keep）、フックで審査（hooks）、無効化（off）のどれにしますか?',
  ),
  itsTools: text('The choice', '選択'),
  itsProfile: text('The profile', 'プロファイル'),
  itsClient: text('The client', 'クライアント'),
  again: text('Once more, please.', 'もう一度入力してください。'),
} as const;

/** A person's answer: names of sets, or none. Throws `ConfigError` that lists them. */
function registriesNamed(answer: string): readonly string[] {
  const names = [...new Set(answer.split(/[\s,]+/).filter((name) => name !== ''))];
  if (names.length === 1 && names[0] === noRegistry) return [];
  const unknown = names.find((name) => !Object.hasOwn(networkSets, name));
  if (unknown === undefined) return names;
  const known = [...Object.keys(networkSets), noRegistry];
  throw new ConfigError(
    `Each must be one of ${known.join(', ')}, got ${JSON.stringify(unknown)}.`,
    `${known.join('、')} のいずれかを指定してください（指定値: ${JSON.stringify(unknown)}）。`,
  );
}

const noRegistry = 'none';
