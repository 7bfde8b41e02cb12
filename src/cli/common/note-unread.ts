import { unreadEnvFile } from '../../config/file/unread-env-file.ts';
import type { Flags } from '../../config/settings.ts';
import type { Locale } from '../../contract/text/text.ts';
import { note } from './say.ts';

/** Notes that servers named in a `.env` of the start folder are missing. */
export function noteUnreadEnvFile(flags: Flags, locale: Locale): void {
  const unread = unreadEnvFile(flags);
  if (unread) note(unread[locale]);
}
