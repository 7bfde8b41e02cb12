import { isOneField, type Word } from '../words/word.ts';

/** The name of a program; of `"$HOME/bin/x"` it is known that it is an x. */
export function nameIn(word: Word | undefined, isFree = isFixed): string | undefined {
  if (!word || word.value !== undefined) return word?.value;
  const last = word.pieces.at(-1);
  const isOne = word.pieces.every(
    (piece) =>
      isOneField({ ...word, pieces: [piece] }) ||
      (piece.kind === 'variable' && /^[A-Za-z_]/.test(piece.name) && isFree(piece.name)),
  );
  return isOne && last?.kind === 'literal' && /\/[\w.+-]*\w$/.test(last.text) && !word.prefix.startsWith('-')
    ? word.text.replace(/["']/g, '')
    : undefined;
}

function isFixed(name: string): boolean {
  return name === 'HOME' || name === 'PWD';
}
