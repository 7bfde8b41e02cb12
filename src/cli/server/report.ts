import type { Checkpoint } from '../../checkpoint/index.ts';
import { ToolError } from '../../contract/error.ts';
import { cleanText } from '../../contract/text/clean-text.ts';
import { type Locale, type Text, text, verbatim } from '../../contract/text/text.ts';
import type { ServerSettings, ServerStatus } from '../../contract/upstream.ts';

type Server = Awaited<ReturnType<Checkpoint['rooms']['upstreams']>>['servers'][number];

/** The state of one server after a check, for the operator, who may read the server's own messages. */
export interface ServerReport extends ServerStatus {
  readonly works: boolean;
  /** The sandbox of its program, or its address. */
  readonly place: Text;
  /** Its last output. */
  readonly words?: string | undefined;
  readonly hint?: Text | undefined;
}

/** Starts or reaches the server, and reports its state. */
export async function examine(server: Server): Promise<ServerReport> {
  const { settings } = server;
  try {
    await server.look(new AbortController().signal);
    return { ...server.status(), works: server.status().state !== 'closed', place: placeOf(settings) };
  } catch (error) {
    const status = server.status();
    const words = causesOf(error);
    const problem = error instanceof ToolError ? error.text : status.problem;
    const state = status.state === 'closed' ? status.state : 'failed';
    // Prefers an error's own suggestion; otherwise guesses one.
    const known = error instanceof ToolError ? error.suggestion : undefined;
    const about = { works: false, place: placeOf(settings), words, hint: known ?? hintFor(settings, words) };
    return { ...status, state, problem, ...about };
  }
}

export function placeOf({ start }: ServerSettings): Text {
  if (start.kind === 'http') return verbatim(URL.canParse(start.url) ? new URL(start.url).origin : start.url);
  return start.sandbox === 'off'
    ? text('without a sandbox', 'サンドボックスなし')
    : text('in the sandbox', 'サンドボックス内');
}

const maxWordsChars = 2000;

/** For the operator: the error, and the original message of its cause. */
export function wordsOf(error: unknown, locale: Locale): string {
  if (!(error instanceof ToolError)) return cleanText(String(error));
  return [error.text[locale], causesOf(error)].filter(Boolean).join('\n');
}

/** The chain of an error's causes. */
function causesOf(error: unknown): string {
  const words: string[] = [];
  let cause: unknown = error instanceof ToolError ? error.cause : error;
  for (let depth = 0; cause !== undefined && cause !== null && depth < 4; depth++) {
    const { message, code } = cause as { message?: unknown; code?: unknown };
    const said =
      typeof cause === 'string' ? cause : [message, code].filter((word) => typeof word === 'string');
    words.push(typeof said === 'string' ? said : said.join(' '));
    cause = (cause as { cause?: unknown }).cause;
  }
  const told = [...new Set(words.map((each) => each.trim()).filter(Boolean))].join('\n');
  return cleanText(told.slice(-maxWordsChars));
}

/** Whether this program downloads the server that it starts. The sandbox has no network. */
export function isDownloader(command: string): boolean {
  return /(?:^|\/)(?:npx|uvx|bunx|pnpx|pnpm|yarn|docker|podman)$/.test(command);
}

export function needsDownload(command: string): Text {
  return text(
    `${command} downloads the program, but the sandbox has no network. Install the program and name it, or write "network" or "sandbox": "off".`,
    `${command} はプログラムを取得しますが、サンドボックスにはネットワークがありません。先にインストールして直接指定するか、"network" または "sandbox": "off" を設定してください。`,
  );
}

/** The most frequent remedy, by the server's message as it failed. */
function hintFor({ start, startTimeoutMs }: ServerSettings, words: string): Text | undefined {
  if (start.kind === 'http') {
    if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH/.test(words))
      return text('Nothing answers at this address.', 'このアドレスは応答しません。');
    return text(
      'Is this the address of its Streamable HTTP endpoint (often /mcp)? Does it need a token (headers)?',
      'Streamable HTTP のアドレス（多くは /mcp）ですか。トークン（headers）は必要ありませんか。',
    );
  }
  const isBoxed = start.sandbox === 'required';
  if (words.includes(`${start.command}: not found`))
    return text(
      `The program ${start.command} is not installed${isBoxed ? ', or is where the sandbox cannot see it' : ''}.`,
      `プログラム ${start.command} が見つかりません${isBoxed ? '（サンドボックスから見えない場所かもしれません）' : ''}。`,
    );
  const downloads = isDownloader(start.command);
  if (downloads && isBoxed) return needsDownload(start.command);
  if (isBoxed && /MODULE_NOT_FOUND|ENOENT|EACCES|No such file|Permission denied/i.test(words))
    return text(
      'In the sandbox, it can see only the roots, its own program and "folders"; list the folders that it needs there.',
      'サンドボックスの中から見えるのは、ルート、プログラム自体、"folders" だけです。必要なフォルダーを "folders" に追加してください。',
    );
  if (words === '' || downloads)
    return text(
      `If it is only slow, raise startTimeoutMs (${startTimeoutMs}).`,
      `起動が遅いだけなら startTimeoutMs (${startTimeoutMs}) を増やしてください。`,
    );
  return undefined;
}
