import { lstatSync } from 'node:fs';

/**
 * The path with the spelling on the disk: a name that exists only in the other Unicode form, composed or decomposed (as
 * macOS and tools that sync with it write), is replaced by that. Otherwise a name that looks the same would not be
 * found, and be created again. Accesses the disk only for names with two forms. It proves nothing: the place is walked
 * like any other.
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
    // The walk reports problems of the path.
    return false;
  }
}
