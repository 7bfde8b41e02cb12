import { literalWord, type Word } from '../words/word.ts';
import { type Inner, unread } from './inner.ts';

/** `EXEC:COMMAND,option…` and `SYSTEM:COMMAND` among socat's addresses, alone or parted by `!!`. */
export function socatAddresses(words: readonly Word[]): readonly Inner[] {
  return words.flatMap((word): Inner[] => {
    const sides = (word.value ?? '')
      .split('!!')
      .map((side) => /^(?:exec|system|shell):([^,]*)/is.exec(side)?.[1]);
    const commands = sides.flatMap((side) => side ?? []);
    if (word.value === undefined && /(^|!!)(exec|system|shell)(:|$)/i.test(word.prefix))
      return [unread(word)];
    return commands.map((command) => ({ kind: 'script', source: literalWord(command), posix: true }));
  });
}
