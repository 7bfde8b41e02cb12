import { spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { Flags } from '../config/load.ts';
import { cleanText } from '../contract/clean-text.ts';
import { say } from './say.ts';
import { serverOf, withUpstreams } from './server.ts';
import { wordsOf } from './server-report.ts';

type Options = Readonly<Record<string, unknown>>;

/** A person logs in at a server by their browser, and what the server offers is looked at. */
export function loginServer(name: string, flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams) => {
    const server = serverOf(upstreams, name);
    let lines: Interface | undefined;
    try {
      await upstreams.logIn(server, {
        scope: options.scope as string | undefined,
        show(url, issuer, handBack) {
          say(`Log in for ${name} at ${cleanText(issuer)}. Open this address within 5 minutes:`);
          say(cleanText(url.href));
          const scope = url.searchParams.get('scope');
          if (scope) say(`Rights asked for: ${cleanText(scope)}`);
          if (options.browser !== false && process.stdout.isTTY) openBrowser(url);
          if (!process.stdin.isTTY) return;
          say('If the browser is on another machine, paste the address that it ends at:');
          lines = createInterface({ input: process.stdin });
          lines.on('line', (line) => {
            if (line.trim() !== '' && !handBack(line)) say('That is not the answer to this login.');
          });
        },
      });
      say(`${name}: logged in.`);
      await server.look(new AbortController().signal);
    } catch (error) {
      process.stderr.write(`${name}: ${wordsOf(error)}\n`);
      return 1;
    } finally {
      lines?.close();
    }
    const { tools, held } = server.status();
    say(`${name}: ${tools.length} tools.`);
    if (held.length > 0) say(`Some wait for your look: sekisho server approve ${name}`);
    return 0;
  });
}

/** Ends the login, at the authorization server too where it can be told. */
export function logoutServer(name: string, flags: Flags): Promise<number> {
  return withUpstreams(flags, async (upstreams) => {
    try {
      say(`${name}: ${endings[await upstreams.logOut(serverOf(upstreams, name))]}`);
      return 0;
    } catch (error) {
      process.stderr.write(`${name}: ${wordsOf(error)}\n`);
      return 1;
    }
  });
}

const endings = {
  revoked: 'logged out.',
  forgotten:
    'logged out here. The authorization server could not be told; the token ends there by its own time.',
  none: 'there was no login.',
} as const;

/** A convenience: where there is no browser, the address that was printed is enough. */
function openBrowser(url: URL): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url.href], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}
