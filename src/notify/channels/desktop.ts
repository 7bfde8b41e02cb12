import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { text } from '../../contract/text/text.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { DeliveryFailure } from '../failure.ts';
import type { Notice } from '../notice.ts';

const run = promisify(execFile);

type Environment = Readonly<Record<string, string | undefined>>;

/** Calls `Notify` of freedesktop on the session bus, by busctl (systemd), gdbus (GLib) or notify-send (libnotify). */
export async function sendDesktop(
  notice: Notice,
  environment: Environment,
  signal: AbortSignal,
): Promise<void> {
  if (!environment.DBUS_SESSION_BUS_ADDRESS && !environment.XDG_RUNTIME_DIR)
    throw new DeliveryFailure(
      text(
        'The server runs outside of a desktop session.',
        'サーバーはデスクトップのセッション外で動いています。',
      ),
      { isFinal: true },
    );
  const env = Object.fromEntries(
    [
      'PATH',
      'HOME',
      'DBUS_SESSION_BUS_ADDRESS',
      'XDG_RUNTIME_DIR',
      'DISPLAY',
      'WAYLAND_DISPLAY',
      'LANG',
    ].flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
  for (const { program, args } of speakers(notice)) {
    try {
      await run(program, args, { env, signal, timeout: 5000 });
      return;
    } catch (error) {
      // Another of them may be installed.
      if (errnoCode(error) === 'ENOENT') continue;
      throw new DeliveryFailure(
        text(
          `${program} could not show it on the desktop.`,
          `${program} でデスクトップに表示できませんでした。`,
        ),
      );
    }
  }
  throw new DeliveryFailure(
    text(
      'None of busctl, gdbus and notify-send is installed.',
      'busctl、gdbus、notify-send のいずれもインストールされていません。',
    ),
    { isFinal: true },
  );
}

function speakers({ title, body: words, link }: Notice) {
  // Most desktops interpret the body as markup; a caller's text must stay text.
  const body = escaped([words, link].filter((part) => part !== undefined && part !== '').join('\n'));
  const name = 'org.freedesktop.Notifications';
  const path = '/org/freedesktop/Notifications';
  return [
    {
      program: 'busctl',
      args: [
        ...['--user', '--quiet', '--', 'call', name, path, name, 'Notify', 'susssasa{sv}i'],
        ...['Sekisho', '0', 'dialog-question', title, body, '0', '1', 'urgency', 'y', '2', '-1'],
      ],
    },
    {
      program: 'gdbus',
      args: [
        ...['call', '--session', '--dest', name, '--object-path', path, '--method', `${name}.Notify`, '--'],
        ...[variant('Sekisho'), '0', variant('dialog-question'), variant(title), variant(body)],
        ...['@as []', "{'urgency': <byte 2>}", '-1'],
      ],
    },
    {
      program: 'notify-send',
      args: ['--app-name=Sekisho', '--urgency=critical', '--icon=dialog-question', '--', title, body],
    },
  ];
}

/** A string in GVariant's text form. */
function variant(words: string): string {
  return `'${words.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
}

function escaped(words: string): string {
  return words.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
