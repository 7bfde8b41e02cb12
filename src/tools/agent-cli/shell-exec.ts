import { join } from 'node:path';
import * as z from 'zod';
import type { DryRunChange } from '../../contract/capabilities/dry-run.ts';
import type { Folder } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import type { OutsideRun } from '../../contract/policy.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { inputRule } from '../../contract/tool/input-rule.ts';
import { counted } from '../../ground/counted.ts';
import { dryRunWords, landedWords, reportDryRun, reportLanded } from '../../ground/effects/dry-run-report.ts';
import { landedFacts } from '../../ground/effects/landing.ts';
import { cutMiddle } from '../../ground/text/cut-middle.ts';
import { inBytes, withoutNul } from '../command-text.ts';
import { dryRunOutput, landedOutput, onFailureInput } from '../dry-run.ts';
import { commandLineOf } from './command-line.ts';
import { follow, followingOf, stateOf } from './going-on.ts';
import {
  assertUnchanged,
  type Outside,
  OutsideNotes,
  outsideInput,
  outsideOf,
  ranOutside,
} from './outside.ts';

/** Runs a program, or a line that is judged as a script, in the sandbox; outside if a person agreed to this one. */
export function createShellExec(outside: Outside = text('is not possible here', 'ここでは使えません')) {
  const notes = new OutsideNotes(outside);
  return defineTool({
    name: 'shell_exec',
    category: 'commands',
    title: text('Run a command', 'コマンドを実行'),
    description: text(
      'Runs a command in a sandbox and returns its output and exit code. Without network; writes only inside the allowed folders. After 50 s it continues: "wait p1" waits for it, "kill p1" ends it.',
      '指定されたシェルコマンドをサンドボックスで実行し、その標準出力と標準エラー出力を返します。ネットワークはなく、書き込みは許可されたフォルダー内だけです。50 秒を超えると続行し、"wait p1" で待機、"kill p1" で停止できます。',
    ),
    everyday: true,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    uses: ['commands', 'files'],
    input: z.object({
      command: z
        .string()
        .refine((command) => command.trim() !== '', inputRule('must not be empty', '空にはできません'))
        .refine(...withoutNul)
        .refine(
          ...inBytes(
            text(
              `must be at most ${limits.commandBytes} bytes long; write a longer script to a file`,
              `${limits.commandBytes} バイト以下でなければなりません。長いスクリプトはファイルに書いてください`,
            ),
          ),
        )
        .describe('Program or command line, e.g. "git", "grep -rn main src | head".'),
      args: z
        .array(z.string().refine(...withoutNul))
        .max(limits.commandArguments)
        .refine(
          ...inBytes(
            text(
              `must be at most ${limits.commandBytes} bytes long together`,
              `合わせて ${limits.commandBytes} バイト以下でなければなりません`,
            ),
          ),
        )
        .default([])
        .describe('Passed as they are, e.g. ["log", "--oneline"].'),
      cwd: z.string().min(1).optional().describe('e.g. "packages/web". Default: the first root.'),
      timeout_ms: z
        .int()
        .min(1)
        .max(limits.commandMaxTimeoutMs)
        .default(limits.commandTimeoutMs)
        .describe('e.g. 120000.'),
      dry_run: z.boolean().default(false).describe('Only show what would change.'),
      on_failure: onFailureInput,
      outside: outsideInput(outside),
    }),
    output: z.object({
      stdout: z.string(),
      stderr: z.string(),
      exitCode: z.int().describe('128 + signal where it was killed, -1 while it runs.'),
      timed_out: z.boolean(),
      signal: z.string().optional().describe('e.g. "SIGTERM".'),
      truncated: z.boolean().describe('The middle of an output was cut.'),
      duration_ms: z.int(),
      process_id: z.string().optional().describe('It goes on, or there is more to read: for wait and kill.'),
      next_cursor: z.int().optional().describe('For wait, after the output shown here.'),
      dry_run: dryRunOutput.optional(),
      changed: landedOutput,
    }),
    ja: {
      command: '実行するプログラム、またはコマンド行全体。例: "git"、"grep -rn main src | head"',
      args: 'コマンドに渡す引数の配列。そのまま渡されます。例: ["log", "--oneline"]',
      cwd: '作業ディレクトリ。例: "packages/web"。省略時は最初のルート。',
      timeout_ms: '停止されるまでの時間。例: 120000',
      dry_run: 'ファイルを変更せず、変わるはずの内容を返します。',
      on_failure: '"discard": 失敗した場合、ファイルの変更を残しません。',
      ...(outside === 'ask' && {
        outside:
          'サンドボックスの外で、ユーザーの権限で実行する理由。人に確認します。例: "apt に root が必要"',
      }),
      exitCode: 'コマンドの終了コード。シグナルで終了した場合は 128 + シグナル番号、実行中は -1。',
      signal: '例: "SIGTERM"',
      truncated: '出力の途中が省略されました。',
      process_id: '続行中、または続きの出力あり。wait と kill に渡す ID。',
      next_cursor: 'ここに示した出力の続きを読むための、wait の 2 番目の引数。',
    },
    example: { command: 'git', args: ['log', '--oneline', '-5'] },

    render(output, locale, replyBytes) {
      const { exitCode, stdout, stderr, process_id: id, next_cursor, dry_run: tried, changed } = output;
      const ended = text(`exit code ${exitCode}`, `終了コード ${exitCode}`);
      const parts = [(exitCode < 0 ? text('still running', '実行中') : ended)[locale]];
      if (id !== undefined)
        parts.push(
          text(`continue with: wait ${id} ${next_cursor}`, `続きは: wait ${id} ${next_cursor}`)[locale],
        );
      if (output.timed_out) {
        const after = output.duration_ms < 2000 ? ` (timeout_ms, ${output.duration_ms} ms)` : '';
        parts.push(text(`stopped: it ran out of time${after}`, `タイムアウトで停止しました${after}`)[locale]);
      }
      if (changed) parts.push(landedWords(changed, locale));
      if (tried) parts.push(dryRunWords(tried, locale));
      const room = replyBytes - Buffer.byteLength(parts.join('\n'));
      const errBytes = Math.min(Buffer.byteLength(stderr), Math.floor(room / 4));
      if (stdout !== '') parts.push(`stdout:\n${shortened(stdout, room - errBytes, locale)}`);
      if (stderr !== '') parts.push(`stderr:\n${shortened(stderr, errBytes, locale)}`);
      return parts.join('\n');
    },

    async risk(input, { files, commands, caller }) {
      const line = commandLineOf(input, commands.shell);
      if (followingOf(line)) return {};
      if (input.outside !== undefined) {
        assertNotTried(input);
        const workingFolder = workingFolderOf(input.cwd, files);
        const asked = { line, workingFolder, reason: input.outside, files, commands, caller };
        return { command: { line, dialect: 'listed' }, workingFolder, outside: await outsideOf(asked) };
      }
      return {
        command: { line, dialect: 'listed', dryRun: input.dry_run, endsWithCall: true },
        workingFolder: input.cwd === undefined ? '.' : files.at(input.cwd).path,
      };
    },

    async run(input, context) {
      const { commands, files, signal, audit, meta, replyBytes, patienceMs, locale, caller, judged } =
        context;
      const line = commandLineOf(input, commands.shell);
      const following = followingOf(line);
      if (following) {
        audit({ process: following.id });
        return follow(following, commands, { patienceMs, signal, replyBytes });
      }
      const workingFolder = workingFolderOf(input.cwd, files);
      let agreed: OutsideRun | undefined;
      if (input.outside !== undefined) {
        agreed = await outsideOf({ line, workingFolder, reason: input.outside, files, commands, caller });
        assertUnchanged(judged.outside, agreed);
        audit({ outside: true });
      }
      const attended = await commands.attend(line, {
        workingFolder,
        outside: agreed?.variables,
        // A dry run ends with its call.
        timeoutMs: input.dry_run ? Math.min(input.timeout_ms, patienceMs) : input.timeout_ms,
        fate: input.dry_run ? 'dry-run' : input.on_failure,
        handOverMs: patienceMs,
        signal,
      });
      if (attended.kind === 'going') {
        const { id } = attended.command;
        audit({ process: id });
        const state = stateOf(attended.command, 0, replyBytes);
        return agreed ? { ...state, stderr: ranOutside } : state;
      }
      const { result } = attended;
      audit({
        exit_code: result.exitCode,
        sandbox: result.sandbox,
        ...(result.network && { network: result.network }),
        ...landedFacts(result.landed),
      });
      meta({ sandbox: result.sandbox });
      const names = {
        locale,
        nameOf: ({ root, path }: DryRunChange) =>
          root === files.roots[0]?.hostPath ? path : join(root, path),
      };
      const { verdict } = result;
      const changed = result.tried && reportLanded(result.tried, names);
      return {
        stdout: result.stdout,
        stderr: result.stderr + (agreed ? ranOutside : notes.afterInside(result, caller.sessionId)),
        exitCode: result.exitCode,
        timed_out: result.timedOut,
        ...(result.signal === undefined ? {} : { signal: result.signal }),
        truncated: result.truncated,
        duration_ms: result.durationMs,
        ...(changed && changed.length > 0 && { changed }),
        ...(result.dryRun && {
          dry_run: reportDryRun(result.dryRun, { ...names, verdict, maxBytes: Math.floor(replyBytes / 2) }),
        }),
      };
    },
  });
}

