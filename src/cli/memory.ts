import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { openCheckpoint } from '../checkpoint/index.ts';
import { whyUnreadable } from '../config/file/why-unreadable.ts';
import { loadSettings } from '../config/load.ts';
import type { Flags } from '../config/settings.ts';
import { ConfigError } from '../contract/error.ts';
import { visibleJson } from '../contract/text/visible-json.ts';
import { counted } from '../ground/counted.ts';
import type { Options } from './common/options.ts';
import { note, print, say, sayJson } from './common/say.ts';
import { withOperator } from './common/with-operator.ts';

/** Prints a user's memories as JSON Lines, oldest first. */
export function exportMemory(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => {
    const { exportMemories } = await import('../operator/memory-lines.ts');
    const memories = (await checkpoint.store()).memoriesFor(ownerOf(options));
    for await (const line of exportMemories(memories)) print(visibleJson(line));
    return 0;
  });
}

/** Stores the output of `memory export`; existing memories are not duplicated. */
export function importMemory(file: string, flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ acts }) => {
    const input = file === '-' ? process.stdin : createReadStream(file);
    const opened = input === process.stdin ? Promise.resolve() : openedOrThrow(input, file);
    await opened;
    const { stored, duplicates } = await acts.importMemories(ownerOf(options), linesOf(input));
    if (options.json) sayJson({ stored, duplicates });
    else
      say(
        `${stored} stored, ${duplicates} already there.`,
        `${stored} 件を保存しました。${duplicates} 件は既にありました。`,
      );
    return 0;
  });
}

/** Created when the first line is read: without a listener, an interface drops lines. */
async function* linesOf(input: NodeJS.ReadableStream): AsyncIterable<string> {
  yield* createInterface({ input });
}

/** Embeds pending memories and reports progress; exit code 1 if some are left. */
export async function embedMemory(flags: Flags, options: Options): Promise<number> {
  const settings = loadSettings(flags);
  const { embeddings } = settings.memory;
  await using checkpoint = await openCheckpoint(settings);
  const meaning = await (await checkpoint.store()).meaning?.();
  if (!meaning || !embeddings)
    throw new ConfigError(
      'Memories are not embedded: name a server and a model in memory.embeddings, e.g. {"model": "bge-m3"} for Ollama.',
      'メモリの埋め込みが設定されていません。memory.embeddings にサーバーとモデルを指定してください。例: Ollama なら {"model": "bge-m3"}',
    );
  const drained = options.status
    ? undefined
    : await meaning.drain({
        all: options.all === true,
        signal: new AbortController().signal,
        progress(embedded) {
          if (process.stderr.isTTY) process.stderr.write(`\r${embedded}   `);
        },
      });
  if (process.stderr.isTTY && drained) process.stderr.write('\n');
  const backlog = await meaning.backlog();
  const { model, url } = embeddings;
  if (options.json) sayJson({ model, url, ...backlog, ...drained });
  else {
    say(
      `${backlog.embedded} of ${counted(backlog.memories, 'memory', 'memories')} embedded by ${model}; waiting: ${backlog.waiting}.`,
      `メモリ ${backlog.memories} 件のうち ${backlog.embedded} 件を ${model} で埋め込み済み。残り ${backlog.waiting} 件。`,
    );
    if (backlog.refused > 0)
      say(
        `Of these, refused several times: ${backlog.refused}.`,
        `うち ${backlog.refused} 件は何度も拒否されました。`,
      );
    if (drained?.problem !== undefined)
      note(
        `Stopped: ${drained.problem}. The rest is not lost.`,
        `中断しました: ${drained.problem}。残りは失われていません。`,
      );
  }
  return backlog.waiting > 0 && drained ? 1 : 0;
}

async function openedOrThrow(input: NodeJS.ReadableStream, file: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    input.once('open', () => resolve());
    input.once('error', (error) =>
      reject(
        new ConfigError(
          `${file} cannot be read: ${whyUnreadable(error).en}.`,
          `${file} を読み込めません: ${whyUnreadable(error).ja}。`,
          { cause: error },
        ),
      ),
    );
  });
}

function ownerOf({ user }: Options): string {
  return user === undefined ? 'local' : `user:${String(user)}`;
}
