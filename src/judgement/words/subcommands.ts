import { mayBeOption, type Word } from './word.ts';

/** Words that may be the subcommand: an unknown option may take the next word or not, so both readings count. */
export function subcommandsOf(args: readonly Word[]): readonly Word[] {
  const candidates: Word[] = [];
  let mayBeValue = false;
  for (const word of args) {
    if (word.value === '--') {
      mayBeValue = false;
      continue;
    }
    if (word.prefix.startsWith('-')) {
      mayBeValue = !word.prefix.includes('=');
      continue;
    }
    candidates.push(word);
    if (!mayBeValue && !mayBeOption(word)) break;
    mayBeValue = mayBeOption(word);
  }
  return candidates;
}

/** Is it asked only for its version or help? */
export function onlyTells(args: readonly Word[]): boolean {
  return args.length === 1 && /^--(version|help)$/.test(args[0]?.value ?? '');
}

/** Is one of these words among the options, before a `--` ends them? */
export function hasWord(args: readonly Word[], pattern: RegExp): boolean {
  for (const { value } of args) {
    if (value === '--') return false;
    if (value !== undefined && pattern.test(value)) return true;
  }
  return false;
}

export function operandsOf(args: readonly Word[]): readonly Word[] {
  return args.filter((word) => !word.prefix.startsWith('-'));
}
