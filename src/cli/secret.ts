import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { loadSettings } from '../config/load.ts';
import type { SecretSettings } from '../config/secrets/secrets.ts';
import type { Flags } from '../config/settings.ts';
import { ConfigError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { whyUnfit } from '../ground/secrets/stand-in.ts';
import type { Options } from './common/options.ts';
import { inLocale, note, say, sayList, sayWhether } from './common/say.ts';
import { withOperator } from './common/with-operator.ts';

/** Keeps the value of a credential, which comes from the input or is typed unseen: others could see a command line. */
export async function setSecret(name: string, flags: Flags): Promise<number> {
  const settings = settingsOf(name, flags);
  if (settings.from !== undefined && settings.from !== 'keyring')
    throw new ConfigError(
      `The value of ${name} comes from secrets.${name}.from, so none is kept.`,
      `${name} の値は secrets.${name}.from から読まれるため、保存できません。`,
    );
  const value = await valueFromInput(name);
  const unfit = whyUnfit(value, settings.as);
  if (unfit) throw new ConfigError(unfit);
  return withOperator(flags, async ({ acts }) => {
    await acts.setSecret(name, value);
    say(
      text(
        `${name} is kept.${settings.commands ? ` Commands find its stand-in in ${settings.variable}.` : ''}`,
        `${name} を保存しました。${settings.commands ? `コマンドは ${settings.variable} で代わりの値を受け取ります。` : ''}`,
      ),
    );
    return 0;
  });
}

/** Each credential with its hosts, its variable and whether it has a value, which is never shown. */
export function listSecrets(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ checkpoint: { rooms, settings } }) => {
    const secrets = await rooms.secrets();
    const rows = settings.secrets.map(({ name, hosts, as, commands, ...rest }) => {
      const variable = commands ? rest.variable : '-';
      return { name, hosts, as, variable, isSet: secrets?.valueOf(name) !== undefined };
    });
    const none = text(
      'No secrets. Name them in `secrets` of the configuration.',
      'シークレットはありません。設定の `secrets` に追加してください。',
    );
    sayList(
      rows,
      options,
      ({ name, hosts, variable, isSet }) => [name, hosts.join(','), variable, inLocale(isSet ? set : notSet)],
      none,
    );
    return 0;
  });
}

/** Deletes the value of a credential. The next request of a running command goes without it. */
export function removeSecret(name: string, flags: Flags): Promise<number> {
  return withOperator(flags, async ({ acts }) =>
    sayWhether(
      await acts.setSecret(name, undefined),
      text(`${name} is removed.`, `${name} を削除しました。`),
      text(`No value of ${name} is kept.`, `${name} の値は保存されていません。`),
    ),
  );
}

/** Says whether a credential can be used, and the status of one request with it if a URL is named. Exit code 1 if not. */
export function testSecret(name: string, flags: Flags, { url }: Options): Promise<number> {
  const settings = settingsOf(name, flags);
  return withOperator(flags, async ({ checkpoint: { rooms } }) => {
    const why = (await rooms.secrets())?.whyNone(name);
    if (why) {
      say(text(`${name} cannot be used: ${why.en}`, `${name} は使えません。${why.ja}`));
      return 1;
    }
    const hosts = settings.hosts.join(', ');
    const as = settings.as.join(', ');
    say(
      text(
        `${name} has a value of a form that can be used. It may go to ${hosts} as ${as}.`,
        `${name} には使用できる形の値があります。送信先: ${hosts}、形式: ${as}。`,
      ),
    );
    if (url === undefined) return 0;
    const answer = await rooms.trySecret(name, String(url));
    if ('because' in answer) say(answer.because);
    else say(text(`${url} answers ${answer.status}.`, `${url} の応答は ${answer.status} です。`));
    return 'status' in answer && answer.status < 400 ? 0 : 1;
  });
}

const set = text('set', '設定済み');
const notSet = text('not set', '未設定');

function settingsOf(name: string, flags: Flags): SecretSettings {
  const settings = loadSettings(flags).secrets.find((each) => each.name === name);
  if (settings) return settings;
  throw new ConfigError(
    `There is no secret ${name} in the configuration: add secrets.${name} with its hosts first.`,
    `設定にシークレット ${name} がありません。先に secrets.${name} を hosts とともに追加してください。`,
  );
}

async function valueFromInput(name: string): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) return (await readAll(stdin)).replace(/\r?\n$/, '');
  note(
    text(
      `Type or paste the value of ${name}; it is not shown:`,
      `${name} の値を入力してください（表示されません）:`,
    ),
  );
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  using lines = createInterface({ input: stdin, output: unseen, terminal: true });
  return await lines.question('');
}
