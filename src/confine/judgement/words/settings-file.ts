import type { Word } from './word.ts';

/** Longer ones nobody writes, and each part is looked at more than once. */
const maxChars = 400;
const readsFile =
  /^\s*(cat|e?grep( -\w+)*|sed( -\w+)*) (('[^']*'|"[^"$`]*") )?(\.?\/?[\w./-]*\.?env[\w.-]*)\s*(2>\/dev\/null\s*)?$/;
const parts =
  /^\s*(xargs( -\w+| '-?\\?\w+')*|(e?grep|sed|cut|tr)( -\w+)*( -\w?'[^']*'| '[^']*'| "[^"$`]*"| \S)*|sort|uniq)\s*$/;

/**
 * `$(grep -v '^#' .env | xargs)`: variables as a file sets them. `source` reads such a file as well, and runs all of
 * it; this only sets.
 */
export function printsSettings({ text, pieces }: Word): boolean {
  if (text.length > maxChars) return false;
  const [only, ...more] = pieces;
  if (more.length > 0 || only?.kind !== 'unknown' || !only.script) return false;
  const inside = /^\$\(([\s\S]*)\)$/.exec(text)?.[1] ?? /^`([^`]*)`$/.exec(text)?.[1];
  return inside?.split('|').every((stage, at) => (at === 0 ? readsFile : parts).test(stage)) === true;
}
