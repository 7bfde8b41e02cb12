import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Checkpoint } from '../checkpoint/open.ts';
import type { Locale } from '../contract/text.ts';
import { consoleLink } from './console.ts';
import { note } from './say.ts';

/** What a person needs to connect: the address, a token, and lines to paste into a client. */
export async function welcome(
  checkpoint: Checkpoint,
  address: { readonly host: string; readonly port: number },
): Promise<void> {
  const { settings } = checkpoint;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  const url = `http://${host}:${address.port}/mcp`;
  const token = await tokenOf(checkpoint);
  const client = {
    mcpServers: { sekisho: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } },
  };
  const words = lines[settings.locale];
  note(
    [
      words.serves(settings.roots.map((root) => root.path).join(', ')),
      `  toolsets  ${settings.toolsets.join(', ')}   mode  ${settings.mode}`,
      `  address   ${url}`,
      `  token     ${token}`,
      ...(settings.http.console
        ? [`  console   ${await consoleLink(checkpoint, address)}  (${words.once})`]
        : []),
      '',
      words.overHttp,
      JSON.stringify(client, null, 2),
      '',
      words.startsItself,
      JSON.stringify({ mcpServers: { sekisho: startedBy(settings.roots[0]?.path ?? '.') } }, null, 2),
      '',
      words.recorded,
    ].join('\n'),
  );
}

/** By the path of this program and its Node, so that it starts wherever the client does. */
function startedBy(root: string): { command: string; args: string[] } {
  const script = process.argv[1] ?? 'sekisho';
  return { command: process.execPath, args: [script, 'serve', '--root', root] };
}

const lines = {
  en: {
    serves: (folders: string) => `Sekisho serves ${folders}`,
    once: 'works once, for ten minutes',
    overHttp: 'Paste into a client that speaks HTTP:',
    startsItself: 'Or into one that starts its servers itself:',
    recorded: 'Every call is recorded: `npx sekisho audit tail`. Ctrl-C stops the server.',
  },
  ja: {
    serves: (folders: string) => `Sekisho は ${folders} を提供しています`,
    once: '一度だけ、10 分間有効',
    overHttp: 'HTTP でつなぐクライアントには、これを貼り付けます:',
    startsItself: 'サーバーを自分で起動するクライアントには、これを貼り付けます:',
    recorded: '呼び出しはすべて記録されます: `npx sekisho audit tail`。Ctrl-C で止まります。',
  },
} as const satisfies Record<Locale, unknown>;

/** One token of this machine's user, kept in the state folder (0600) so that each start prints the same one. */
async function tokenOf(checkpoint: Checkpoint): Promise<string> {
  const path = join(checkpoint.settings.stateFolder, 'local-token');
  const { tokens } = await checkpoint.store();
  const kept = readIfThere(path);
  if (kept && typeof (await tokens.find(kept, Date.now())) === 'object') return kept;
  const { token } = await tokens.create({ user: userInfo().username.replace(/[^\w.@+-]/g, '_') || 'local' });
  mkdirSync(checkpoint.settings.stateFolder, { recursive: true, mode: 0o700 });
  writeFileSync(path, token, { mode: 0o600 });
  return token;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
