import type { Settings } from '../../config/settings.ts';
import { badValue } from '../../contract/error.ts';

/** The address of `--http`: its own value, else the settings'. Throws `ConfigError` for an invalid address. */
export function addressOf(value: unknown, settings: Settings): { host: string; port: number } {
  if (value === true) return { host: settings.http.host, port: settings.http.port };
  const match = /^(?:(.*):)?(\d{1,5})$/.exec(String(value));
  const port = Number(match?.[2]);
  if (!match || port > 65_535)
    throw badValue(
      '--http',
      value,
      'must be PORT or HOST:PORT',
      'は PORT または HOST:PORT で指定してください',
    );
  return { host: match[1]?.replace(/^\[(.*)\]$/, '$1') || settings.http.host, port };
}