function shortened(stream: string, maxBytes: number, locale: Locale): string {
  const cut = cutMiddle(stream, maxBytes);
  if (!cut) return stream;
  const note = text(
    `[… ${counted(cut.leftOutBytes, 'byte')} left out: write the output to a file and read the file to see all of it …]`,
    `[… ${cut.leftOutBytes} バイト省略: すべてを確認するには、出力をファイルに書き、そのファイルを読んでください …]`,
  );
  return `${cut.head}\n${note[locale]}\n${cut.tail}`;
}

/** Nothing outside can be tried or taken back. */
function assertNotTried(input: {
  readonly dry_run: boolean;
  readonly on_failure?: string | undefined;
}): void {
  const other = input.dry_run ? 'dry_run' : input.on_failure === 'discard' ? 'on_failure' : undefined;
  if (other === undefined) return;
  throw new ToolError(
    'invalid_parameter',
    `outside and ${other} exclude each other: what runs outside is neither tried nor taken back.`,
    `outside と ${other} は同時に指定できません。外で実行したものは、試すことも取り消すこともできません。`,
  );
}

function workingFolderOf(cwd: string | undefined, files: Folder): string {
  if (cwd === undefined) {
    const [root] = files.roots;
    if (root) return root.hostPath;
    throw new ToolError('out_of_scope', 'No folder is allowed.', '許可されたフォルダーがありません。');
  }
  const place = files.at(cwd);
  if (place.stat().kind === 'folder') return place.hostPath;
  throw new ToolError(
    'unsupported_type',
    `${place.shown} is not a folder.`,
    `${place.shown} はフォルダーではありません。`,
    text('Name a folder in cwd.', 'cwd にはフォルダーを指定してください。'),
  );
}
