import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../../ground/inside.ts';
import type { LeftOut } from './collection.ts';
import { isPrivate } from './prove.ts';

/**
 * Notes about programs of the person that a failed command missed, and why they were left out: each once a session.
 * They tell no more of the machine than PATH would.
 */
export function missedNotes(
  outputs: readonly string[],
  { leftOut, told }: { readonly leftOut: readonly LeftOut[]; readonly told: Set<string> },
): readonly string[] {
  if (leftOut.length === 0) return [];
  const words = outputs.map((output) => output.slice(-lastChars)).join('\n');
  const names = [...words.matchAll(notFound)].map(([, said, ofEnv]) => said ?? ofEnv ?? '');
  const paths = [...words.matchAll(/(?<![\w./~-])\/[^\s'"`:,;()<>|]{1,4096}/g)].map(([path]) => path);
  return leftOut.flatMap(({ path, because }) => {
    const isMissed =
      path.startsWith('/') &&
      !isPrivate(because) &&
      (paths.some((each) => isInside(each, path)) || names.some((name) => existsSync(join(path, name))));
    if (!isMissed || told.has(path)) return [];
    told.add(path);
    return [
      `[toolchain: ${path} is not shown: ${because.en}; the operator can list it in process.readable]\n`,
    ];
  });
}

const lastChars = 16_384;
/** Messages of bash, sh and env. */
const notFound = /(?:^|: )([\w.+-]{1,64}): (?:command )?not found$|env: '([\w.+-]{1,64})': No such file/gm;
