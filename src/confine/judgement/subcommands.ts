import { mayBeOption, type Word } from './words.ts';

/**
 * Words that may be a program's subcommand. An option of unknown kind may take the next word as its value, so both
 * readings count until a word stands that no option could have taken.
 */
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

/** Does the program get one of these subcommands, or a word that could be one? */
export function hasSubcommand(args: readonly Word[], names: readonly string[]): boolean {
  return subcommandsOf(args).some((word) => word.value === undefined || names.includes(word.value));
}

/** Words that are no options. */
export function operandsOf(args: readonly Word[]): readonly Word[] {
  return args.filter((word) => !word.prefix.startsWith('-'));
}
