import { posix } from 'node:path';
import type { KeepBase } from '../../../contract/capabilities/judgement.ts';
import { literalWord, type Piece, wordOf } from '../words/word.ts';
import { assignmentRule } from './assignments.ts';

/** The rule for assignments, asked of a value that a shell has ended with. */
export function mayKeepVariable(name: string, value: string, base: KeepBase): boolean {
  if (!/^[A-Za-z_]\w*$/.test(name)) return false;
  // How later lines part their words is read from those lines alone.
  if (name === 'IFS') return false;
  const word = name === 'PATH' ? pathWord(value, base) : literalWord(value);
  return assignmentRule(name, word, true) === undefined;
}

/** The search path as somebody would have written it: `$PATH`, `$HOME` and folders of the project by their names. */
function pathWord(value: string, { path, home, roots }: KeepBase) {
  const at = `:${value}:`.indexOf(`:${path}:`);
  if (at < 0) return literalWord(value);
  const before = value.slice(0, at);
  const after = value.slice(at + path.length);
  const written = before
    .split(':')
    .map((folder) => {
      if (posix.normalize(folder) !== folder) return folder;
      const local = /^(\/.*)\/((?:node_modules\/\.|\.?venv\/)bin)$/.exec(folder);
      if (local?.[1] !== undefined && roots.some((root) => `${local[1]}/`.startsWith(`${root}/`)))
        return `./${local[2]}`;
      return folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
    })
    .join(':');
  const pieces: Piece[] = [];
  if (written !== '') pieces.push({ kind: 'literal', text: written, quoted: false });
  pieces.push({ kind: 'variable', name: 'PATH', quoted: true });
  if (after !== '') pieces.push({ kind: 'literal', text: after, quoted: false });
  return wordOf(pieces, value);
}
