import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { Caller } from '../../contract/caller.ts';
import type { Folder } from '../../contract/capabilities/files.ts';
import type { CommandLine, Commands, RunResult } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import type { OutsideRun } from '../../contract/policy.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { hiddenField } from '../../contract/tool/define-tool.ts';
import { inputRule } from '../../contract/tool/input-rule.ts';
import { counted } from '../../ground/counted.ts';
import { shownLine } from '../../ground/shell-quote.ts';

/** `ask`: a person can be asked to run one command outside the sandbox; otherwise why not, as the rest of a sentence. */
export type Outside = 'ask' | Text;

/** The argument that asks for it: the agent's reason. Where it cannot be asked, it is not listed and says why. */
export function outsideInput(outside: Outside) {
  const reason = z.string().trim().min(1).max(500).optional();
  return outside === 'ask'
    ? reason.describe(
        'Why it must run outside the sandbox, as the user; a person is asked. e.g. "apt needs root".',
      )
    : reason.refine((given) => given === undefined, inputRule(outside)).meta(hiddenField);
}

interface Given {
  readonly line: CommandLine;
  readonly workingFolder: string;
  readonly reason: string;
  readonly files: Folder;
  readonly commands: Commands;
  readonly caller: Caller;
}

/** All that a person agrees to beside line and folder. Throws if no person could read exactly what would run. */
export async function outsideOf({
  line,
  workingFolder,
  reason,
  files,
  commands,
  caller,
}: Given): Promise<OutsideRun> {
  if (caller.kind !== 'local')
    throw new ToolError(
      'forbidden',
      'Only the person at this machine can have a command run outside the sandbox.',
      'サンドボックスの外でコマンドを実行できるのは、このマシンのユーザーだけです。',
    );
  const shown = shownLine(line);
  if (shown.length > mostChars || cleanLine(shown) !== shown)
    throw new ToolError(
      'invalid_parameter',
      `A command outside the sandbox is one line of at most ${mostChars} visible characters, so that a person reads exactly what runs.`,
      `サンドボックスの外で実行するコマンドは、人が正確に読めるように、表示できる文字だけの ${mostChars} 文字以内の 1 行にしてください。`,
    );
  return {
    reason: cleanLine(reason),
    variables: commands.outsideVariables(),
    files: await filesIn(line, workingFolder, files),
    sessionId: caller.sessionId,
  };
}

/** Throws unless what a person agreed to is still so. */
export function assertUnchanged(agreed: OutsideRun | undefined, now: OutsideRun): void {
  if (JSON.stringify(agreed) === JSON.stringify(now)) return;
  throw new ToolError(
    'conflict',
    'Not run: a file that the command names has changed since the person was asked.',
    '実行していません。コマンドが指定するファイルが、人に確認した後に変わっています。',
    text('Send it again; a person is asked anew.', 'もう一度送ってください。改めて人に確認します。'),
  );
}

/** The files in the roots that the line names, with what they hold. Throws `forbidden` for a link that leads out. */
async function filesIn(line: CommandLine, base: string, files: Folder): Promise<Record<string, string>> {
  const whole = line.kind === 'script' ? [line.script] : [line.program, ...line.args];
  const words = new Set([...whole, ...whole.flatMap((word) => word.split(/[\s'"`;&|<>(){}=,:@]+/))]);
  const found: Record<string, string> = {};
  for (const word of words) {
    const state = word === '' ? undefined : await stateOf(word, base, files);
    if (state !== undefined) found[word] = state;
  }
  return found;
}

async function stateOf(word: string, base: string, files: Folder): Promise<string | undefined> {
  try {
    const place = files.at(resolve(base, word));
    if (!place.exists()) return undefined;
    const { kind, bytes, inode, changedNs } = place.stat();
    if (kind !== 'file') return undefined;
    if (bytes > mostBytes) return `${counted(bytes, 'byte')}, inode ${inode}, changed ${changedNs}`;
    return `sha256 ${createHash('sha256')
      .update(await place.readBytes())
      .digest('hex')}`;
  } catch (error) {
    if (error instanceof ToolError && error.code === 'forbidden') throw error;
    return undefined;
  }
}

/** Notes in a reply about running outside the sandbox, beside the command's own output. */
export class OutsideNotes {
  readonly #outside: Outside;
  readonly #told = new Set<string>();

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  /** A command that failed at the walls is told the way out, once a session. */
  afterInside({ exitCode, stdout, stderr }: RunResult, sessionId: string): string {
    if (this.#outside !== 'ask' || exitCode === 0 || this.#told.has(sessionId)) return '';
    if (!wallMet.test(`${stdout}\n${stderr}`.slice(-16_384))) return '';
    if (this.#told.size >= mostSessions) this.#told.clear();
    this.#told.add(sessionId);
    return '[outside: if it cannot work inside, send it again with "outside" and the reason; a person is asked to run it outside the sandbox, once]\n';
  }
}

export const ranOutside =
  '[outside: it ran outside the sandbox, as the user; what it changed outside the folders cannot be undone]\n';

/** sudo without new privileges, and programs that want to be root or to write to the system. */
const wallMet =
  /no new privileges|must be (setuid|run as) root|are you (root|super-?user)|requires? (root|superuser)|read-only file system|\bEROFS\b/i;
/** A person reads all of it. */
const mostChars = 2000;
const mostBytes = 64 * 1024 ** 2;
const mostSessions = 1000;
