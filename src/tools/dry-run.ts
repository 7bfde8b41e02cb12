import * as z from 'zod';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';

/** The output of a dry run by a tool that runs commands; `reportDryRun` makes it. */
export const dryRunOutput = z.object({
  changes: z.array(z.string()).describe('What it would change, e.g. "deleted a.txt (−3)".'),
  more: z.int().describe('Further changes, not listed.'),
  diff: z.string(),
  rules: z.string().optional().describe('What the rules about effects would make of it.'),
});

/** The output for a command that was tried first and landed; `reportLanded` makes it. */
export const landedOutput = z
  .array(z.string())
  .optional()
  .describe('What it changed, where it was tried first.');

/** The handling of a failed command: `discard` leaves no file changed. */
export const onFailureInput = z.enum(['discard']).optional().describe('Undo it.');

/** A dry run ends with its call. */
export function dryInBackground(): ToolError {
  return new ToolError(
    'invalid_parameter',
    'dry_run and background exclude each other.',
    'dry_run と background は同時に指定できません。',
    text('Leave one of them out.', 'どちらか一方だけを指定してください。'),
    { field: 'dry_run' },
  );
}
