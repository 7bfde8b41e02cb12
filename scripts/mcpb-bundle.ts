import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { mcpbManifest } from './mcpb-manifest.ts';
import { type ZipEntry, zip } from './zip.ts';

/** Writes a bundle of an installed package: its manifest, and all that it needs to run without npm. */
export async function writeBundle(
  installed: string,
  out: string,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const packageJson = JSON.parse(readFileSync(join(installed, 'node_modules/sekisho/package.json'), 'utf8'));
  const manifest = await mcpbManifest(packageJson, process.platform);
  const entries: ZipEntry[] = [
    { path: 'manifest.json', bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) },
    ...filesBelow(join(installed, 'node_modules')).map((file) => ({
      path: relative(installed, file).replaceAll('\\', '/'),
      bytes: readFileSync(file),
      executable: (statSync(file).mode & 0o100) !== 0,
    })),
  ];
  const archive = zip(entries);
  writeFileSync(out, archive);
  return { files: entries.length, bytes: archive.length };
}

/** Links of programs, and what only compilers and debuggers read. */
const idle = /(\.d\.[cm]?ts|\.map|\.tsbuildinfo)$/;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === '.bin' ? [] : filesBelow(path);
      return entry.isFile() && !idle.test(entry.name) ? [path] : [];
    });
}
