import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };

/** The digest of https://www.apache.org/licenses/LICENSE-2.0.txt, whose appendix has a place for the owner's name. */
const apacheDigest = 'cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30';
const ours = 'Copyright 2026 The Sekisho authors';

const readText = (...path: string[]) => readFileSync(join(...path), 'utf8');
const workflows = readdirSync('.github/workflows').map((name) => join('.github/workflows', name));

test('LICENSE is the text of Apache-2.0 with our own copyright line', () => {
  const license = readText('LICENSE');

  expect(license.match(/^ *Copyright .*$/gm)).toEqual([`   ${ours}`]);
  const template = license.replace(ours, 'Copyright [yyyy] [name of copyright owner]');
  expect(createHash('sha256').update(template).digest('hex')).toBe(apacheDigest);
  expect(packageJson.license).toBe('Apache-2.0');
});

test('no tracked file but LICENSE has a copyright line, so that none is taken over without its name in the notices', () => {
  const roots = ['src', 'scripts', 'packaging', 'examples', 'site/.vitepress/config.mts', '.github', '.ci'];
  const files = roots.flatMap((root) =>
    root.includes('.mts')
      ? [root]
      : readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name)),
  );
  expect(files.length).toBeGreaterThan(1000);
  expect(files.filter((file) => /copyright (\(c\)|©|\d{4})/i.test(readText(file)))).toEqual([]);
});

test.each(workflows)(
  '%s uses actions by the digest of a commit, with their version beside it',
  (workflow) => {
    const uses = readText(workflow).match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const use of uses) expect(use).toMatch(/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(parse(readText(workflow))).toMatchObject({
      permissions: expect.anything(),
      jobs: expect.anything(),
    });
  },
);

test('a workflow runs every check on pull requests, on both processors', () => {
  const { on, jobs } = parse(readText('.github/workflows/test.yml'));

  expect(on).toHaveProperty('pull_request');
  expect(jobs.linux.strategy.matrix.runner).toEqual(['ubuntu-24.04', 'ubuntu-24.04-arm']);
  expect(jobs.linux.steps.at(-1)).toEqual({ run: 'bash .ci/run' });
  expect(readText('.ci/run')).toMatch(/^npm test$/m);
});

test('each issue form asks for something, with the keys that forms have', () => {
  const forms = readdirSync('.github/ISSUE_TEMPLATE').filter((name) => name !== 'config.yml');
  expect(forms).toEqual(['bug.yml', 'feature.yml', 'refused.yml']);
  for (const name of forms) {
    const form = parse(readText('.github/ISSUE_TEMPLATE', name));
    expect(Object.keys(form)).toEqual(['name', 'description', 'labels', 'body']);
    const ids = form.body.map((field: { id: string }) => field.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(
      form.body.some((field: { validations?: { required?: boolean } }) => field.validations?.required),
    ).toBe(true);
  }
});

test('the folders that CODEOWNERS names exist', () => {
  const paths = [...readText('.github/CODEOWNERS').matchAll(/^(\/\S+)/gm)].map(([, path = '']) =>
    path.slice(1),
  );
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

test('package.json, .nvmrc and the pages of the front door name one repository and one Node', () => {
  const repository = 'https://github.com/sekisho/sekisho';

  expect(packageJson.repository.url).toBe(`git+${repository}.git`);
  expect([packageJson.homepage, packageJson.bugs]).toEqual([`${repository}#readme`, `${repository}/issues`]);
  expect(packageJson.engines.node).toBe(`>=${readText('.nvmrc').trim()}`);
  for (const page of ['SECURITY.md', 'CODE_OF_CONDUCT.md'])
    expect(readText(page)).toContain(`${repository}/security`);
  expect(readText('SECURITY.md')).toContain(
    `| ${packageJson.version.replace(/\.\d+$/, '')} and the main branch |`,
  );
});
