import { spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { Flags } from '../../config/settings.ts';
import { cleanText } from '../../contract/text/clean-text.ts';
import { text } from '../../contract/text/text.ts';
import { counted } from '../../ground/counted.ts';
import type { Options } from '../common/options.ts';
import { note, say } from '../common/say.ts';
import { wordsOf } from './report.ts';
import { serverOf, withUpstreams } from './server.ts';

/** Logs the person in at a server through their browser, and inspects what the server offers. */
export function loginServer(name: string, flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams, locale, { acts }) => {
    const server = serverOf(upstreams, name);
    let lines: Interface | undefined;
    try {
      await acts.logInServer(name, {
        scope: options.scope as string | undefined,
        show(url, issuer, handBack) {
          say(words.open(name, cleanText(issuer))[locale]);
          say(cleanText(url.href));
          const scope = url.searchParams.get('scope');
          if (scope) say(words.rights(cleanText(scope))[locale]);
          if (options.browser !== false && process.stdout.isTTY) openBrowser(url);
          if (!process.stdin.isTTY) return;
          say(words.elsewhere[locale]);
          lines = createInterface({ input: process.stdin });
          lines.on('line', (line) => {
            if (line.trim() !== '' && !handBack(line)) say(words.another[locale]);
          });
        },
      });
      say(`${name}: ${words.in[locale]}`);
      await server.look(new AbortController().signal);
    } catch (error) {
      note(`${name}: ${wordsOf(error, locale)}`);
      return 1;
    } finally {
      lines?.close();
    }
    const { tools, held } = server.status();
    say(`${name}: ${words.tools(tools.length)[locale]}`);
    if (held.length > 0) say(words.held(name)[locale]);
    return 0;
  });
}

/** Ends the login, at the authorization server too if it supports that. */
export function logoutServer(name: string, flags: Flags): Promise<number> {
  return withUpstreams(flags, async (upstreams, locale, { acts }) => {
    serverOf(upstreams, name);
    try {
      say(`${name}: ${words[await acts.logOutServer(name)][locale]}`);
      return 0;
    } catch (error) {
      note(`${name}: ${wordsOf(error, locale)}`);
      return 1;
    }
  });
}

const words = {
  open: (name: string, issuer: string) =>
    text(
      `Log in for ${name} at ${issuer}. Open this address within 5 minutes:`,
      `${issuer} で ${name} にログインします。5 分以内に次のアドレスを開いてください:`,
    ),
  rights: (scope: string) => text(`Requested scopes: ${scope}`, `求める権限: ${scope}`),
  elsewhere: text(
    'If the browser is on another machine, paste the address that it ends at:',
    'ブラウザーが別のマシンにある場合は、最後に表示されたアドレスを貼り付けてください:',
  ),
  another: text('That is not the answer to this login.', 'このログインの応答ではありません。'),
  in: text('logged in.', 'ログインしました。'),
  tools: (count: number) => text(`${counted(count, 'tool')}.`, `ツール ${count} 個。`),
  held: (name: string) =>
    text(
      `Some need your review: sekisho server approve ${name}`,
      `確認待ちのツールがあります: sekisho server approve ${name}`,
    ),
  revoked: text('logged out.', 'ログアウトしました。'),
  forgotten: text(
    'logged out here. The authorization server could not be notified, so the token stays valid there until it expires.',
    'こちら側ではログアウトしました。認可サーバーには通知できませんでした。トークンは期限まで有効です。',
  ),
  none: text('there was no login.', 'ログインしていません。'),
} as const;

/** A convenience: without a browser, the printed address is enough. */
function openBrowser(url: URL): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url.href], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}
