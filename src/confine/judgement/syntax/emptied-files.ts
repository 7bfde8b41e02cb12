import type { SyntaxNode, Word as SyntaxWord } from 'unbash';
import { reachOf } from '../places/targets.ts';
import { fileNameOf } from '../variables/values.ts';
import { readWord } from '../words/read-word.ts';
import type { NodeNotes } from './node-notes.ts';

type Command = SyntaxNode & { readonly type: 'Command' };

/** Asks, when all is read, about each file that a command's redirections empty. */
export function deferAllEmptied(node: Command, notes: NodeNotes): void {
  if (node.redirects.length === 0) return;
  if (/^(|:|true)$/.test(node.name?.text ?? '') || isNothing(node))
    for (const target of emptied(node)) deferEmptied(target, notes);
  // Whatever the same words are written into, each of the files that a search found ends as another.
  if (/^(echo|printf)$/.test(node.name?.text ?? '') && (notes.isForEach || saysTheSame(node)))
    for (const target of emptied(node))
      if (/^"?\$\{?\w+\}?"?$/.test(target.text)) deferEmptied(target, notes);
}

/** `> f` with no command that writes into it. */
function emptied(node: Command): readonly SyntaxWord[] {
  return node.redirects.flatMap((one) =>
    one.type === 'Redirect' && one.target && /^>\|?$/.test(one.operator) ? [one.target] : [],
  );
}

/** `cat /dev/null`. */
function isNothing({ name, args }: Command): boolean {
  return (
    name?.text === 'cat' && args.length === 1 && args[0]?.type === 'Word' && args[0].text === '/dev/null'
  );
}

/** Whatever its words are, they are the same each time. */
function saysTheSame({ args }: Command): boolean {
  return args.every((arg) => arg.type === 'Word' && readWord(arg).value !== undefined);
}

/** What truncate is asked about: files that are not named one by one. */
function deferEmptied(target: SyntaxWord, notes: NodeNotes): void {
  const word = readWord(target);
  notes.defer('empty-everything', (scene) => {
    const reach = reachOf(word, scene);
    const last = word.pieces.at(-1);
    const isEach =
      notes.isForEach ||
      fileNameOf(word, scene.variables) === 'found' ||
      (last?.kind === 'variable' && scene.variables.isListed(last.name));
    return reach === 'everything' || (reach === 'unknown' && isEach);
  });
}
