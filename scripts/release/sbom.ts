import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };

interface Component {
  readonly 'bom-ref': string;
  readonly type: 'library';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly object[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

export interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly Component[];
}

/**
 * What the package brings along, as CycloneDX: what npm installs with it, by npm's own generator, and what stands in its bundle,
 * by the notices that the build wrote.
 */
export function composeSbom(notices: string): Sbom {
  const sbom = ofInstalled();
  // npm takes the name of the folder that it runs in.
  const component = { ...sbom.metadata.component, name: packageJson.name };
  const known = new Set(sbom.components.map(({ purl }) => purl));
  const bundled = bundledIn(notices).filter(({ purl }) => !known.has(purl));
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component },
    components: [...sbom.components, ...bundled],
  };
}

/** Of a lock file without what only development needs: told to omit that, npm leaves out what both need. */
function ofInstalled(): Sbom {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-sbom-'));
  try {
    const { name, version, license, dependencies } = packageJson;
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, license, dependencies }));
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { dev?: boolean; devDependencies?: object }>;
    };
    const packages = Object.entries(lock.packages).filter(([, { dev }]) => !dev);
    const own = { ...lock.packages[''], devDependencies: {} };
    const kept = { ...lock, packages: { ...Object.fromEntries(packages), '': own } };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(kept));
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
    return JSON.parse(
      execFileSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 }),
    ) as Sbom;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `name version (licence)`, the first line of each notice. */
function bundledIn(notices: string): readonly Component[] {
  const heads = notices.split(/\n-{80}\n\n/).slice(1);
  return heads.map((words) => {
    const [, name = '', version = '', license] = /^(\S+) (\S+)(?: \((.*)\))?/.exec(words) ?? [];
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return {
      'bom-ref': purl,
      type: 'library',
      name,
      version,
      purl,
      ...(license && license !== 'see below' && { licenses: [{ expression: license }] }),
      properties: [{ name: 'sekisho:bundled', value: 'true' }],
    };
  });
}
