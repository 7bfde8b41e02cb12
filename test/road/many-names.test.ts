import { expect, test } from 'vitest';
import { errorOf, openTestCheckpoint } from '../support/open-test-checkpoint.ts';

test('hundreds of thousands of argument names are refused before each is looked at', async () => {
  await using world = await openTestCheckpoint();
  const input = Object.fromEntries(Array.from({ length: 400_000 }, (_, at) => [`n${at}`, at]));
  const reply = await world.call('file_read', input);
  expect(errorOf(reply)).toMatchObject({
    code: 'invalid_parameter',
    message: 'The arguments must have at most 1000 names.',
  });
});
