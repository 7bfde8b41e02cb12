import { expect, test } from 'vitest';
import { historySchema } from './history.ts';

test('the former name of recording commands is refused, and the message names what there is', () => {
  expect(historySchema.safeParse({ commands: 'on' }).success).toBe(true);
  expect(historySchema.safeParse({ commands: 'snapshot' }).error?.issues).toMatchObject([
    { code: 'invalid_value', path: ['commands'], values: ['on', 'off'] },
  ]);
});
