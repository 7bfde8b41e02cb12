import * as z from 'zod';
import type { BackgroundCommand, Commands } from '../../../contract/capabilities/process.ts';
import { ToolError } from '../../../contract/error.ts';
import { cleanLine, cleanText } from '../../../contract/text/clean-text.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { atMostBytes } from '../../command-text.ts';
import { dialectOf, scriptOf } from './bash.ts';

/** Shared by the tools for background commands. */
export const processIdInput = z.string().min(1).max(100);

/** The caller's own background command. Another session's is not found. */
export function backgroundOf(commands: Commands, id: string): BackgroundCommand {
  const found = commands.background(id);
  if (found) return found;
  throw new ToolError(
    'not_found',
    `No background command ${cleanLine(id)}.`,
    `バックグラウンドのコマンド ${cleanLine(id)} はありません。`,
    text('bash_list lists them.', 'bash_list で一覧を確認できます。'),
  );
}

/** The command's state for a reply. */
export function stateOf(command: BackgroundCommand) {
  const { running, exitCode, signal, timedOut } = command.status();
  return {
    running,
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(signal !== undefined && { signal }),
    ...(timedOut && { timed_out: true }),
  };
}

/** The hosts that it reached or tried to reach so far, for the record. */
export function networkOf(command: BackgroundCommand) {
  const network = command.network();
  return network.length > 0 ? { network } : {};
}

export const stateOutput = {
  running: z.boolean(),
  exit_code: z.int().optional(),
  signal: z.string().optional(),
  timed_out: z.boolean().optional(),
};

export const bashOutput = defineTool({
  name: 'bash_output',
  category: 'shell',
  title: text('Read a background command', 'バックグラウンドの出力を読む'),
  description: text(
    "Read a background command's output or wait for its end.",
    'バックグラウンドのコマンドの、cursor 以降の出力を読みます。終了を待つこともできます。',
  ),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['commands'],
  input: z.object({
    process_id: processIdInput.describe('From bash.'),
    cursor: z.int().min(0).default(0).describe('next_cursor.'),
    wait: z.int().min(0).max(45).default(0).describe('Seconds.'),
  }),
  output: z.object({
    output: z.string(),
    next_cursor: z.int(),
    more: z.literal(true).optional().describe('Read on at next_cursor now.'),
    dropped_bytes: z.int().optional().describe('Output that was too much to keep.'),
    ...stateOutput,
  }),
  ja: {
    process_id: 'bash が返した ID。',
    cursor: '前回の next_cursor。',
    wait: '終了を待つ秒数。45 まで。',
    more: '続きがすでにあり、next_cursor で読める。',
    dropped_bytes: '多すぎて保持できなかった出力。',
  },
  example: { process_id: 'bg_1', wait: 10 },
  render: ({ output, running, exit_code: code, next_cursor: next, more }, locale) => {
    const state = more
      ? text(`[more follows: cursor ${next}]`, `[続きは cursor ${next}]`)
      : running
        ? text(`[running; cursor ${next}]`, `[実行中、cursor ${next}]`)
        : text(`[ended with exit code ${code}]`, `[終了コード ${code} で終了]`);
    return output === '' ? state[locale] : `${output}\n${state[locale]}`;
  },

  async run({ process_id, cursor, wait }, { commands, signal, audit, replyBytes }) {
    const command = backgroundOf(commands, process_id);
    if (wait > 0) await command.wait(wait * 1000, signal);
    audit({ process: process_id, ...networkOf(command) });
    const { text: output, nextCursor, droppedBytes, more } = command.read(cursor, replyBytes);
    return {
      output,
      next_cursor: nextCursor,
      ...(more && { more: true as const }),
      ...(droppedBytes > 0 && { dropped_bytes: droppedBytes }),
      ...stateOf(command),
    };
  },
});

