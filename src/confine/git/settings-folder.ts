import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GivenConfig } from './person-config.ts';

/**
 * Writes what commands read in place of the system's settings of git: a repository's own win over it, as they win over a
 * person's. `seenAs` is where commands find the folder. Returns the path of the file there.
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

/** What lands from a layer gets a new time of change, though nothing changed: to plumbing it would look touched. */
const layered = '\ttrustctime = false\n';
