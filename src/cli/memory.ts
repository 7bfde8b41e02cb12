import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { openCheckpoint } from '../checkpoint/index.ts';
import { whyUnreadable } from '../config/file/why-unreadable.ts';
import { type Flags, loadSettings } from '../config/load.ts';
import { ConfigError } from '../contract/error.ts';
import { note, print, say } from './common/say.ts';
import { withOperator } from './common/with-operator.ts';

type Options = Readonly<Record<string, unknown>>;

/** Prints a user's memories as JSON Lines, oldest first. */
export function exportMemory(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => {
    const { exportMemories } = await import('../operator/memory-lines.ts');
    const memories = (await checkpoint.store()).memoriesFor(ownerOf(options));
    for await (const line of exportMemories(memories)) print(line);
    return 0;
  });
}

/** Stores what `memory export` printed; what is there already is not doubled. */
export function importMemory(file: string, flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ acts }) => {
    const input = file === '-' ? process.stdin : createReadStream(file);
    const opened = input === process.stdin ? Promise.resolve() : openedOrThrow(input, file);
    await opened;
    const { stored, duplicates } = await acts.importMemories(ownerOf(options), linesOf(input));
    if (options.json) say(JSON.stringify({ stored, duplicates }));
    else say(`${stored} stored, ${duplicates} already there.`);
    return 0;
  });
}

/** Opened at the first line asked for: an interface that nobody listens to lets lines go by. */
async function* linesOf(input: NodeJS.ReadableStream): AsyncIterable<string> {
  yield* createInterface({ input });
}

/** Embeds what waits for it and says how far it came; exit code 1 where something is left. */
export async function embedMemory(flags: Flags, options: Options): Promise<number> {
  const settings = loadSettings(flags);
  const { embeddings } = settings.memory;
  const checkpoint = await openCheckpoint(settings);
  try {
    const meaning = await (await checkpoint.store()).meaning?.();
    if (!meaning || !embeddings) {
      throw new ConfigError(
        'Memories are not embedded: name a server and a model in memory.embeddings, e.g. {"model": "bge-m3"} for Ollama.',
      );
    }
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
    if (options.json) say(JSON.stringify({ model, url, ...backlog, ...drained }));
    else {
      say(
        `${backlog.embedded} of ${backlog.memories} memories embedded by ${model}, ${backlog.waiting} wait.`,
      );
      if (backlog.refused > 0) say(`${backlog.refused} of these were refused several times.`);
      if (drained?.problem !== undefined) note(`Stopped: ${drained.problem}. What waits is not lost.`);
    }
    return backlog.waiting > 0 && drained ? 1 : 0;
  } finally {
    await checkpoint.close();
  }
}

async function openedOrThrow(input: NodeJS.ReadableStream, file: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    input.once('open', () => resolve());
    input.once('error', (error) =>
      reject(new ConfigError(`${file} cannot be read: ${whyUnreadable(error)}.`, { cause: error })),
    );
  });
}

function ownerOf({ user }: Options): string {
  return user === undefined ? 'local' : `user:${String(user)}`;
}
