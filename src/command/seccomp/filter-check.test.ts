import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { findFilterHole } from './filter-check.ts';
import { compileFilter, type FilterPlan } from './seccomp.ts';

const plans: readonly FilterPlan[] = [
  { sockets: 'private', signals: true, tracing: true },
  { sockets: 'supervised', signals: true, tracing: true },
  { sockets: 'supervised', signals: true, tracing: true, files: 'watched' },
  { sockets: 'none', signals: true, tracing: false },
  { sockets: 'none', signals: false, tracing: false },
];

describe.each(['x64', 'arm64'] as const)('%s', (architecture) => {
  test.each(plans)('the filter of %j holds what it should', (plan) => {
    expect(findFilterHole(compileFilter(plan, architecture), plan, architecture)).toBeUndefined();
  });

  test('a filter of less than the plan is found out', () => {
    const [loose, strict] = [plans[0], plans[4]];
    if (!loose || !strict) throw new Error('the plans are above');
    expect(findFilterHole(compileFilter(loose, architecture), strict, architecture)).toBeDefined();
    expect(findFilterHole(compileFilter(strict, architecture), loose, architecture)).toBeDefined();
  });

  test.each(plans)('with any one comparison of %j taken out, the check goes red', (plan) => {
    const filter = compileFilter(plan, architecture);
    const unseen: string[] = [];
    for (let at = 0; at < filter.length; at += 8) {
      if (filter.readUInt16LE(at) !== 0x15) continue;
      const changed = Buffer.from(filter);
      // No call has this number, so the rule is disabled.
      changed.writeUInt32LE(0x3fffffff, at + 4);
      if (findFilterHole(changed, plan, architecture) === undefined)
        unseen.push(String(filter.readUInt32LE(at + 4)));
    }
    expect(unseen).toEqual([]);
  });

  test('with any one refusal turned into permission, the check goes red', () => {
    for (const plan of plans) {
      const filter = compileFilter(plan, architecture);
      for (let at = 0; at < filter.length; at += 8) {
        if (filter.readUInt16LE(at) !== 0x06 || filter.readUInt32LE(at + 4) === 0x7fff0000) continue;
        const changed = Buffer.from(filter);
        changed.writeUInt32LE(0x7fff0000, at + 4);
        expect(findFilterHole(changed, plan, architecture), `instruction ${at / 8}`).toBeDefined();
      }
    }
  });
});
