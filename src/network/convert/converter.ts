import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ReadablePage } from '../../contract/capabilities/network.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { isPdf } from './pdf.ts';

/** A page to convert. `plain` uses no parser: for a page that was too much for them. */
export interface ConverterJob {
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Convert all of an HTML page, not only its main part. */
  readonly full?: boolean | undefined;
  readonly plain?: boolean | undefined;
}

export type ConverterAnswer =
  | { readonly kind: 'page'; readonly page: ReadablePage }
  | { readonly kind: 'unsupported'; readonly what: string }
  | { readonly kind: 'failed'; readonly problem: string };

/**
 * Converts pages one at a time in a separate process, started on first use and ended when idle. Pages are untrusted
 * input to large parsers: exhausting time, memory or stack costs that process, not the server, and its memory is freed
 * completely. A page that defeats the parsers is read again as bare words.
 */
export function openConverter({
  timeoutMs = 10_000,
  idleMs = 30_000,
}: {
  readonly timeoutMs?: number | undefined;
  readonly idleMs?: number | undefined;
} = {}) {
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
    if (answer.kind === 'unsupported')
      throw new ToolError(
        'unsupported_type',
        `The page is ${answer.what}, which is not supported here.`,
        `このページの種類 ${answer.what} は読めません。`,
        text(
          'Fetch an HTML, text, JSON, PDF or image address.',
          'HTML、テキスト、JSON、PDF、画像の URL を取得してください。',
        ),
      );
    throw new ToolError(
      'upstream_error',
      'The page could not be turned into text.',
      'ページをテキストにできませんでした。',
      { suggestion: text('Use another source.', '別の情報源を使ってください。'), cause: answer.problem },
    );
  }

  return {
    convert(job: ConverterJob) {
      const turn = last.then(() => convert(job));
      // The requester gets a failure; the next page only waits its turn.
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
    // It may read its own code, but neither write nor start anything.
    execArgv: `--max-old-space-size=512 --stack-size=3900 --no-warnings --permission --allow-fs-read=*`.split(
      /\s+/,
    ),
    serialization: 'advanced',
    // Libraries that print would otherwise write into the protocol.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Errors of starting or sending are handled like its exit.
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

/** The resident memory of a process; 0 if unknown. V8's heap size would not include buffers. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Memory limits of the process: trees of large pages are large, but a PDF that needs more than this is malicious. */
const pageBytes = 768 * 1024 * 1024;
const pdfBytes = 256 * 1024 * 1024;
const watchEveryMs = 10;
