import { posix } from 'node:path';
import * as z from 'zod';
import type { Desk } from '../../../contract/capabilities/capabilities.ts';
import type { DryRunChange } from '../../../contract/capabilities/dry-run.ts';
import type { Dialect } from '../../../contract/capabilities/judgement.ts';
import type { CommandLine, Commands, RunOptions } from '../../../contract/capabilities/process.ts';
import { ToolError } from '../../../contract/error.ts';
import { limits } from '../../../contract/limits.ts';
import { isInSeconds, looksLikeMilliseconds } from '../../../contract/text/describe-issue.ts';
import { type Locale, text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { counted } from '../../../ground/counted.ts';
import {
  dryRunWords,
  landedWords,
  reportDryRun,
  reportLanded,
} from '../../../ground/effects/dry-run-report.ts';
import { landedFacts } from '../../../ground/effects/landing.ts';
import { isInside } from '../../../ground/inside.ts';
import { cutMiddle } from '../../../ground/text/cut-middle.ts';
import { atMostBytes, withoutNul } from '../../command-text.ts';
import { dryInBackground, dryRunOutput, landedOutput, onFailureInput } from '../../dry-run.ts';

export const bash = defineTool({
  name: 'bash',
  category: 'shell',
  title: text('Run a command', 'コマンドを実行'),
  description: text(
    'Run a shell command. Folder, exports, /tmp and localhost persist; slow ones go to the background.',
    'シェルコマンドを実行します。フォルダー、export した変数、/tmp、localhost は次の呼び出しに引き継がれ、長くかかるものはバックグラウンドで続きます。拒否された場合は代わりの書き方が返ります。サーバーには background を使います。',
  ),
  everyday: true,
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  uses: ['desk', 'commands'],
  input: z.object({
    command: z
      .string()
      .min(1)
      .refine(...atMostBytes)
      .refine(...withoutNul)
      .describe('e.g. "ls -l | head".'),
    timeout: z.int().min(1).optional().describe('e.g. 60 s.'),
    background: z.boolean().optional().describe('For servers; gives process_id.'),
    dry_run: z.boolean().optional().describe('No changes.'),
    on_failure: onFailureInput,
  }),
  output: z.object({
    exit_code: z.int().optional(),
    stdout: z.string().optional(),
    stderr: z.string().optional(),
    signal: z.string().optional(),
    timed_out: z.boolean().optional(),
    truncated: z.boolean().optional().describe('The middle of a stream was cut; bash_output reads it.'),
    duration_ms: z.int().optional(),
    process_id: z.string().optional().describe('Of a background command, or of a long output.'),
    next_cursor: z.int().optional().describe('For bash_output, after the stdout shown here.'),
    folder: z.string().optional().describe('Where the next command begins, if not where the first did.'),
    dry_run: dryRunOutput.optional(),
    changed: landedOutput,
  }),
  ja: {
    command: '実行するコマンド。例: "ls -l | head"',
    timeout: '停止するまでの秒数。例: 60。省略時は 30、60 を超えて許可されている場合はその上限。',
    background: '開始だけして、bash_output で使う process_id を返す。',
    dry_run: 'ファイルを変更せず、変わるはずの内容を返す。',
    on_failure: '"discard": 失敗した場合、ファイルの変更を残さない。',
    truncated: '出力の途中が省かれた (bash_output で読める)。',
    process_id: 'バックグラウンドのコマンド、または長い出力の ID。',
    next_cursor: 'ここに示した stdout の続きを読むための bash_output の cursor。',
    folder: '次のコマンドが始まるフォルダー。最初と違う場合だけ。',
  },
  example: { command: 'ls -l | head' },
  risk: ({ command, timeout, background, dry_run }, { desk, commands }) => {
    assertAllowed(timeout, commands);
    if (background && dry_run) throw dryInBackground();
    const { variables } = commands.kept();
    return {
      command: {
        line: scriptOf(command, commands.shell),
        dialect: dialectOf(desk),
        variables,
        dryRun: dry_run,
        endsWithCall: background !== true,
      },
      workingFolder: commandFolder(desk, commands),
    };
  },
  render: (output, locale) => {
    const { process_id: id, exit_code: code, stdout = '', stderr = '', timed_out: isOver, folder } = output;
    if (id !== undefined && code === undefined && output.next_cursor === undefined)
      return text(
        `Started as ${id}. Read it with bash_output.`,
        `${id} として開始しました。bash_output で出力を読めます。`,
      )[locale];
    const parts = [
      (code !== undefined
        ? text(`exit code ${code}`, `終了コード ${code}`)
        : text(
            `Still running, in the background as ${id}: follow it with bash_output (wait, cursor ${output.next_cursor}), end it with bash_kill.`,
            `まだ実行中です。バックグラウンドの ${id} として続いています。bash_output (wait、cursor ${output.next_cursor}) で出力を確認し、bash_kill で停止できます。`,
          ))[locale],
    ];
    if (folder !== undefined) parts.push(text(`folder: ${folder}`, `フォルダー: ${folder}`)[locale]);
    if (isOver) parts.push(text('stopped: it ran out of time', 'タイムアウトで停止しました')[locale]);
    if (output.changed) parts.push(landedWords(output.changed, locale));
    if (output.dry_run) parts.push(dryRunWords(output.dry_run, locale));
    if (stdout !== '') parts.push(`stdout:\n${stdout}`);
    if (stderr !== '') parts.push(`stderr:\n${stderr}`);
    return parts.join('\n');
  },

  async run(
    { timeout, background, on_failure: onFailure },
    { desk, commands, signal, progress, meta, audit, replyBytes, locale, judged, patienceMs },
  ) {
    if (!judged.command) throw new Error('bash runs what was judged');
    const { line, variables, dryRun } = judged.command;
    const where = {
      ...foldersFor(desk, judged.workingFolder ?? '.'),
      environment: variables,
      inSession: true,
    };
    if (background) {
      const started = await commands.start(line, where);
      audit({ process: started.id });
      return { process_id: started.id };
    }
    let bytes = 0;
    const attended = await commands.attend(line, {
      ...where,
      // A dry run ends with its call.
      timeoutMs: Math.min(timeoutOf(timeout, commands), dryRun ? patienceMs : Number.POSITIVE_INFINITY),
      fate: dryRun ? 'dry-run' : onFailure,
      handOverMs: patienceMs,
      signal,
      onOutput: (_stream, more) => {
        bytes += more;
        progress(bytes);
      },
    });
    if (attended.kind === 'going') {
      const { command } = attended;
      audit({ process: command.id });
      const { text: stdout, nextCursor } = command.read(0, replyBytes);
      return { process_id: command.id, stdout, next_cursor: nextCursor };
    }
    const { result } = attended;
    const folder = commandFolder(desk, commands);
    meta({ sandbox: result.sandbox });
    audit({
      exitCode: result.exitCode,
      ...(result.network && { network: result.network }),
      ...landedFacts(result.landed),
    });
    const keep = (output: string) => commands.keep(line, output, result.exitCode);
    const names = {
      locale,
      nameOf: ({ root, path }: DryRunChange) => shownIn(desk, posix.join(root, path)),
    };
    const { verdict } = result;
    const tried =
      result.dryRun &&
      reportDryRun(result.dryRun, { ...names, verdict, maxBytes: Math.floor(replyBytes / 2) });
    const changed = result.tried && reportLanded(result.tried, names);
    const told = [tried && dryRunWords(tried, locale), changed && landedWords(changed, locale)];
    const room = replyBytes - Buffer.byteLength(told.filter((words) => words !== undefined).join('\n'));
    const { stdout, stderr, id } = fitOutput(result, room, keep, locale);
    return {
      exit_code: result.exitCode,
      stdout,
      stderr,
      ...(id !== undefined && { process_id: id }),
      ...(result.signal !== undefined && { signal: result.signal }),
      timed_out: result.timedOut,
      truncated: result.truncated || id !== undefined,
      duration_ms: result.durationMs,
      ...(folder !== desk.ownPath && { folder }),
      ...(changed && changed.length > 0 && { changed }),
      ...(tried && { dry_run: tried }),
    };
  },
});

/** By default a command gets half a minute, or all that the operator allows beyond a minute. */
function timeoutOf(seconds: number | undefined, { maxTimeoutMs }: Commands): number {
  if (seconds !== undefined) return seconds * 1000;
  return maxTimeoutMs > limits.bashMaxTimeoutMs
    ? maxTimeoutMs
    : Math.min(limits.commandTimeoutMs, maxTimeoutMs);
}

function assertAllowed(seconds: number | undefined, { maxTimeoutMs }: Commands): void {
  if (seconds === undefined || seconds * 1000 <= maxTimeoutMs) return;
  const most = Math.floor(maxTimeoutMs / 1000);
  const wrong = isInSeconds(seconds, most);
  throw new ToolError(
    'invalid_parameter',
    looksLikeMilliseconds(seconds, most)
      ? text(`timeout ${wrong.en}.`, `timeout は${wrong.ja}。`)
      : text(
          `timeout can be at most ${counted(most, 'second')} here.`,
          `ここでは timeout は ${most} 秒までです。`,
        ),
    text(
      'Use background for longer commands. The operator can allow up to an hour with process.maxTimeoutMs, as the profile "coding" does.',
      'それより長いものには background を使ってください。運用者は process.maxTimeoutMs で 1 時間まで許可できます（プロファイル "coding" では許可済み）。',
    ),
    { field: 'timeout' },
  );
}

/** The strict dialect is for the assistant's own folder; in a person's project commands are judged by their effects. */
export function dialectOf({ ownPath }: Pick<Desk, 'ownPath'>): Dialect {
  return ownPath === '.' ? 'plain' : 'strict';
}

/** The shell that is judged is the one that runs: bash, or without it the syntax that every `sh` reads alike. */
export function scriptOf(command: string, shell: Commands['shell']): CommandLine {
  return { kind: 'script', script: command, shell };
}

/** The current folder of the session's commands, as replies name it. */
function commandFolder({ ownPath, workspace }: Desk, commands: Commands): string {
  const { folder } = commands.kept();
  if (folder === undefined) return ownPath;
  const shown = shownIn({ workspace }, folder);
  // With a folder per day, a folder outside it is not kept.
  return ownPath === '.' || isInside(shown, ownPath) ? shown : ownPath;
}

/** A path as replies name it: relative to the workspace, or absolute in another root. */
function shownIn({ workspace }: Pick<Desk, 'workspace'>, hostPath: string): string {
  const relative = posix.relative(workspace.at('.').hostPath, hostPath) || '.';
  return relative.startsWith('..') ? hostPath : relative;
}

/** The folders that a command may write and see, and its working folder; creates the caller's own if needed. */
function foldersFor(
  { own, ownPath, workspace, othersPath }: Desk,
  begins: string,
): Pick<RunOptions, 'workingFolder' | 'reach'> {
  const folder = own.at('.');
  if (!folder.exists()) folder.makeFolder();
  const workingFolder = posix.resolve(workspace.at('.').hostPath, begins);
  if (ownPath === '.') return { workingFolder };
  const covered = othersPath === undefined ? [] : [workspace.at(othersPath).hostPath];
  return { workingFolder, reach: { writable: [folder.hostPath], covered } };
}

interface Streams {
  readonly stdout: string;
  readonly stderr: string;
}

/** Fits both streams into a reply: a line for the middle says how to read it. `keep` takes the whole. */
function fitOutput(
  { stdout, stderr }: Streams,
  replyBytes: number,
  keep: (output: string) => string | undefined,
  locale: Locale,
): Streams & { readonly id?: string | undefined } {
  const [outBytes, errBytes] = [Buffer.byteLength(stdout), Buffer.byteLength(stderr)];
  const room = replyBytes - noteBytes;
  if (outBytes + errBytes <= room) return { stdout, stderr };
  // stderr gets a quarter of the room, and what stdout leaves.
  const errRoom = Math.max(Math.floor(room / 4), room - outBytes);
  const id = keep(stdout + stderr);
  const shorten = (stream: string, maxBytes: number, startsAt: number) => {
    const cut = cutMiddle(stream, maxBytes);
    if (!cut) return stream;
    const { head, tail, fromByte, leftOutBytes: bytes } = cut;
    const how = id === undefined ? '' : `: bash_output process_id ${id}, cursor ${startsAt + fromByte}`;
    const note = text(`[… ${counted(bytes, 'byte')} left out${how} …]`, `[… ${bytes} バイト省略${how} …]`)[
      locale
    ];
    return `${head}${head.endsWith('\n') ? '' : '\n'}${note}\n${tail}`;
  };
  return {
    stdout: shorten(stdout, room - Math.min(errBytes, errRoom), 0),
    stderr: shorten(stderr, errRoom, outBytes),
    id,
  };
}

/** For the exit code, the names of the streams and the notes. */
const noteBytes = 400;
