import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { CodeSymbol, ParseReply, ParseRequest } from './symbol.ts';

/** Parses source text in a separate process, started on first use and ended when idle. */
export type CodeParser = ReturnType<typeof createCodeParser>;

const idleMs = 30_000;
const parseMs = 20_000;

export function createCodeParser() {
  let child: ChildProcess | undefined;
  let nextId = 0;
  let idle: NodeJS.Timeout | undefined;
  const waiting = new Map<number, (symbols: readonly CodeSymbol[] | undefined) => void>();

  function start(): ChildProcess {
    const script = fileURLToPath(
      new URL(import.meta.url.endsWith('.ts') ? './parse-process.ts' : './parse-process.js', import.meta.url),
    );
    // V8's optimizing compiler runs out of memory on large functions in grammars; the baseline one does not.
    const flags = ['--liftoff-only', '--no-warnings', '--permission', '--allow-fs-read=*'];
    const started = spawn(process.execPath, [...flags, script], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {},
    });
    const { stdin, stdout } = started;
    if (!stdin || !stdout) throw new Error('the parser has no pipes');
    stdin.on('error', () => undefined);
    createInterface({ input: stdout }).on('line', (line) => {
      const { id, symbols } = JSON.parse(line) as ParseReply;
      const answer = waiting.get(id);
      waiting.delete(id);
      answer?.(symbols);
    });
    const gone = (): void => {
      if (child !== started) return;
      child = undefined;
      for (const answer of waiting.values()) answer(undefined);
      waiting.clear();
    };
    started.once('exit', gone);
    started.once('error', gone);
    started.unref();
    return started;
  }

  function close(): void {
    clearTimeout(idle);
    child?.kill('SIGKILL');
  }

  return {
    /** Undefined if the text cannot be parsed. */
    async parse(language: string, source: string): Promise<readonly CodeSymbol[] | undefined> {
      clearTimeout(idle);
      child ??= start();
      const id = ++nextId;
      const request: ParseRequest = { id, language, source };
      const answered = new Promise<readonly CodeSymbol[] | undefined>((resolve) => waiting.set(id, resolve));
      child.stdin?.write(`${JSON.stringify(request)}\n`);
      // A text that the grammar cannot handle must not block the stage forever.
      const timer = setTimeout(() => child?.kill('SIGKILL'), parseMs);
      try {
        return await answered;
      } finally {
        clearTimeout(timer);
        clearTimeout(idle);
        idle = setTimeout(close, idleMs);
        idle.unref();
      }
    },
    close,
  };
}
