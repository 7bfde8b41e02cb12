import type { Word } from '../words/word.ts';

/** A call of a function of the script, or of `set` with new words. */
interface Call {
  readonly args: readonly Word[];
  /** The function that it stands in; nothing at the top, null where that cannot be told. */
  readonly from: string | undefined | null;
}

const maxCalls = 32;
const maxLists = 128;
/** Calls inside of calls that hand their own words on. */
const maxHops = 4;

/** The words that functions of a script are called with: what `"$@"` and `$1` stand for in them. */
export function createCalls() {
  const calls = new Map<string, Call[]>();
  const everywhere: Call[] = [];
  let shifts = false;
  /** By name, as long as no other call is noted. */
  const lists = new Map<string | undefined, readonly (readonly Word[])[] | undefined>();

  /** Every list of words that `"$@"` may be there; nothing if that is not known. */
  function wordsIn(name: string | undefined | null): readonly (readonly Word[])[] | undefined {
    if (name === null) return undefined;
    if (!lists.has(name)) lists.set(name, wordsOf(name));
    return lists.get(name);
  }

  function wordsOf(name: string | undefined | null, hops = 0): readonly (readonly Word[])[] | undefined {
    // bash calls this one by itself, with words of its own choice.
    if (name === null || name === 'command_not_found_handle' || hops > maxHops) return undefined;
    const known = [...(name === undefined ? [] : (calls.get(name) ?? [])), ...everywhere];
    if (known.length > maxCalls || (name === undefined && known.length === 0)) return undefined;
    const made: (readonly Word[])[] = [];
    for (const { args, from } of known) {
      const given = args.some(isPositional)
        ? wordsOf(from, hops + 1)?.map((words) => placed(args, words))
        : [args];
      if (!given) return undefined;
      for (const words of given) {
        if (!words) return undefined;
        if (made.length > maxLists) return undefined;
        for (let first = 0; first <= (shifts ? words.length : 0); first++) made.push(words.slice(first));
      }
    }
    return made;
  }

  return {
    note(program: string, args: readonly Word[], from: Call['from']): void {
      if (lists.size > 0) lists.clear();
      if (program === 'shift') shifts = true;
      if (program === 'set') {
        const at = args.findIndex(({ value }) => value === '--');
        const words = at >= 0 ? args.slice(at + 1) : args.filter(({ prefix }) => !/^[-+]./.test(prefix));
        if (at >= 0 || words.length > 0) everywhere.push({ args: words, from });
      }
      const known = calls.get(program);
      if (!known) calls.set(program, [{ args, from }]);
      else if (known.length <= maxCalls) known.push({ args, from });
    },
    /** Did the script give its own words new values? */
    hasSet: () => everywhere.length > 0,
    /** The command with each list of words that its function may have been called with; nothing if one is not known. */
    filled(
      words: readonly Word[],
      name: string | undefined | null,
    ): readonly (readonly Word[])[] | undefined {
      const made = wordsIn(name)?.map((given) => placed(words, given));
      return made?.every((one) => one !== undefined) ? made : undefined;
    },
  };
}

/** Is it one of the words that the function was called with, or all of them? */
export function isPositional({ pieces }: Word): boolean {
  return pieces.some((piece) => piece.kind === 'variable' && /^([@*]|\d+)$/.test(piece.name));
}

function placed(words: readonly Word[], given: readonly Word[]): readonly Word[] | undefined {
  const made: Word[] = [];
  for (const word of words) {
    const [piece, ...more] = word.pieces;
    if (!isPositional(word)) made.push(word);
    else if (more.length > 0 || piece?.kind !== 'variable' || piece.name === '0') return undefined;
    else if (/^[@*]$/.test(piece.name)) {
      // Without quotes each word is parted again, and with `"$*"` all of them are one.
      if (!(piece.quoted && piece.name === '@') && !given.every(isPlain)) return undefined;
      if (piece.quoted && piece.name === '*' && given.length > 1) return undefined;
      made.push(...given);
    } else {
      const one = given[Number(piece.name) - 1];
      if (one && !piece.quoted && !isPlain(one)) return undefined;
      if (one) made.push(one);
    }
  }
  return made;
}

/** It is known, and has no character that the shell treats specially. */
function isPlain({ value }: Word): boolean {
  return value !== undefined && /^[\w./=@:+-]+$/.test(value);
}
