import type { ConverterAnswer, ConverterJob } from './converter.ts';
import { convertPage } from './page.ts';

// The process that `converter.ts` starts: a page comes in, an answer goes out.

// The tree builder compiles the handlers in a page's attributes (`onload=…`). In this process nothing is compiled
// from text, so no word of a page can ever become code, whether or not somebody would have called it.
globalThis.Function = new Proxy(Function, { construct: () => () => {}, apply: () => () => {} });

process.on('message', async (job: ConverterJob) => {
  let answer: ConverterAnswer;
  try {
    answer = await convertPage(job);
  } catch (error) {
    answer = { kind: 'failed', problem: String(error) };
  }
  process.send?.(answer);
});
// The server is gone.
process.on('disconnect', () => process.exit());
