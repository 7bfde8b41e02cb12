import type { Word } from '../words/word.ts';

/** What is surely so where a command stands, as the shell only comes there by way of it. */
export interface Known {
  /** Has this variable been given a value? */
  isSet(name: string): boolean;
  /** The folders that it has gone to, in order; that each is there and was entered is sure. */
  folders(): readonly Word[];
  set(name: string): void;
  goTo(folder: Word): void;
}

/** What is known inside of a block: all that is known around it, and what the block learns for itself. */
export function knownWithin(outer?: Known): Known {
  const names = new Set<string>();
  const folders: Word[] = [];
  return {
    isSet: (name) => names.has(name) || outer?.isSet(name) === true,
    folders: () => [...(outer?.folders() ?? []), ...folders],
    set: (name) => void names.add(name),
    goTo: (folder) => void folders.push(folder),
  };
}
