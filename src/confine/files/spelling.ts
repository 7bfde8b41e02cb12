import { lstatSync } from 'node:fs';

/**
 * The path as the disk spells it: a name that is there only in the other Unicode form, composed or decomposed (as macOS
 * and what syncs with it write), is that name. Otherwise one would read the same, not be found, and be made a second time.
 * Looks at the disk only for names that have two forms. It proves nothing: the place that is made of it is walked as any.
 */
export function spelledAsOnDisk(root: readonly string[], components: readonly string[]): readonly string[] {
  if (!components.some(hasTwoForms)) return components;
  const path: string[] = [...root];
  return components.map((name) => {
    const there = hasTwoForms(name)
      ? [name, name.normalize('NFC'), name.normalize('NFD')].find((form) => isThere([...path, form]))
      : undefined;
    path.push(there ?? name);
    return there ?? name;
  });
}

function hasTwoForms(name: string): boolean {
  return /[^\x00-\x7f]/.test(name) && name.normalize('NFC') !== name.normalize('NFD');
}

function isThere(path: readonly string[]): boolean {
  try {
    return lstatSync(`/${path.join('/')}`, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // What is wrong with the path, the walk says.
    return false;
  }
}
