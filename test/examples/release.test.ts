import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { notesOf } from '../../scripts/release/notes.ts';
import { provenance } from '../../scripts/release/provenance.ts';
import { composeSbom } from '../../scripts/release/sbom.ts';

test('the notes of a version are its section of the changelog, and a version without one is not released', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- new\n\n## 1.2.0 (2026-01-01)\n\n- two\n- more\n\n## 1.1.0\n\n- one\n';
  expect(notesOf(changelog, 'Unreleased')).toBe('- new\n');
  expect(notesOf(changelog, '1.2.0')).toBe('- two\n- more\n');
  expect(notesOf(changelog, '1.1.0')).toBe('- one\n');
  expect(() => notesOf(changelog, '1.2.1')).toThrow('CHANGELOG.md has no section 1.2.1.');
  expect(() => notesOf('## 1.0.0\n\n## 0.9.0\n\n- x\n', '1.0.0')).toThrow('no section 1.0.0');
});

test('the list of components has what npm installs and what the bundle holds, each once and with its version', () => {
  const line = `\n${'-'.repeat(80)}\n\n`;
  const notices = [
    'Of these packages.\n',
    'htmx.org 4.0.1 (0BSD)\n\nwords',
    '@vscode/tree-sitter-wasm 0.3.1 (MIT)\n\nwords',
  ];
  const { bomFormat, metadata, components } = composeSbom(
    [...notices, 'zod 4.6.7 (MIT)\n\nwords'].join(line),
  );
  expect(bomFormat).toBe('CycloneDX');
  expect(metadata.component).toMatchObject({ name: 'sekisho', version: packageJson.version });
  const names = components.map(({ name }) => name);
  for (const name of Object.keys(packageJson.dependencies)) expect(names).toContain(name);
  expect(names).not.toContain('vitest');
  expect(components.find(({ name }) => name === '@vscode/tree-sitter-wasm')?.purl).toBe(
    'pkg:npm/%40vscode/tree-sitter-wasm@0.3.1',
  );
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length);
  for (const { version } of components) expect(version).toMatch(/^\d/);
});

test('the provenance names each file, the commit and the lock file, as SLSA has it', () => {
  const statement = provenance({
    made: [{ name: 'sekisho-1.0.0.tgz', sha256: 'a'.repeat(64) }],
    source: { uri: 'https://example.org/a/b', commit: 'c'.repeat(40), lockSha256: 'd'.repeat(64) },
    builder: 'https://example.org/run/1',
    startedOn: '2026-01-01T00:00:00Z',
    finishedOn: '2026-01-01T00:01:00Z',
    node: 'v24.0.0',
  });
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'sekisho-1.0.0.tgz', digest: { sha256: 'a'.repeat(64) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        resolvedDependencies: [
          { digest: { gitCommit: 'c'.repeat(40) } },
          { digest: { sha256: 'd'.repeat(64) } },
        ],
      },
      runDetails: { builder: { id: 'https://example.org/run/1' } },
    },
  });
});

test('the workflow makes what the command makes, and only with a tag', () => {
  const words = readFileSync('.github/workflows/release.yml', 'utf8');
  expect(words).toContain('tags: ["v*"]');
  expect(words).toContain('npm run release\n');
  expect(words).toContain('permissions: {}');
  expect(Object.keys(packageJson.scripts)).toContain('release');
});
