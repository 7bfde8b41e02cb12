import { Worker } from 'node:worker_threads';
import { ToolError } from '../../../contract/error.ts';
import type { ReadablePage } from '../../../contract/network.ts';
import { text } from '../../../contract/text.ts';

/** A page to convert. `plain` leaves out every parser: for a page that was too much for them. */
export interface ConverterJob {
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly plain?: boolean | undefined;
}

export type ConverterAnswer =
  | { readonly kind: 'page'; readonly page: ReadablePage }
  | { readonly kind: 'unsupported'; readonly what: string }
  | { readonly kind: 'failed'; readonly problem: string };

export interface Converter {
  convert(job: ConverterJob): Promise<ReadablePage>;
  close(): Promise<void>;
}

/**
 * Converts pages one at a time on a thread of its own, started on first need and stopped when idle. A page is a
 * stranger's input to large parsers: it may take its time, its memory or its stack, and then costs a thread, not
 * the server. What defeats the parsers is read once more as bare words.
 */
export function openConverter({
  url = new URL(`./converter-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url),
  timeoutMs = 10_000,
  idleMs = 30_000,
}: {
  readonly url?: URL | undefined;
  readonly timeoutMs?: number | undefined;
  readonly idleMs?: number | undefined;
}): Converter {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  async function stop(): Promise<void> {
    clearTimeout(idle);
    const stopped = worker;
    worker = undefined;
    await stopped?.terminate();
  }

  function start(): Worker {
    const made = new Worker(url, {
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 8 },
    });
    made.unref();
    // Libraries that print would print into the protocol.
    made.stdout.resume();
    made.stderr.resume();
    return made;
  }

  async function run(job: ConverterJob): Promise<ConverterAnswer> {
    if (closed) return { kind: 'failed', problem: 'closed' };
    clearTimeout(idle);
    worker ??= start();
    const at = worker;
    const { promise, resolve } = Promise.withResolvers<ConverterAnswer>();
    const fail = (problem: string) => resolve({ kind: 'failed', problem });
    const onMessage = (answer: ConverterAnswer) => resolve(answer);
    const onError = (error: Error) => fail(String(error));
    const onExit = () => fail('exited');
    const timer = setTimeout(() => fail('took too long'), timeoutMs);
    at.on('message', onMessage).on('error', onError).on('exit', onExit);
    at.postMessage(job);
    const answer = await promise;
    clearTimeout(timer);
    at.off('message', onMessage).off('exit', onExit);
    if (answer.kind === 'failed') {
      if (worker === at) worker = undefined;
      // The thread may still be busy with the page, or raise what is left of its error.
      await at.terminate();
    } else {
      idle = setTimeout(() => void stop(), idleMs);
      idle.unref();
    }
    at.off('error', onError);
    return answer;
  }

  async function convert(job: ConverterJob): Promise<ReadablePage> {
    const first = await run(job);
    const answer = first.kind === 'failed' && !closed ? await run({ ...job, plain: true }) : first;
    if (answer.kind === 'page') return answer.page;
    if (answer.kind === 'unsupported') {
      throw new ToolError(
        'unsupported_type',
        text(
          `The page is ${answer.what}, which is not read here.`,
          `このページの種類 ${answer.what} は読めません。`,
        ),
        {
          suggestion: text(
            'Fetch an HTML, text, JSON, PDF or image address.',
            'HTML、テキスト、JSON、PDF、画像の URL を取得してください。',
          ),
        },
      );
    }
    throw new ToolError(
      'upstream_error',
      text('The page could not be turned into text.', 'ページをテキストにできませんでした。'),
      { suggestion: text('Use another source.', '別の情報源を使ってください。'), cause: answer.problem },
    );
  }

  return {
    convert(job) {
      const turn = last.then(() => convert(job));
      last = turn.catch(() => {});
      return turn;
    },
    async close() {
      closed = true;
      await stop();
    },
  };
}
