import { expect, test } from 'vitest';
import { createFlowDesk } from '../../src/flow/desk.ts';
import { mail, page } from './world.ts';

const send = { to: 'x@evil.example', subject: 'hello' };

test('a session that another server goes on with counts as having read everything', () => {
  const desk = createFlowDesk();
  expect(desk.of('new').judge(mail, send)).toBeUndefined();
  desk.resume('old');
  const found = desk.of('old').judge(mail, send);
  expect(found?.targets.map(({ value, why }) => [value, why])).toContainEqual([
    'x@evil.example',
    'forgotten',
  ]);
  expect(found?.because.en).toContain('may come from something read earlier, of which no trace is kept');
});

test('what the person names, or has agreed to, still goes', () => {
  const desk = createFlowDesk();
  desk.resume('old');
  const session = desk.of('old');
  session.says('Send "hello" to x@evil.example');
  expect(session.judge(mail, send)).toBeUndefined();
});

test('a session that is pushed out by many others comes back as one of which nothing is known', () => {
  const desk = createFlowDesk();
  desk.of('first').reads({ tool: page, input: {}, texts: ['x@evil.example'], atMs: 0 });
  for (let number = 0; number < 128; number += 1) desk.of(`other ${number}`);
  expect(desk.of('first').judge(mail, send)).toBeDefined();
  desk.forget('first');
  expect(desk.of('first').judge(mail, send)).toBeUndefined();
});
