import { isFromEnvironment, storedIn, type Variables, valuesOf } from '../variables/values.ts';
import { literalWord, type Piece, type Word } from '../words/word.ts';

const maxMade = 32;

/**
 * Every command that these words may become by the values that the script itself gives its variables. What is not
 * known of them stays as it is; nothing where there is nothing to fill in, or too much.
 */
export function expand(
  words: readonly Word[],
  variables: Variables,
): readonly (readonly Word[])[] | undefined {
  const choices = words.map((word) => choicesOf(word, variables));
  if (choices.every((choice) => choice === undefined)) return undefined;
  let made: Word[][] = [[]];
  for (const [at, word] of words.entries()) {
    const next = choices[at] ?? [[word]];
    if (made.length * next.length > maxMade) return undefined;
    const [only] = next;
    // Few words have several choices: for all others nothing is copied.
    if (next.length === 1 && only) for (const before of made) before.push(...only);
    else made = made.flatMap((before) => next.map((choice) => [...before, ...choice]));
  }
  return made;
}

/** The words that one word may become, in each of its ways. */
function choicesOf(word: Word, variables: Variables): readonly (readonly Word[])[] | undefined {
  // `{a,b}` is both of its words, not one of them.
  if (word.value !== undefined || word.pieces.some(({ kind }) => kind === 'brace')) return undefined;
  const [only, ...more] = word.pieces;
  if (more.length === 0 && only?.kind === 'unknown' && only.listOf !== undefined) {
    const arrays = variables.arrays(only.listOf);
    return arrays?.every((array) => array.every(({ value }) => value !== undefined && !/[*?[\s]/.test(value)))
      ? arrays
      : undefined;
  }
  if (more.length === 0 && only?.kind === 'variable' && !only.quoted) {
    const values = storedIn(only, variables);
    // With other separators than blanks it would be parted elsewhere.
    if (!values || variables.has('IFS') || values.some((value) => /[*?[\\]/.test(value))) return undefined;
    return values.map((value) => (value.match(/[^ \t\n]+/g) ?? []).map(writtenWord));
  }
  let texts: string[] = [''];
  for (const piece of word.pieces) {
    const values =
      valuesOf(piece, variables) ?? standIn(piece, variables) ?? fromOutside(piece, word, variables);
    if (!values || texts.length * values.length > maxMade) return undefined;
    texts = texts.flatMap((start) => values.map((value) => start + value));
  }
  return texts.map((text) => [literalWord(text)]);
}

/** A word as it might have been written there: a shell makes no home folder of its `~`, and nobody means that. */
function writtenWord(value: string): Word {
  return { ...literalWord(value), pieces: [{ kind: 'literal', text: value, quoted: false }] };
}

/** `bash -c "cd $DIR && make"`: inside of a script the environment's name stands for itself. */
function fromOutside(piece: Piece, word: Word, variables: Variables): readonly string[] | undefined {
  const isScript = word.pieces.some((one) => one.kind === 'literal' && /\s/.test(one.text));
  if (!isScript || piece.kind !== 'variable' || !piece.quoted) return undefined;
  return isFromEnvironment({ ...word, pieces: [piece] }, variables) ? [`$${piece.name}`] : undefined;
}

/** What a number, a new file or a process of the script's own, is written as where it becomes part of a command. */
function standIn(piece: Piece, variables: Variables): readonly string[] | undefined {
  if (piece.kind === 'unknown') return piece.isNumber ? ['1'] : undefined;
  if (piece.kind !== 'variable') return undefined;
  if (variables.isFileName(piece.name) === 'new') return ['/tmp/tmp.new'];
  if (variables.isOwnJob(piece.name)) return [`$${piece.name}`];
  return variables.isNumber(piece.name) || /^[?#$]$/.test(piece.name) ? ['1'] : undefined;
}
