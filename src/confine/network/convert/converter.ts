import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ReadablePage } from '../../../contract/capabilities/network.ts';
import { ToolError } from '../../../contract/error.ts';
import { text } from '../../../contract/text/text.ts';
import { isPdf } from './pdf.ts';

/** A page to convert. `plain` leaves out every parser: for a page that was too much for them. */
export interface ConverterJob {
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** All of an HTML page, in place of its main part. */
  readonly full?: boolean | undefined;
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
 * Converts pages one at a time in a process of its own, started on first need and ended when idle. A page is a
 * stranger's input to large parsers: it may take its time, its memory or its stack, and then costs that process, not
 * the server; what it took is given back whole. What defeats the parsers is read once more as bare words.
 */
export function openConverter({
  timeoutMs = 10_000,
  idleMs = 30_000,
}: {
  readonly timeoutMs?: number | undefined;
  readonly idleMs?: number | undefined;
} = {}): Converter {
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  async function stop(): Promise<void> {
    clearTimeout(idle);
    const stopped = child;
    child = undefined;
    if (stopped) await end(stopped);
  }

  async function run(job: ConverterJob): Promise<ConverterAnswer> {
    if (closed) return { kind: 'failed', problem: 'closed' };
    clearTimeout(idle);
    child ??= start();
    const at = child;
    at.ref();
    const { promise, resolve } = Promise.withResolvers<ConverterAnswer>();
    const fail = (problem: string) => resolve({ kind: 'failed', problem });
    const onMessage = (answer: unknown) => resolve(answer as ConverterAnswer);
    const onExit = () => fail('exited');
    const mostBytes = isPdf(job.body) ? pdfBytes : pageBytes;
    const timer = setTimeout(() => fail('took too long'), timeoutMs);
    const watch = setInterval(async () => {
      if ((await residentBytes(at.pid)) > mostBytes) fail('took too much memory');
    }, watchEveryMs);
    at.on('message', onMessage).on('exit', onExit);
    at.send(job, (error) => {
      if (error) fail(String(error));
    });
    const answer = await promise;
    clearTimeout(timer);
    clearInterval(watch);
    at.off('message', onMessage).off('exit', onExit);
    at.unref();
    if (answer.kind === 'failed') {
      if (child === at) child = undefined;
      // It may still be busy with the page.
      await end(at);
    } else {
      idle = setTimeout(() => void stop(), idleMs);
      idle.unref();
    }
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
          `The page is ${answer.what}, which is not supported here.`,
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
      // Whoever asked for it hears of a failure; the next page only waits its turn.
      last = turn.catch(() => {});
      return turn;
    },
    async close() {
      closed = true;
      await stop();
    },
  };
}

function start(): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts');
  const made = fork(new URL(`./converter-process.${isSource ? 'ts' : 'js'}`, import.meta.url), {
    env: {},
    // It reads its own code, and neither writes nor starts anything.
    execArgv: [
      '--max-old-space-size=512',
      '--stack-size=3900',
      '--no-warnings',
      '--permission',
      '--allow-fs-read=*',
    ],
    serialization: 'advanced',
    // Libraries that print would print into the protocol.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // That it could not be started, or ended amid a message, is told by its end.
  made.on('error', () => made.emit('exit'));
  made.channel?.unref();
  return made;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.ref();
  child.kill('SIGKILL');
  await ended;
}

/** What a process holds in memory; 0 where the system does not say. Buffers do not count as V8's heap. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** What the process may hold: trees of large pages are large, and a PDF that needs more than this is made to. */
const pageBytes = 768 * 1024 * 1024;
const pdfBytes = 256 * 1024 * 1024;
const watchEveryMs = 10;
