import { ConfigError } from '../../contract/error.ts';

/** `type/subtype` or `type/*`, in small letters. */
export type MimePattern = `${string}/${string}`;

const pattern = /^[a-z0-9.+-]+\/(?:[a-z0-9.+-]+|\*)$/;

/** Checks a setting. Throws `ConfigError` quoting what is no pattern. */
export function assertMimePattern(value: string): asserts value is MimePattern {
  if (!pattern.test(value)) {
    throw new ConfigError(`allowMime must hold types like "image/png" or "image/*", got "${value}".`);
  }
}

export function matchesMime(mime: string, patterns: readonly MimePattern[]): boolean {
  return patterns.some((allowed) =>
    allowed.endsWith('/*') ? mime.startsWith(allowed.slice(0, -1)) : mime === allowed,
  );
}
