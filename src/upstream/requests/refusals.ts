import { ToolError } from '../../contract/error.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { RemoteError } from '../connection/remote.ts';

const maxProgressChars = 500;

/** A server's message about its progress, cleaned and shortened. */
export function shownProgress(message: string): string {
  return cleanLine(message.slice(0, maxProgressChars));
}

/** A server's error in our words; its own text is shown after them, marked as such. */
export function remoteFailure(name: string, error: RemoteError): ToolError {
  const { code, http } = error;
  const hasWords = error.message !== '';
  const reason = hasWords
    ? text('What it says follows.', 'サーバーの文言を以下に示します。')
    : text('It says no more.', '詳しい理由は示されていません。');
  if (!http) {
    const which = code === 0 ? '' : ` (${code})`;
    const words = text(
      `Server ${name} refused the request${which}.`,
      `サーバー ${name} が要求を拒否しました${which}。`,
    );
    return new ToolError('upstream_error', words, { suggestion: reason, cause: error });
  }
  const { status, retryAfterMs } = http;
  const words = text(
    `Server ${name} answered with HTTP ${status}. It received the request, and may have carried it out.`,
    `サーバー ${name} が HTTP ${status} を返しました。要求は届いており、実行された可能性があります。`,
  );
  const seconds = Math.ceil((retryAfterMs ?? 0) / 1000);
  const suggestion =
    retryAfterMs === undefined
      ? reason
      : text(`It asks to wait ${seconds} s. ${reason.en}`, `${seconds} 秒待つよう求めています。${reason.ja}`);
  return new ToolError(status === 429 ? 'rate_limited' : 'upstream_error', words, {
    suggestion,
    details: { server: name, status, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) },
    cause: error,
  });
}

/** The failure of a request, with the server's name; its own error is unchanged. */
export function refusedBy(name: string, error: unknown): unknown {
  if (error instanceof ToolError) return named(name, error);
  if (error instanceof RemoteError) return error;
  if (error instanceof DOMException && error.name === 'AbortError') return cancelled();
  return error;
}

/** Adds the server's name: a model that uses ten of them must know which one failed. */
function named(name: string, error: ToolError): ToolError {
  const { code, text: said } = error;
  if (code === 'cancelled' || said.en.includes(name)) return error;
  return error.inWords(`Server ${name}: ${said.en}`, `サーバー ${name}: ${said.ja}`);
}

/** Converts the SDK's protocol errors to `RemoteError`. */
export function asRemote(error: unknown): unknown {
  return typeof (error as { code?: unknown } | undefined)?.code === 'number' ? new RemoteError(error) : error;
}

export function silentLists(name: string): ToolError {
  return new ToolError(
    'unavailable',
    `The server ${name} did not answer when it was last asked for its lists.`,
    `サーバー ${name} は、前回の一覧の要求に応答しませんでした。`,
    text('It is asked again in some minutes.', '数分後に改めて確認します。'),
  );
}

export function notWatched(name: string): ToolError {
  return new ToolError(
    'unavailable',
    `The server ${name} does not report changes to its resources.`,
    `サーバー ${name} はリソースの変更を通知しません。`,
    text('Read the resource again when you need it.', '必要なときに読み直してください。'),
  );
}

export function notAsApproved(name: string): ToolError {
  return new ToolError(
    'denied',
    `The server ${name} changed this tool after it was approved.`,
    `サーバー ${name} がこのツールを承認後に変更しました。`,
    text(
      `A person must review the change: \`sekisho server approve ${name}\`.`,
      `変更を人が確認する必要があります: \`sekisho server approve ${name}\`。`,
    ),
  );
}

export function pinWords(name: string): Text {
  return text(
    `The record of what was approved is damaged. Start over with \`sekisho server forget ${name}\`.`,
    `承認の記録が壊れています。\`sekisho server forget ${name}\` で改めて確認してください。`,
  );
}
