import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import type { DryRun, DryRunChange } from '../../contract/capabilities/dry-run.ts';
import { dryRunWords, reportDryRun } from './dry-run-report.ts';

const change = (path: string, more: Partial<DryRunChange> = {}): DryRunChange => ({
  root: '/r',
  path,
  change: 'changed',
  kind: 'file',
  bytes: 1,
  ...more,
});
const options = { maxBytes: 1000, locale: 'en', nameOf: ({ path }: DryRunChange) => path } as const;
const losses = { files: 0, earlier: 0, withKept: 0, of: 0, repositories: [], names: [], obeyed: [] };
const dryRun = (changes: readonly DryRunChange[], more: Partial<DryRun> = {}): DryRun => ({
  changes,
  total: changes.length,
  losses,
  diff: '',
  isDiffCut: false,
  ...more,
});

test('one line each', () => {
  const changes = [
    change('old', { change: 'deleted', kind: 'folder', files: 1, bytes: undefined }),
    change('a', { lines: { added: 2, removed: 0 } }),
    change('b', { bytes: 3000, mode: '644 → 755' }),
    change('l', { change: 'created', kind: 'symlink', bytes: undefined }),
    change('empty', { change: 'created', lines: { added: 0, removed: 0 } }),
  ];
  const report = reportDryRun(dryRun(changes), options);
  expect(report.changes).toEqual([
    'deleted old/ (1 file in it)',
    'changed a (+2)',
    'changed b (3000 bytes, mode 644 → 755)',
    'created l (symbolic link)',
    'created empty',
  ]);
  expect(dryRunWords(report, 'ja')).toContain('実行すると次の 5 件が変わります');
});

test('it stays within its bytes, names that hide are shown, and what is left out is counted', () => {
  const changes = Array.from({ length: 500 }, (_, index) => change(`folder/file-${index}\n\u202e`));
  const report = reportDryRun(dryRun(changes, { total: 9000, diff: '+x\n'.repeat(1000) }), options);
  expect(Buffer.byteLength(dryRunWords(report, 'en'))).toBeLessThan(1300);
  expect(report.more).toBe(9000 - report.changes.length);
  expect(report.changes[0]).not.toMatch(/[\n\u202e]/);
  expect(report.diff).toContain('the rest of the diff is left out');
});

test('nothing would change', () => {
  expect(dryRunWords(reportDryRun(dryRun([]), options), 'en')).toBe(
    'dry run: nothing was changed, and nothing would have been',
  );
});
