import { CommanderError } from 'commander';
import { spokenLocale } from '../config/locale.ts';
import { ConfigError, ToolError } from '../contract/error.ts';
import { joinSentences } from '../contract/text/text.ts';
import { flushOutput, inLocale, note, OutputClosed, speak, watchOutput } from './common/say.ts';
import { createProgram, RanElsewhere } from './program/program.ts';

/** Exit codes of every command; the documents list those of `ask`, `undo` and `policy test`. */
export const exitCodes = { ok: 0, failed: 1, configuration: 2, system: 3 } as const;

/** Runs one command line and returns its exit code. Errors are one line each, without a stack. */
export async function main(args: readonly string[]): Promise<number> {
  watchOutput();
  speak(spokenLocale(args, process.env));
  try {
    const exitCode = await run(args);
    // The output of `serve` belongs to the protocol, which handles clients that leave.
    if (args[0] !== 'serve') await flushOutput();
    return exitCode;
  } catch (error) {
    return report(error);
  }
}

async function run(args: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = createProgram((code) => {
    exitCode = code;
  }, args);
  try {
    await program.parseAsync(args as string[], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof RanElsewhere) return error.exitCode;
    // commander has already printed it: help, a version, or an error in an option.
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.configuration;
  }
}

/** The shells' status for a program whose reader left early: 128 and the number of SIGPIPE. */
const readerGone = 141;

function report(error: unknown): number {
  if (error instanceof OutputClosed && error.isReaderGone) return readerGone;
  if (error instanceof ConfigError) {
    note(`sekisho: ${inLocale(error.text)}`);
    return exitCodes.configuration;
  }
  if (error instanceof ToolError) {
    const { text: words, suggestion } = error;
    note(`sekisho: ${suggestion ? joinSentences(inLocale(words), inLocale(suggestion)) : inLocale(words)}`);
    return exitCodes.failed;
  }
  note(`sekisho: ${error instanceof Error ? error.message : String(error)}`);
  return exitCodes.system;
}
