import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoint } from '../../checkpoint/index.ts';
import { localTokenRole } from '../../contract/caller.ts';
import { text } from '../../contract/text/text.ts';
import { orElse } from '../../ground/or-else.ts';
import { accountName } from '../common/account-name.ts';
import { ownName } from '../common/own-command.ts';
import { note } from '../common/say.ts';
import { personHere } from '../common/with-operator.ts';
import { consoleLink, reachableHost } from '../console.ts';
import { limitLines } from './limit-lines.ts';

/** A server in the configuration of a client that starts it. */
export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Prints what a person needs to connect: the address, a token, and lines to paste into a client. */
export async function welcome(
  checkpoint: Checkpoint,
  address: { readonly host: string; readonly port: number },
  sameOverStdio: StdioServer,
  /** Flags by which other commands find the same records. */
  where: string,
): Promise<void> {
  const { settings } = checkpoint;
  const url = `http://${reachableHost(address.host)}:${address.port}/mcp`;
  const token = await tokenOf(checkpoint);
  const client = {
    mcpServers: { sekisho: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } },
  };
  const { locale } = settings;
  note(
    [
      lines.serves(settings.roots.map((root) => root.path).join(', '))[locale],
      `  ${labels.toolsets[locale]}  ${settings.toolsets.join(', ')}   ${labels.mode[locale]}  ${settings.mode}`,
      `  ${labels.address[locale]}  ${url}`,
      `  ${labels.token[locale]}  ${token}`,
      ...limitLines(settings).map((line) => `  ${labels.limit[locale]}  ${line}`),
      ...(settings.http.console
        ? [`  ${labels.console[locale]}  ${await consoleLink(checkpoint, address)}  (${lines.once[locale]})`]
        : []),
      '',
      lines.overHttp[locale],
      JSON.stringify(client, null, 2),
      '',
      lines.startsItself[locale],
      JSON.stringify({ mcpServers: { sekisho: sameOverStdio } }, null, 2),
      '',
      lines.recorded(`${ownName()} audit tail${where}`)[locale],
    ].join('\n'),
  );
}

// Padded to the same width at a terminal, where a Japanese letter is twice as wide.
const labels = {
  toolsets: text('toolsets', 'ツールセット'),
  mode: text('mode', 'モード'),
  address: text('address ', 'アドレス    '),
  token: text('token   ', 'トークン    '),
  limit: text('limit   ', '回数制限    '),
  console: text('console ', 'コンソール  '),
} as const;

const lines = {
  serves: (folders: string) => text(`Sekisho serves ${folders}`, `Sekisho は ${folders} を提供しています`),
  once: text('works once, for ten minutes', '一度だけ、10 分間有効'),
  overHttp: text(
    'For a client that connects over HTTP, paste:',
    'HTTP で接続するクライアントには、次を貼り付けます:',
  ),
  startsItself: text(
    'For a client that starts its servers itself, paste:',
    'サーバーを自分で起動するクライアントには、次を貼り付けます:',
  ),
  recorded: (tail: string) =>
    text(
      `Every call is recorded: \`${tail}\`. Ctrl-C stops the server.`,
      `呼び出しはすべて記録されます: \`${tail}\`。Ctrl-C で停止します。`,
    ),
} as const;

/** One token of this machine's user, kept in the state folder (0600) so that each start prints the same one. */
async function tokenOf(checkpoint: Checkpoint): Promise<string> {
  const path = join(checkpoint.settings.stateFolder, 'local-token');
  const { tokens } = await checkpoint.store();
  const kept = orElse(() => readFileSync(path, 'utf8').trim(), undefined);
  const known = kept ? await tokens.find(kept, Date.now()) : 'unknown';
  if (kept && typeof known === 'object' && known.role === localTokenRole) return kept;
  const user = accountName().replace(/[^\w.@+-]/g, '_') || 'local';
  const { token } = await (await checkpoint.operator())
    .as(personHere())
    .createToken({ user, role: localTokenRole });
  mkdirSync(checkpoint.settings.stateFolder, { recursive: true, mode: 0o700 });
  writeFileSync(path, token, { mode: 0o600 });
  return token;
}
