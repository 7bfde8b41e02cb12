import { posixShells, programOf } from '../programs.ts';
import { literalWord, unknownWord, type Word } from '../words/word.ts';
import { type Inner, replaceMarker } from './inner.ts';

/** xargs puts words of its input at the end, or in the place of a marker. */
export function withInput(head: {
  readonly given: readonly { name: string; value: Word | undefined }[];
  readonly rest: readonly Word[];
}): readonly Word[] {
  const replace = head.given.find((option) => ['I', 'i', 'J', 'replace'].includes(option.name));
  const byNul = head.given.some(({ name }) => name === '0' || name === 'null');
  if (!replace) return [...head.rest, inputWord(byNul)];
  const marker = replace.value?.value ?? '{}';
  return head.rest.map((word) =>
    word.value === marker
      ? { ...replaceMarker(word, marker), isInput: 'words' as const }
      : replaceMarker(word, marker),
  );
}

/** `xargs -I{} sh -c 'wc -l "{}"'`: the script, with what is put into it as a word that is not known. */
export function scriptOfNames(head: {
  readonly given: readonly { name: string; value: Word | undefined }[];
  readonly rest: readonly Word[];
}): Inner | undefined {
  const replace = head.given.find((option) => ['I', 'i', 'J', 'replace'].includes(option.name));
  const marker = replace && (replace.value?.value ?? '{}');
  const [shell, flag, script, ...more] = head.rest;
  if (!marker || !posixShells.has(programOf(shell?.value ?? '')) || flag?.value !== '-c') return undefined;
  if (!script?.value?.includes(marker) || more.some(({ value }) => value?.includes(marker) !== false))
    return undefined;
  const isBash = programOf(shell?.value ?? '') === 'bash';
  const source = literalWord(script.value.replaceAll(marker, '$1'));
  return { kind: 'script', source, posix: !isBash, ofNames: true };
}

function inputWord(byNul: boolean): Word {
  const word = unknownWord('(input of xargs)');
  return { ...word, isInput: byNul ? 'paths' : 'words' };
}
