import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pastedLines, withPastesAsText } from '../../src/cli/ask/lines.ts';
import { openAskWorld } from './ask-world.ts';
import { openScriptedModel, says } from './scripted-model.ts';

const pasted = (words: string) => `\x1b[200~${words}\x1b[201~`;

/** What comes out where these bytes come in, in these pieces. */
async function through(pieces: readonly Buffer[]): Promise<string> {
  const input = new PassThrough();
  const output = withPastesAsText(input);
  let read = '';
  output.on('data', (chunk: Buffer) => {
    read += chunk.toString('utf8');
  });
  for (const piece of pieces) input.write(piece);
  input.end();
  await new Promise((resolve) => output.once('end', resolve));
  return read;
}

test('what is pasted is one line wherever it is cut into pieces, and types no keys', async () => {
  const words = `a${pasted('一行目\r\n二行目\n\x03\x1b[31m\tend')}b\x1b[D\r`;
  const bytes = Buffer.from(words);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const read = await through(at.slice(1).map((end, index) => bytes.subarray(at[index], end)));
      expect(read).toBe('a一行目␤二行目␤[31m    endb\x1b[D\r');
    }),
    { seed: 7, numRuns: 200 },
  );
  expect(pastedLines('一行目␤二行目')).toBe('一行目\n二行目');
});

test('many lines that are pasted are one question', async () => {
  await using model = await openScriptedModel(says('ok'));
  using world = openAskWorld(model.url);
  const terminal = new PassThrough();
  let typed = 0;
  const keys = [`${pasted('これは\nmany lines\n')}\r`, '\x04'];

  const ran = await world.sekishoAsk(
    undefined,
    {},
    {
      terminal,
      onShown: (shown) => {
        while (typed < keys.length && typed < shown.split('> ').length - 1) terminal.write(keys[typed++]);
      },
    },
  );

  expect(ran.code).toBe(0);
  expect(model.seen.map(({ body }) => body.messages.at(-1)?.content)).toEqual(['これは\nmany lines']);
});

test('Ctrl-C takes back what is typed before it leaves, and says how to leave', async () => {
  await using model = await openScriptedModel(says('ok'));
  using world = openAskWorld(model.url);
  const terminal = new PassThrough();
  const keys = ['wrong\x03', 'right\r', '\x03', '\x03'];
  let typed = 0;

  const ran = await world.sekishoAsk(
    undefined,
    {},
    {
      terminal,
      onShown: (shown) => {
        const turns = [
          shown.includes('> '),
          shown.includes('wrong'),
          shown.includes('ok\n'),
          shown.includes('to quit.'),
        ];
        while (typed < keys.length && turns[typed]) setImmediate((key) => terminal.write(key), keys[typed++]);
      },
    },
  );

  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain('Press Ctrl-C again or Ctrl-D, or type /exit, to quit.');
  expect(model.seen.map(({ body }) => body.messages.at(-1)?.content)).toEqual(['right']);
});
