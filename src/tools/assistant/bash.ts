import { z } from 'zod';
import type { Desk } from '../../contract/capabilities.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { limits } from '../../contract/limits.ts';
import type { CommandLine, Commands } from '../../contract/process.ts';
import { text } from '../../contract/text.ts';
import { fitOutput } from './fit-output.ts';

export const bash = defineTool({
  name: 'bash',
  category: 'shell',
  title: text('Run a command', 'コマンドを実行'),
  description: text(
    'Run a shell command. Not allowed: $() and backquotes, eval, exec, sudo, su, rm -rf. Use background for what goes on, such as a server.',
    'シェルコマンドを実行します。$() やバッククォート、eval、exec、sudo、su、rm -rf は使えません。サーバーなど続くものには background を使います。',
  ),
  permission: 'authenticated',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  uses: ['desk', 'commands'],
  input: z.object({
    command: z
      .string()
      .min(1)
      .refine(
        (line) => Buffer.byteLength(line) <= limits.commandBytes,
        `must be at most ${limits.commandBytes} bytes`,
      )
      .refine((line) => !line.includes('\0'), 'must not contain NUL')
      .describe('e.g. "ls -l | head".'),
    timeout: z.number().int().min(1).max(60).default(30).describe('Seconds, e.g. 60.'),
    background: z.boolean().default(false).describe('Start it and return a process_id for bash_output.'),
  }),
  output: z.object({
    exit_code: z.number().int().optional(),
    stdout: z.string().optional(),
    stderr: z.string().optional(),
    signal: z.string().optional(),
    timed_out: z.boolean().optional(),
    truncated: z.boolean().optional().describe('The middle of a stream was cut; bash_output reads it.'),
    duration_ms: z.number().int().optional(),
    process_id: z.string().optional().describe('Of a background command, or of a long output.'),
  }),
  ja: {
    command: '実行するコマンド。例: "ls -l | head"',
    timeout: 'タイムアウト秒。例: 60',
    background: '開始だけして、bash_output で使う process_id を返す。',
    truncated: '出力の途中が省かれた (bash_output で読める)。',
    process_id: 'バックグラウンドのコマンド、または長い出力の ID。',
  },
  example: { command: 'ls -l | head' },
  risk: ({ command }, { desk, commands }) => ({
    command: { line: scriptOf(command, commands.shell), dialect: 'strict' },
    workingFolder: desk.ownPath,
  }),
  render: (output, locale) => {
    const { process_id: id, exit_code: code, stdout = '', stderr = '', timed_out: isOver } = output;
    if (id !== undefined && code === undefined) {
      return text(
        `Started as ${id}. Read it with bash_output.`,
        `${id} として開始しました。bash_output で出力を読めます。`,
      )[locale];
    }
    const parts = [text(`exit code ${code}`, `終了コード ${code}`)[locale]];
    if (isOver) parts.push(text('stopped: it ran out of time', '時間切れで停止しました')[locale]);
    if (stdout !== '') parts.push(`stdout:\n${stdout}`);
    if (stderr !== '') parts.push(`stderr:\n${stderr}`);
    return parts.join('\n');
  },

  async run(
    { command, timeout, background },
    { desk, commands, signal, progress, meta, audit, replyBytes, locale },
  ) {
    const line = scriptOf(command, commands.shell);
    const where = workingFolderOf(desk);
    if (background) {
      const started = await commands.start(line, where);
      audit({ process: started.id });
      return { process_id: started.id };
    }
    let bytes = 0;
    const result = await commands.run(line, {
      ...where,
      timeoutMs: timeout * 1000,
      signal,
      onOutput: (_stream, more) => {
        bytes += more;
        progress(bytes);
      },
    });
    meta({ sandbox: result.sandbox });
    audit({ exitCode: result.exitCode, ...(result.network && { network: result.network }) });
    const keep = (output: string) => commands.keep(line, output, result.exitCode);
    const { stdout, stderr, id } = fitOutput(result, replyBytes, keep, locale);
    return {
      exit_code: result.exitCode,
      stdout,
      stderr,
      ...(id !== undefined && { process_id: id }),
      ...(result.signal !== undefined && { signal: result.signal }),
      timed_out: result.timedOut,
      truncated: result.truncated || id !== undefined,
      duration_ms: result.durationMs,
    };
  },
});

/** The dialect that is judged is the one that runs: bash's, or where there is none what every `sh` reads alike. */
export function scriptOf(command: string, shell: Commands['shell']): CommandLine {
  return { kind: 'script', script: command, shell };
}

/** The caller's own folder, made if it is not there yet: the one place that a command may write. */
function workingFolderOf({ own, ownPath, workspace, othersPath }: Desk): {
  readonly workingFolder: string;
  readonly writable?: readonly string[];
  readonly covered?: readonly string[];
} {
  const folder = own.at('.');
  if (!folder.exists()) folder.makeFolder();
  const workingFolder = folder.hostPath;
  if (ownPath === '.') return { workingFolder };
  const covered = othersPath === undefined ? [] : [workspace.at(othersPath).hostPath];
  return { workingFolder, writable: [workingFolder], covered };
}
