/**
 * Makes the files of a release in `release/`: `npm run release`. With `--dry-run` from whatever stands here, else only
 * from a clean tree whose commit has the version's tag. It publishes nothing; .github/workflows/release.yml does.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { notesOf } from './release/notes.ts';
import { provenance } from './release/provenance.ts';
import { composeSbom } from './release/sbom.ts';

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, base: { type: 'string' } },
});
const { version } = packageJson;
const startedOn = new Date().toISOString();
const out = 'release';
const commit = git('rev-parse', 'HEAD');

if (!values['dry-run']) assertReleasable();
rmSync(out, { recursive: true, force: true });
mkdirSync(out);
const notes = notesOf(readFileSync('CHANGELOG.md', 'utf8'), values['dry-run'] ? 'Unreleased' : version);
writeFileSync(join(out, 'NOTES.md'), notes);

execFileSync('node', ['scripts/mcpb.ts', '--out', out], { stdio: 'inherit' });
execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', out]);
const sbom = composeSbom(readFileSync('dist/THIRD-PARTY.txt', 'utf8'));
writeFileSync(join(out, `sekisho-${version}.cdx.json`), `${JSON.stringify(sbom, null, 2)}\n`);
const image = buildImage();

const made = readdirSync(out)
  .filter((name) => name !== 'NOTES.md')
  .sort()
  .map((name) => ({ name, sha256: sha256(join(out, name)) }));
writeFileSync(join(out, 'SHA256SUMS'), made.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
const { env } = process;
const statement = provenance({
  made,
  source: { uri: sourceUri(), commit, lockSha256: sha256('package-lock.json') },
  builder: env.GITHUB_RUN_ID
    ? `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`
    : `${sourceUri()}/blob/main/scripts/release.ts`,
  startedOn,
  finishedOn: new Date().toISOString(),
  node: process.version,
});
writeFileSync(join(out, `sekisho-${version}.intoto.json`), `${JSON.stringify(statement, null, 2)}\n`);

for (const { name, sha256 } of made) console.log(`${sha256}  ${join(out, name)}`);
if (!image)
  console.log('No image: neither docker nor podman answers, or the base cannot be had (--base IMAGE).');
console.log(
  values['dry-run'] ? 'A dry run: nothing was published.' : `Version ${version} is ready to publish.`,
);

function assertReleasable(): void {
  if (git('status', '--porcelain') !== '') throw new Error('There are changes that no commit has.');
  const tags = git('tag', '--points-at', 'HEAD').split('\n');
  if (!tags.includes(`v${version}`)) throw new Error(`This commit has no tag v${version}.`);
}

/** By the program that was just built, as its users do. */
function buildImage(): boolean {
  const base = values.base === undefined ? [] : ['--base', values.base];
  const built = spawnSync('node', ['dist/sekisho.js', 'image', 'build', ...base], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (built.status !== 0) return false;
  const engine = String(built.stdout).split(' ')[0] ?? '';
  const form = engine === 'podman' ? ['--format', 'oci-archive'] : [];
  const file = join(out, `sekisho-${version}-linux-${process.arch}.oci.tar`);
  execFileSync(engine, ['save', ...form, '--output', file, `localhost/sekisho:${version}`]);
  return true;
}

function sourceUri(): string {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  return `${server ?? 'https://github.com'}/${repository ?? 'sekisho/sekisho'}`;
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
