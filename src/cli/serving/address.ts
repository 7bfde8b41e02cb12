import type { Settings } from '../../config/settings.ts';
import { ConfigError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';

/** The address of `--http`: its own value, else the settings'. Throws `ConfigError` for an invalid address. */
export function addressOf(value: unknown, settings: Settings): { host: string; port: number } {
  if (value === true) return { host: settings.http.host, port: settings.http.port };
  const match = /^(?:(.*):)?(\d{1,5})$/.exec(String(value));
  const port = Number(match?.[2]);
  if (!match || port > 65_535) {
    throw new ConfigError(
      text(
        `--http must be PORT or HOST:PORT, got ${JSON.stringify(value)}.`,
        `--http は PORT または HOST:PORT で指定してください（指定値: ${JSON.stringify(value)}）。`,
      ),
    );
  }
  return { host: match[1]?.replace(/^\[(.*)\]$/, '$1') || settings.http.host, port };
}
