import { badValue } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';

/** A time zone that the machine knows, e.g. "Asia/Tokyo". Throws `ConfigError`, naming the key, for others. */
export function timeZoneOf(zone: string, key: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch (cause) {
    const must = text(
      'must be a time zone such as "Asia/Tokyo"',
      'には "Asia/Tokyo" のようなタイムゾーンを指定してください',
    );
    throw Object.assign(badValue(key, zone, must), { cause });
  }
}
