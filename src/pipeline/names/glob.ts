import type { Folder } from '../../contract/capabilities/files.ts';
import { expandBraces } from '../../ground/glob/braces.ts';
import { compileGlob, unicodeClasses } from '../../ground/glob/match.ts';
import { orElse } from '../../ground/or-else.ts';

/** More names would not fit on a command line. */
const mostNames = 4000;
const mostAlternatives = 256;

/**
 * Names below a folder that match a shell pattern, by code point. A backslash makes the next character literal. Names
 * with a leading dot need a pattern with one; links are listed, but not followed.
 */
export function expandGlob(folder: Folder, cwd: string, pattern: string): string[] {
  const alternatives = expandBraces(pattern, { ranges: true }).take(mostAlternatives).toArray();
  const names = alternatives.flatMap((alternative) => {
    const found = matches(folder, cwd, alternative);
    // One of several alternatives without a match stays as text.
    return found.length > 0 || alternatives.length === 1 ? found : [plainText(alternative)];
  });
  return names.slice(0, mostNames);
}

function matches(folder: Folder, cwd: string, pattern: string): string[] {
  if (!/(^|[^\\])(\\\\)*[*?[]/.test(pattern)) return [plainText(pattern)];
  const isAbsolute = pattern.startsWith('/');
  let found: string[] = [isAbsolute ? '/' : ''];
  for (const component of splitPattern(pattern)) {
    const next: string[] = [];
    const isGlob = /(^|[^\\])(\\\\)*[*?[]/.test(component);
    const fits = compileGlob(component, syntax);
    for (const start of found) {
      if (!isGlob) {
        next.push(join(start, plainText(component)));
        continue;
      }
      // A shell finds nothing in what is no folder, or not inside.
      for (const { name } of orElse(
        () => folder.at(start === '' ? '.' : start, { base: cwd }).entries(),
        [],
      )) {
        if (name.startsWith('.') && !component.startsWith('.')) continue;
        if (fits(name)) next.push(join(start, name));
        if (next.length > mostNames) return next;
      }
    }
    found = next;
  }
  // A trailing slash matches only folders, and stays with their names.
  if (pattern.endsWith('/'))
    return found
      .filter((path) => orElse(() => folder.at(path, { base: cwd }).stat().kind === 'folder', false))
      .map((path) => `${path}/`)
      .sort(byCodePoint);
  return found
    .filter((path) => orElse(() => folder.at(path, { base: cwd }).exists(), false))
    .sort(byCodePoint);
}

function splitPattern(pattern: string): string[] {
  return pattern.split('/').filter((component) => component !== '');
}

function join(start: string, name: string): string {
  return start === '' || start.endsWith('/') ? `${start}${name}` : `${start}/${name}`;
}

const syntax = { classes: unicodeClasses };

function plainText(pattern: string): string {
  return pattern.replace(/\\(.)/gs, '$1');
}

export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
