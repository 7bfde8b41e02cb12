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
    // Some packages name our licence without a copy of it. They get its text without the appendix, which names our copyright.
    const words =
      files.length === 0 && license === 'Apache-2.0'
        ? [
            readFileSync('LICENSE', 'utf8')
              .replace(/\n *APPENDIX:.*$/s, '')
              .trim(),
          ]
        : files.map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r', '').trim());
    if (words.length === 0) throw new Error(`${folder} is bundled, and has no licence.`);
    return `${name} ${version} (${license ?? 'see below'})\n\n${words.join('\n\n')}\n`;
  });
  // A package that stands in two places says the same twice.
  const line = `\n${'-'.repeat(80)}\n\n`;
  return `Sekisho's files hold code of these packages. Each stands under its own licence.\n${line}${[...new Set(notices)].join(line)}`;
}
