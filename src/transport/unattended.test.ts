import { expect, test } from 'vitest';
import { saysUnattended } from './methods/call.ts';

const codex = { client: { name: 'codex-mcp-client', version: '0.169.0' } };
const turn = (trigger: unknown) => ({ 'x-codex-turn-metadata': { turn_trigger: trigger } });

test('codex says of each call whether exec made it', () => {
  expect(saysUnattended(codex, turn('exec'))).toBe(true);
  for (const meta of [
    turn('user'),
    turn(undefined),
    { 'x-codex-turn-metadata': 'exec' },
    {},
    undefined,
    'exec',
  ])
    expect(saysUnattended(codex, meta), JSON.stringify(meta)).toBe(false);
});

test('what one client means by a field says nothing of another', () => {
  expect(saysUnattended({ client: { name: 'codex-mcp-client-x', version: '1' } }, turn('exec'))).toBe(false);
  expect(saysUnattended({}, turn('exec'))).toBe(false);
});
