import type { Migration } from './migration.ts';

/** A login by a passkey ends with the passkey: whose device was lost is out. */
export const passkeySessions: Migration = {
  name: '010-passkey-sessions',
  both: 'alter table console_sessions add column passkey_id text;',
  sqlite: '',
  postgres: '',
};
