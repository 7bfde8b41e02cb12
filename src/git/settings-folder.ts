import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GivenConfig } from './person-config.ts';

/**
 * Writes the files that commands read as git's system settings: a repository's own take precedence, as over a person's.
 * `seenAs` is the folder as commands see it. Returns the path of the file there.
 */
export function writeGitSettings(
  folder: string,
  { config, ignored, attributes }: GivenConfig,
  seenAs: string,
): string {
  writeFileSync(join(folder, 'gitignore'), ignored);
  writeFileSync(join(folder, 'gitattributes'), attributes);
  const named = ['excludesFile = gitignore', 'attributesFile = gitattributes'];
  const lines = named.map((line) => `\t${line.replace('= ', `= ${seenAs}/`)}\n`);
  writeFileSync(join(folder, 'gitconfig'), `${config}[core]\n${lines.join('')}${layered}`);
  return join(seenAs, 'gitconfig');
}

/** Landing changes a file's ctime but not its content, and plumbing commands would take it for modified. */
const layered = '\ttrustctime = false\n';
