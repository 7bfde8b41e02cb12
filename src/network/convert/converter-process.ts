import type { ConverterAnswer, ConverterJob } from './converter.ts';
import { convertPage } from './page.ts';

// The process that `converter.ts` starts: receives pages, sends answers.

// The tree builder compiles the handlers in a page's attributes (`onload=…`). This process disables compiling from
// text, so that nothing in a page can become code, called or not.
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
