import { loadSettings } from '../../config/load.ts';
import type { Flags } from '../../config/settings.ts';
import { limits } from '../../contract/limits.ts';
import { shellQuote } from '../../ground/shell-quote.ts';
import { walk } from '../call.ts';
import { print } from '../common/say.ts';
import { forHooks, shownAsShell } from './shell.ts';

/** Runs one command of the person at this terminal as the tool `bash` would, in the current folder. */
export async function run(words: readonly string[], flags: Flags): Promise<number> {
  const [first = ''] = words;
  const command = words.length === 1 ? first : words.map(shellQuote).join(' ');
  const reply = await walk(
    { tool: 'bash', input: { command }, patienceMs: limits.approvalExpiryMs, replyBytes: limits.streamBytes },
    forHooks(loadSettings(flags)),
    async ({ native }) => native.beginIn('local', await native.findFolder(process.cwd())),
  );
  const { stdout, stderr, exitCode } = shownAsShell(reply);
  print(stdout);
  process.stderr.write(stderr);
  return exitCode;
}