export const bashInput = defineTool({
  name: 'bash_input',
  category: 'shell',
  title: text('Write to a background command', 'バックグラウンドへ入力'),
  description: text(
    "Write to a background command's standard input.",
    'バックグラウンドのコマンドの標準入力に書き込みます。',
  ),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  uses: ['desk', 'commands'],
  input: z.object({
    process_id: processIdInput.describe('From bash.'),
    text: z
      .string()
      .min(1)
      .refine(...atMostBytes)
      .describe('e.g. "yes\\n"; "\\u0003": Ctrl-C.'),
  }),
  output: z.object({ ...stateOutput }),
  ja: { process_id: 'bash が返した ID。', text: '例: "yes\\n"。"\\u0003" は Ctrl-C。' },
  example: { process_id: 'bg_1', text: 'yes\n' },
  // Input for a shell is a command like any other; for other programs it is data.
  risk: ({ process_id, text: words }, { desk, commands }) => {
    if (words === interrupt) return {};
    const running = commands.background(process_id)?.command ?? '';
    if (!shell.test(running)) return {};
    const line = scriptOf(words, otherShell.test(running) ? 'sh' : commands.shell);
    return { command: { line, dialect: dialectOf(desk) } };
  },
  render: ({ running }, locale) =>
    running
      ? text('Written.', '書き込みました。')[locale]
      : text('Written, but it has ended.', '書き込みましたが、既に終了しています。')[locale],

  async run({ process_id, text: words }, { commands, signal, audit }) {
    const command = backgroundOf(commands, process_id);
    if (words === interrupt) {
      command.interrupt();
      // Most programs end soon after it; the reply waits a moment to report that.
      await command.wait(1000, signal);
    } else await command.write(words);
    audit({ process: process_id, bytes: Buffer.byteLength(words) });
    return stateOf(command);
  },
});

/** Ctrl-C, as a terminal takes it; a pipe would pass it on as a byte. */
const interrupt = '\u0003';

/** Shells other than bash: input that they and bash read differently is refused. */
const otherShell = /(?:^|[^\w.-])(?:da|z|k|mk|c|tc|a|fi)?sh(?:$|[^\w-])/;
const shell = /(?:^|[^\w-])(?:ba|da|z|k|mk|c|tc|a|fi)?sh(?:$|[^\w-])/;

export const bashKill = defineTool({
  name: 'bash_kill',
  category: 'shell',
  title: text('Stop a background command', 'バックグラウンドを停止'),
  description: text(
    'Stop a background command and all it started.',
    'バックグラウンドのコマンドと、そこから起動したものをすべて停止します。',
  ),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  uses: ['commands'],
  input: z.object({ process_id: processIdInput.describe('From bash.') }),
  output: z.object({ ...stateOutput }),
  ja: { process_id: 'bash が返した ID。' },
  example: { process_id: 'bg_1' },
  render: (_output, locale) => text('Stopped.', '停止しました。')[locale],

  async run({ process_id }, { commands, audit }) {
    const command = backgroundOf(commands, process_id);
    await command.kill();
    audit({ process: process_id, ...networkOf(command) });
    return stateOf(command);
  },
});

export const bashList = defineTool({
  name: 'bash_list',
  category: 'shell',
  title: text('List background commands', 'バックグラウンド一覧'),
  description: text('List background commands.', 'このセッションのバックグラウンドのコマンドを一覧します。'),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['commands'],
  input: z.object({}),
  output: z.object({
    processes: z.array(
      z.object({
        process_id: z.string(),
        command: z.string(),
        started_at: z.string().describe('e.g. "2026-02-21T09:30:00.000Z".'),
        ...stateOutput,
      }),
    ),
  }),
  ja: { 'processes.started_at': '例: "2026-02-21T09:30:00.000Z"' },
  example: {},
  render: ({ processes }, locale) =>
    processes.length === 0
      ? text('None.', 'ありません。')[locale]
      : processes
          .map(({ process_id: id, command, running, exit_code: code }) => {
            const state = running
              ? text('running', '実行中')
              : text(`exit code ${code}`, `終了コード ${code}`);
            return `${id}\t${state[locale]}\t${command}`;
          })
          .join('\n'),

  async run(_input, { commands }) {
    return {
      processes: commands.backgrounds().map((command) => ({
        process_id: command.id,
        command: cleanText(command.command),
        started_at: new Date(command.startedAtMs).toISOString(),
        ...stateOf(command),
      })),
    };
  },
});
