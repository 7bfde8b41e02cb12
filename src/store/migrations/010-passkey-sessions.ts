import type { Migration } from './migration.ts';

/** Logins by passkey end with the passkey, for when a device is lost. */
export const passkeySessions: Migration = {
  name: '010-passkey-sessions',
  both: 'alter table console_sessions add column passkey_id text;',
  sqlite: '',
  postgres: '',
};
