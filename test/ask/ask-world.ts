import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { askModel } from '../../src/cli/ask/ask.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { ConfigFile } from '../../src/config/schema.ts';
import type { Flags } from '../../src/config/settings.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run is given beside its options. */
export interface Hands {
  /** Lines of a pipe. */
  readonly typed?: string;
  /** A terminal that the test types into. */
  readonly terminal?: PassThrough;
  readonly flags?: Flags;
  readonly now?: () => number;
  /** Everything that was shown so far, whenever something is. */
  readonly onShown?: (shown: string) => void;
}

/** A folder, a configuration with the model `test` at this address, and the command as a person runs it. */
export function openAskWorld(
  url: string,
  more: {
    readonly files?: Readonly<Record<string, string>>;
    readonly config?: ConfigFile;
    readonly flags?: Flags;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-ask-'));
  const root = join(folder, 'root');
  mkdirSync(root);
  for (const [path, content] of Object.entries(more.files ?? {})) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const config = join(folder, 'sekisho.jsonc');
  const models = { test: { model: 'scripted-1', url, keyVariable: 'TEST_KEY' } };
  writeFileSync(config, JSON.stringify({ models, ask: { model: 'test' }, ...more.config }));
  const state = join(folder, 'state');
  const interrupts: (() => void)[] = [];

  /** Runs the command as a person would. */
  async function sekishoAsk(
    words: string | undefined,
    options: Readonly<Record<string, unknown>> = {},
    hands: Hands = {},
  ): Promise<Ran> {
    const input = hands.terminal ?? new PassThrough();
    if (!hands.terminal) input.end(hands.typed ?? '');
    const output = new PassThrough();
    const beside = new PassThrough();
    const shown = { stdout: '', stderr: '' };
    output.setEncoding('utf8').on('data', (chunk: string) => {
      shown.stdout += chunk;
      hands.onShown?.(shown.stdout + shown.stderr);
    });
    beside.setEncoding('utf8').on('data', (chunk: string) => {
      shown.stderr += chunk;
      hands.onShown?.(shown.stdout + shown.stderr);
    });
    const code = await askModel(
      words === undefined ? [] : [words],
      { root, config, state, ...more.flags, ...hands.flags },
      options,
      {
        environment: {
          HOME: folder,
          PATH: process.env.PATH,
          LANG: 'C.UTF-8',
          TEST_KEY: 'sk-secret',
          ...more.environment,
        },
        input: Object.assign(input, { isTTY: hands.terminal !== undefined }),
        output,
        beside,
        cwd: root,
        retryDelaysMs: [1, 1, 1],
        now: hands.now,
        onSignals(interrupt) {
          interrupts.push(interrupt);
          return () => {};
        },
      },
    );
    await new Promise((resolve) => setImmediate(resolve));
    return { code, ...shown };
  }

  /** The audit log's records of calls, oldest first. */
  async function audited() {
    const settings = loadSettings({ root, config, state }, { HOME: folder, TEST_KEY: 'x' }, root);
    const checkpoint = await openCheckpoint(settings);
    try {
      const { audit } = await checkpoint.store();
      return await audit.search({ limit: 100 });
    } finally {
      await checkpoint.close();
    }
  }

  return {
    root,
    audited,
    state,
    sekishoAsk,
    interrupt: () => interrupts.at(-1)?.(),
    session: (name: string) => readFileSync(join(state, 'ask', `${name}.jsonl`), 'utf8'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The events of `--event-output`. */
export function eventsOf(ran: Ran): readonly Record<string, unknown>[] {
  return ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
