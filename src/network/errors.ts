import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { cancelled } from '../ground/errors/cancelled.ts';

/** The reason in our own words why a page could not be fetched; the network's own text goes into the log. */
export function asToolError(
  error: unknown,
  about: {
    readonly host: string;
    readonly cancelled: boolean;
    readonly timedOut: boolean;
    readonly timeoutMs: number;
  },
): ToolError {
  if (error instanceof ToolError) return error;
  if (about.cancelled) return cancelled('fetch', error);
  const { host } = about;
  if (about.timedOut) {
    const seconds = about.timeoutMs / 1000;
    return new ToolError(
      'timed_out',
      `${host} did not finish answering within ${seconds} s.`,
      `${host} は ${seconds} 秒以内に応答を終えませんでした。`,
      { suggestion: tryLater, cause: error },
    );
  }
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code === 'ENOTFOUND' || code === 'ENODATA')
    return new ToolError(
      'upstream_error',
      `There is no host named ${host}.`,
      `${host} というホストはありません。`,
      { suggestion: text('Check the spelling of the URL.', 'URL の綴りを確かめてください。'), cause: error },
    );
  if (typeof code === 'string' && /CERT|TLS|SSL|EPROTO|SELF_SIGNED|UNABLE_TO/.test(code))
    return new ToolError(
      'upstream_error',
      `${host} could not prove its identity (TLS).`,
      `${host} の証明書または TLS を確認できませんでした。`,
      { suggestion: text('Use another source.', '別の情報源を使ってください。'), cause: error },
    );
  return new ToolError(
    'upstream_error',
    `${host} gave no usable answer.`,
    `${host} から使える応答がありませんでした。`,
    { suggestion: tryLater, cause: error },
  );
}

export function tooManyRedirects(max: number): ToolError {
  return new ToolError(
    'upstream_error',
    `The page redirects more than ${max} times.`,
    `リダイレクトが ${max} 回を超えました。`,
    text('Use another URL.', '別の URL を使ってください。'),
  );
}

export function refusedByRobots(host: string): ToolError {
  return new ToolError(
    'denied',
    `The robots.txt of ${host} asks programs not to read this page.`,
    `${host} の robots.txt がこのページの取得を禁止しています。`,
    text('Use another source.', '別の情報源を使ってください。'),
  );
}

const tryLater = text(
  'Try again later, or use another source.',
  '後でやり直すか、別の情報源を使ってください。',
);
