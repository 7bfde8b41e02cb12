import { expect, test } from 'vitest';
import { ConfigError } from '../contract/error.ts';
import { vaultSettingsFrom } from './settings.ts';

test('settings are as documented, by file, or by environment, which goes first', () => {
  expect(vaultSettingsFrom({})).toEqual({
    hardMaxChars: 20_000,
    defaultChunkLines: 80,
    maxChunkLines: 200,
    extras: true,
  });
  const config = { hardMaxChars: 5, defaultChunkLines: 2, maxChunkLines: 3, extras: false };
  expect(vaultSettingsFrom({}, config)).toEqual(config);
  expect(vaultSettingsFrom({ HARD_MAX_CHARS: '7', VAULT_SCAN_MAX_CHUNK_LINES: '9' }, config)).toEqual({
    ...config,
    hardMaxChars: 7,
    maxChunkLines: 9,
  });
  // A smaller maximum alone is no mistake: the default follows it.
  expect(vaultSettingsFrom({ VAULT_SCAN_MAX_CHUNK_LINES: '10' }).defaultChunkLines).toBe(10);
});

test.each([
  [{ HARD_MAX_CHARS: '0' }, {}, 'HARD_MAX_CHARS', '"0"'],
  [{ HARD_MAX_CHARS: '' }, {}, 'HARD_MAX_CHARS', '""'],
  [{ HARD_MAX_CHARS: '1e4' }, {}, 'HARD_MAX_CHARS', '"1e4"'],
  [{ HARD_MAX_CHARS: '20,000' }, {}, 'HARD_MAX_CHARS', '"20,000"'],
  [{ HARD_MAX_CHARS: '-5' }, {}, 'HARD_MAX_CHARS', '"-5"'],
  [{ VAULT_SCAN_MAX_CHUNK_LINES: 'many' }, {}, 'VAULT_SCAN_MAX_CHUNK_LINES', '"many"'],
  [{ VAULT_SCAN_DEFAULT_CHUNK_LINES: '201' }, {}, 'VAULT_SCAN_DEFAULT_CHUNK_LINES', '201'],
  [{}, { hardMaxChars: 1.5 }, 'vault.hardMaxChars', '1.5'],
  [{}, { maxChunkLines: -1 }, 'vault.maxChunkLines', '-1'],
  [{}, { defaultChunkLines: 500 }, 'vault.defaultChunkLines', '500'],
])('%j and %j stop start-up, naming %s and %s', (environment, config, key, value) => {
  const read = () => vaultSettingsFrom(environment, config);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(key);
  expect(read).toThrow(value);
});
