import { normal } from './scan.ts';

/** The user's own words. */
export interface Said {
  add(words: string): void;
  isKnown(): boolean;
  has(value: string): boolean;
  /** Whether they contain a part of the value. */
  sharesWord(value: string): boolean;
}

const maxChars = 1 << 16;

export function createSaid(): Said {
  let all = '';
  const said: Said = {
    add(words) {
      // The newest words are what the user wants now.
      all = `${all}\n${plain(words)}`.slice(-maxChars);
    },
    isKnown: () => all !== '',
    has(value) {
      const sought = plain(value);
      for (let at = all.indexOf(sought); at >= 0 && sought !== ''; at = all.indexOf(sought, at + 1)) {
        if (!continues(all, at - 1, sought[0]) && !continues(all, at + sought.length, sought.at(-1)))
          return true;
      }
      return false;
    },
    sharesWord: (value) => value.split(/[^\p{L}\p{N}]+/u).some((part) => part.length > 2 && said.has(part)),
  };
  return said;
}

function plain(words: string): string {
  return normal(words).toLowerCase().replace(/\s+/g, ' ').trim();
}

/** Whether a word continues there. Scripts without spaces have no such ends. */
function continues(text: string, place: number, neighbour = ''): boolean {
  return /[a-z0-9@]/.test(text[place] ?? '') && /[a-z0-9]/.test(neighbour);
}
