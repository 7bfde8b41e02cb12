import { expect, test } from 'vitest';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { unrecorded } from './unrecorded.ts';

const full = new ToolError('storage_full', text('The disk is full.', 'ディスクがいっぱいです。'));

test('a call that failed keeps its own words about what it left behind', () => {
  const nothing = new ToolError('storage_full', text('Nothing of it was kept.', '何も残っていません。'), {
    suggestion: text('Send it again.', 'もう一度送ってください。'),
  });
  const said = unrecorded(full, nothing);
  expect(said.message).toBe('Nothing of it was kept. Its record could not be written, either.');
  expect(said.suggestion?.en).toBe('Send it again.');
});

test('of one that ended, the effects remain', () => {
  expect(unrecorded(full).message).toContain('Changes that it made remain.');
});
