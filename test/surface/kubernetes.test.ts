import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { type IStatefulSet, StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { configSchema } from '../../src/config/schema.ts';

const manifests = parseAllDocuments(readFileSync('packaging/kubernetes/sekisho.yaml', 'utf8')).map((each) =>
  each.toJS(),
);
const models = { ConfigMap, StatefulSet, Service, PodDisruptionBudget };
const paths = {
  ConfigMap: 'v1/ConfigMap',
  StatefulSet: 'apps/v1/StatefulSet',
  Service: 'v1/Service',
  PodDisruptionBudget: 'policy/v1/PodDisruptionBudget',
};
type Kind = keyof typeof models;

function manifestOf(kind: Kind) {
  return manifests.find((each) => each.kind === kind);
}

test('each manifest is what the schemas of Kubernetes take', () => {
  const kinds = ['ConfigMap', 'StatefulSet', 'Service', 'Service', 'PodDisruptionBudget'];
  expect(manifests.map(({ kind }) => kind)).toEqual(kinds);
  for (const each of manifests) {
    const model = new models[each.kind as Kind](structuredClone(each));
    expect(() => model.validate()).not.toThrow();
    expect(each.apiVersion).toBe(model.apiVersion);
  }
});

test('and holds no field that they do not know', () => {
  // The schemas let unknown fields pass; the types do not.
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-kubernetes-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  try {
    const lines = manifests.map((each, place) => {
      const { kind, apiVersion, ...rest } = each;
      const type = `import('kubernetes-models/${paths[kind as Kind]}').I${kind}`;
      return `export const m${place}: Omit<${type}, 'kind' | 'apiVersion'> = ${JSON.stringify(rest)};`;
    });
    const check = (words: string) => {
      writeFileSync(join(folder, 'manifests.ts'), words);
      const options = ['--noEmit', '--ignoreConfig', '--skipLibCheck', '--strict', '--module', 'nodenext'];
      execFileSync('tsc', [...options, join(folder, 'manifests.ts')], { encoding: 'utf8', stdio: 'pipe' });
    };
    check(lines.join('\n'));
    expect(() => check(lines.join('\n').replace('"readinessProbe"', '"readynessProbe"'))).toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('its configuration is taken, and what it names is there', () => {
  const data: ConfigMap['data'] = manifestOf('ConfigMap').data;
  const spec: NonNullable<IStatefulSet['spec']> = manifestOf('StatefulSet').spec;
  const { state, roots, http } = configSchema.parse(parseJsonc(data?.['sekisho.jsonc'] ?? ''));
  const pod = spec.template.spec;
  const [server] = pod?.containers ?? [];

  expect(pod?.initContainers?.[0]?.command).toContain(`${state}/audit.key`);
  const mounts = server?.volumeMounts ?? [];
  expect(mounts.map(({ mountPath }) => mountPath)).toContain(roots?.[0]);
  const claims = spec.volumeClaimTemplates?.map(({ metadata }) => metadata?.name) ?? [];
  const there = [...(pod?.volumes ?? []).map(({ name }) => name), ...claims];
  for (const { name } of mounts) expect(there).toContain(name);
  const { startupProbe, livenessProbe, readinessProbe } = server ?? {};
  const probed = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path);
  expect(probed).toEqual(['/health', '/health', '/ready']);
  expect((pod?.terminationGracePeriodSeconds ?? 0) * 1000).toBeGreaterThan(http?.drainMs ?? 0);
});
