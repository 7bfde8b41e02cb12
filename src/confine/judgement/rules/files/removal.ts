import { fileNameOf, isFromEnvironment, possibleValues } from '../../variables/values.ts';
import { hasOption, type Options, optionsNamed, readOptions } from '../../words/options.ts';
import { literalWord, mayBeOption, type Word } from '../../words/word.ts';
import type { Scene } from '../rule.ts';

/** rm's words, where a variable that the script itself fills counts as its content. */
export function removal(args: readonly Word[], scene: Scene): Options {
  const known = args.map((word) => knownWord(word, scene));
  const options = readOptions(known);
  const unsure = known.slice(0, indexOfEnd(known)).find((word) => mayBeOption(word) && fitsRm(word));
  return { ...options, unsure };
}

/** `--interactive=never` is force by another name; a value that is not known may be that. */
export function isForced(options: Options): boolean {
  return (
    hasOption(options, 'f', ['force']) ||
    optionsNamed(options, '', ['interactive']).some(
      ({ value }) => value !== undefined && /^(n|$)/.test(value.value ?? ''),
    )
  );
}

export function isRecursive(options: Options): boolean {
  return hasOption(options, 'rR', ['recursive']);
}

export function knownWord(word: Word, scene: Scene): Word {
  // An empty word is no file and no option.
  const values =
    word.value === undefined
      ? possibleValues(word, scene.variables)?.filter((value) => value !== '')
      : undefined;
  if (!values || values.length === 0)
    return fileNameOf(word, scene.variables) || isOperand(word, scene) ? { ...word, prefix: './' } : word;
  const option = values.find((value) => value.startsWith('-'));
  if (option !== undefined) return { ...word, value: undefined, prefix: '' };
  return values.length === 1
    ? { ...literalWord(values[0] as string), text: word.text }
    : { ...word, prefix: commonStart(values) };
}

/** What the environment says, and the rest of the script does not, is taken for no option. */
function isOperand(word: Word, scene: Scene): boolean {
  return word.pieces.some(({ kind }) => kind === 'variable') && isFromEnvironment(word, scene.variables);
}

function indexOfEnd(words: readonly Word[]): number {
  const at = words.findIndex((word) => word.value === '--');
  return at < 0 ? words.length : at;
}

/** rm refuses an option with any other character in it, so `*.o` cannot become one that works. */
function fitsRm(word: Word): boolean {
  return word.pieces.every((piece) => piece.kind !== 'literal' || /^[a-zA-Z=-]*$/.test(piece.text));
}

function commonStart(values: readonly string[]): string {
  return values.every((value) => value !== '' && !value.startsWith('-'))
    ? (values[0] as string).charAt(0)
    : '';
}
