import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages whose code stands in the bundle, by their folder, e.g. `/home/me/sekisho/node_modules/zod`. */
export function bundledPackages(sources: readonly string[]): readonly string[] {
  const folders = sources.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/**
 * The licences of what is bundled, which ask that they come along with every copy. Throws where one cannot be found:
 * such a package is not ours to give away.
 */
export function composeNotices(folders: readonly string[]): string {
  const notices = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
      license?: string;
    };
    const files = readdirSync(folder).filter((file) =>
      /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i.test(file),
    );
    // Some name the licence that we have, too, and bring no copy of it.
    const texts =
      files.length === 0 && license === 'Apache-2.0' ? ['LICENSE'] : files.map((file) => join(folder, file));
    if (texts.length === 0) throw new Error(`${folder} is bundled, and has no licence.`);
    const words = texts.map((path) => readFileSync(path, 'utf8').replaceAll('\r', '').trim());
    return `${name} ${version} (${license ?? 'see below'})\n\n${words.join('\n\n')}\n`;
  });
  // A package that stands in two places says the same twice.
  const line = `\n${'-'.repeat(80)}\n\n`;
  return `Sekisho's files hold code of these packages. Each stands under its own licence.\n${line}${[...new Set(notices)].join(line)}`;
}
