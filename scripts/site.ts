/**
 * Makes the documentation site of `docs/`: `npm run site`. VitePress builds it, in both languages, with a search, and fails at a
 * dead link. Its packages have a lock file of their own under `site/`: whoever builds only the program does not install them.
 * Where there is a Chromium, the pictures of the console are taken anew from this very source.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumPath, hasJapaneseFont, takePictures } from './pictures.ts';

const root = join(import.meta.dirname, '..');
const docs = join(root, 'docs');
const site = join(root, 'site');
const pages = join(site, '.pages');

rmSync(pages, { recursive: true, force: true });
mkdirSync(join(pages, 'ja'), { recursive: true });
for (const name of globSync('*.md', { cwd: docs })) {
  const words = readFileSync(join(docs, name), 'utf8');
  if (name.endsWith('.ja.md')) writeFileSync(join(pages, 'ja', name.replace('.ja', '')), inFolder(words));
  else writeFileSync(join(pages, name), alone(words.replace(/\]\(([\w-]+)\.ja\.md/g, '](ja/$1.md')));
}
for (const name of globSync('*.{png,svg}', { cwd: docs })) {
  for (const folder of [pages, join(pages, 'ja')]) cpSync(join(docs, name), join(folder, name));
}
// The pictures in `docs/` stand in where this machine has no browser, or no Japanese font for the link to the other language.
if (chromiumPath && hasJapaneseFont()) {
  await takePictures('en', pages, chromiumPath);
  await takePictures('ja', join(pages, 'ja'), chromiumPath);
}
cpSync(join(site, 'index.md'), join(pages, 'index.md'));
cpSync(join(site, 'index.ja.md'), join(pages, 'ja/index.md'));

if (!existsSync(join(site, 'node_modules')))
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
run(process.execPath, [join(site, 'node_modules/vitepress/bin/vitepress.js'), 'build', '.']);

/** Japanese pages lie in a folder of their own, under the names of the English ones, which are one folder up. */
function inFolder(words: string): string {
  return alone(
    words.replace(/\]\(([\w-]+)(\.ja)?\.md/g, (_link, name: string, twin?: string) =>
      twin ? `](${name}.md` : `](../${name}.md`,
    ),
  );
}

/** What lies beside `docs/` in the repository is no page: its name stays, the link goes. */
function alone(words: string): string {
  return words.replace(/\[([^\]]*)\]\((?:\.\.\/)+(?![\w-]+\.md)[^)]*\)/g, '$1');
}

function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { cwd: site, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
