import type { Command } from 'commander';
import { settingsHeading } from '../common/options.ts';

/**
 * A command line without the common settings and without `--http`: these are added again with the container's values.
 * Everything after `--` stays.
 */
export function withoutSettings(args: readonly string[], command: Command): readonly string[] {
  const dropped = command.options.filter(
    ({ helpGroupHeading, long }) => helpGroupHeading === settingsHeading.en || long === '--http',
  );
  const kept: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') return [...kept, ...args.slice(at)];
    const option = dropped.find(({ long }) => arg === long || arg.startsWith(`${long}=`));
    if (!option) {
      kept.push(arg);
      continue;
    }
    const takesNext = arg === option.long && (option.required || (option.optional && isValue(args[at + 1])));
    if (takesNext) at++;
  }
  return kept;
}

function isValue(arg: string | undefined): boolean {
  return arg !== undefined && !arg.startsWith('-');
}
