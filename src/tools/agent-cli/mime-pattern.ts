import { ConfigError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';

/** `type/subtype` or `type/*`, in lower case. */
export type MimePattern = `${string}/${string}`;

const pattern = /^[a-z0-9.+-]+\/(?:[a-z0-9.+-]+|\*)$/;

/** Checks a setting. Throws `ConfigError` quoting an invalid pattern. */
export function assertMimePattern(value: string): asserts value is MimePattern {
  if (!pattern.test(value)) {
    throw new ConfigError(
      text(
        `allowMime must hold types like "image/png" or "image/*", got "${value}".`,
        `allowMime には "image/png" や "image/*" のような種類を指定してください（指定値: "${value}"）。`,
      ),
    );
  }
}

export function matchesMime(mime: string, patterns: readonly MimePattern[]): boolean {
  return patterns.some((allowed) =>
    allowed.endsWith('/*') ? mime.startsWith(allowed.slice(0, -1)) : mime === allowed,
  );
}
