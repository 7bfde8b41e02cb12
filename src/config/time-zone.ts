import { ConfigError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';

/** A time zone that the machine knows, e.g. "Asia/Tokyo". Throws `ConfigError`, naming the key, for others. */
export function timeZoneOf(zone: string, key: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch (cause) {
    throw new ConfigError(
      text(
        `${key} must be a time zone such as "Asia/Tokyo", got ${JSON.stringify(zone)}.`,
        `${key} には "Asia/Tokyo" のようなタイムゾーンを指定してください（指定値: ${JSON.stringify(zone)}）。`,
      ),
      { cause },
    );
  }
}
