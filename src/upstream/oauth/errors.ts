import { ToolError } from '../../contract/error.ts';
import { readSaid, type Said, text } from '../../contract/text/text.ts';

/** There is no login at the server, or it has expired. */
export function loginNeeded(name: string, cause?: unknown): ToolError {
  return new ToolError(
    'unavailable',
    `It asks for a login, which the operator does with \`sekisho server login ${name}\`.`,
    `ログインが必要です。運用者が \`sekisho server login ${name}\` を実行してください。`,
    { details: { login: name }, cause },
  );
}

/** The login is valid, but does not cover the request. */
export function moreScopeNeeded(name: string, cause?: unknown): ToolError {
  return new ToolError(
    'forbidden',
    `Server ${name} asks for more rights than the login gave.`,
    `サーバー ${name} はログイン時より広い権限を求めています。`,
    {
      suggestion: text(
        `The operator can grant them with \`sekisho server login ${name}\`, or by oauth.scope in its configuration.`,
        `運用者が \`sekisho server login ${name}\` または設定の oauth.scope で付与できます。`,
      ),
      cause,
    },
  );
}

/** A failed login. The other side's text is for the operator alone. */
export function loginFailed(...said: Said<unknown>): ToolError {
  const { text: words, more: cause } = readSaid(said);
  return new ToolError('unavailable', words, { cause: wordsOf(cause) });
}

/** Turns what a step of a login throws into a failed login. */
export function asLoginFailure(...said: Said<never>): (cause: unknown) => never {
  return (cause) => {
    throw loginFailed(readSaid(said).text, cause);
  };
}

/** A response may quote our request: keep only short texts of a foreign error, never its fields. */
function wordsOf(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  const { code, message } = cause as { code?: unknown; message?: unknown };
  const words = [code, message].filter((word) => typeof word === 'string').join(': ');
  return (words || String(cause)).slice(0, 300).replace(/eyJ[\w.-]+|[\w-]{24,}/g, '[…]');
}
