import { spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { Flags } from '../../config/load.ts';
import { cleanText } from '../../contract/text/clean-text.ts';
import type { Locale } from '../../contract/text/text.ts';
import { say } from '../common/say.ts';
import { wordsOf } from './report.ts';
import { serverOf, withUpstreams } from './server.ts';

type Options = Readonly<Record<string, unknown>>;

/** A person logs in at a server by their browser, and what the server offers is looked at. */
export function loginServer(name: string, flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams, locale, { acts }) => {
    const server = serverOf(upstreams, name);
    const told = words[locale];
    let lines: Interface | undefined;
    try {
      await acts.logInServer(name, {
        scope: options.scope as string | undefined,
        show(url, issuer, handBack) {
          say(told.open(name, cleanText(issuer)));
          say(cleanText(url.href));
          const scope = url.searchParams.get('scope');
          if (scope) say(told.rights(cleanText(scope)));
          if (options.browser !== false && process.stdout.isTTY) openBrowser(url);
          if (!process.stdin.isTTY) return;
          say(told.elsewhere);
          lines = createInterface({ input: process.stdin });
          lines.on('line', (line) => {
            if (line.trim() !== '' && !handBack(line)) say(told.another);
          });
        },
      });
      say(`${name}: ${told.in}`);
      await server.look(new AbortController().signal);
    } catch (error) {
      process.stderr.write(`${name}: ${wordsOf(error, locale)}\n`);
      return 1;
    } finally {
      lines?.close();
    }
    const { tools, held } = server.status();
    say(`${name}: ${told.tools(tools.length)}`);
    if (held.length > 0) say(told.held(name));
    return 0;
  });
}

/** Ends the login, at the authorization server too where it can be told. */
export function logoutServer(name: string, flags: Flags): Promise<number> {
  return withUpstreams(flags, async (upstreams, locale, { acts }) => {
    serverOf(upstreams, name);
    try {
      say(`${name}: ${words[locale][await acts.logOutServer(name)]}`);
      return 0;
    } catch (error) {
      process.stderr.write(`${name}: ${wordsOf(error, locale)}\n`);
      return 1;
    }
  });
}

const words = {
  en: {
    open: (name: string, issuer: string) =>
      `Log in for ${name} at ${issuer}. Open this address within 5 minutes:`,
    rights: (scope: string) => `Rights asked for: ${scope}`,
    elsewhere: 'If the browser is on another machine, paste the address that it ends at:',
    another: 'That is not the answer to this login.',
    in: 'logged in.',
    tools: (count: number) => `${count} tools.`,
    held: (name: string) => `Some wait for your look: sekisho server approve ${name}`,
    revoked: 'logged out.',
    forgotten:
      'logged out here. The authorization server could not be told; the token ends there by its own time.',
    none: 'there was no login.',
  },
  ja: {
    open: (name: string, issuer: string) =>
      `${issuer} で ${name} にログインします。5 分以内に次のアドレスを開いてください:`,
    rights: (scope: string) => `求める権限: ${scope}`,
    elsewhere: 'ブラウザーが別のマシンにある場合は、最後に表示されたアドレスを貼り付けてください:',
    another: 'このログインの応答ではありません。',
    in: 'ログインしました。',
    tools: (count: number) => `ツール ${count} 個。`,
    held: (name: string) => `確認待ちのツールがあります: sekisho server approve ${name}`,
    revoked: 'ログアウトしました。',
    forgotten:
      'こちら側ではログアウトしました。認可サーバーには通知できませんでした。トークンは期限まで有効です。',
    none: 'ログインしていません。',
  },
} as const satisfies Record<Locale, unknown>;

/** A convenience: where there is no browser, the address that was printed is enough. */
function openBrowser(url: URL): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url.href], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}
