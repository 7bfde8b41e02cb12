import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxName } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { orElse } from '../../ground/or-else.ts';
import { isProgram } from '../shell.ts';

/** Tells the operator how to repair a sandbox that does not open, if that is known. */
export function remedyFor(name: SandboxName): Text | undefined {
  if (!takesFiles(tmpdir())) {
    return text(
      `make ${tmpdir()} writable for this user, or set TMPDIR to a folder that is`,
      `${tmpdir()} をこのユーザーが書き込めるようにするか、書き込めるフォルダーを TMPDIR に設定してください`,
    );
  }
  return name === 'bubblewrap' && findProgram('bwrap') === undefined ? installIt : undefined;
}

/** Searches system folders only: PATH may lead through a workspace with its own `bwrap`. */
export function findProgram(name: string): string | undefined {
  const folders = ['/usr/bin', '/usr/local/bin', '/bin', '/run/current-system/sw/bin'];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

export function noSandbox(problems: readonly string[]): ToolError {
  const options = { suggestion: suggestionFor(), cause: problems.join('; ') };
  return new ToolError(
    'unavailable',
    'No sandbox works on this machine, so commands are not run.',
    'このマシンで使えるサンドボックスがないため、コマンドは実行されません。',
    options,
  );
}

export function nothingOutside(): ToolError {
  return new ToolError(
    'unavailable',
    'Commands do not run: the root / leaves nothing outside of it that a sandbox could protect.',
    'コマンドは実行されません。ルートが / の場合は、サンドボックスで保護する対象が残りません。',
    text(
      'Use the file tools. The operator can serve only the folders that are needed instead of /, or run commands without a sandbox (--sandbox off).',
      'ファイルのツールを使ってください。運用者は / の代わりに必要なフォルダーだけを提供するか、--sandbox off でサンドボックスなしにコマンドを実行できます。',
    ),
  );
}

function suggestionFor() {
  if (!takesFiles(tmpdir())) {
    return text(
      'The operator can make the folder for temporary files (TMPDIR, else /tmp) writable for the server, or name another by TMPDIR.',
      '運用者は、一時ファイル用のフォルダー（TMPDIR、なければ /tmp）をサーバーから書き込めるようにするか、TMPDIR で別の場所を指定できます。',
    );
  }
  if (findProgram('bwrap') === undefined) {
    return text(
      `The operator can install one: ${installIt.en}. "sekisho doctor" says what is missing.`,
      `運用者が導入できます: ${installIt.ja}。不足は "sekisho doctor" で確認できます。`,
    );
  }
  return text(
    '"sekisho doctor" tells the operator why none of them works.',
    '運用者は "sekisho doctor" でそれぞれが動かない理由を確認できます。',
  );
}

/** Only an attempt is certain: a full or read-only disk refuses writes that the mode allows. */
function takesFiles(folder: string): boolean {
  return orElse(() => {
    rmdirSync(mkdtempSync(join(folder, 'sekisho-probe-')));
    return true;
  }, false);
}

const installIt = text(
  'apt-get install bubblewrap (or dnf, apk, pacman)',
  'apt-get install bubblewrap（または dnf、apk、pacman）',
);
