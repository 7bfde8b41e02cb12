/** Sizes and times as fd writes them: `+1M`, `-500k`, `2d`, `2026-01-31`. */
export const sizeForm = /^[+-]?\d{1,15}([bB]|[kKmMgGtT]([iI]?[bB]?)?)?$/;
export const momentForm =
  /^(\d{1,9} ?(s|secs?|seconds?|m|mins?|minutes?|h|hours?|hrs?|d|days?|w|weeks?|M|months?|y|years?)|\d{4}-\d\d-\d\d([ T]\d\d:\d\d:\d\d)?)$/;

export function sizeBounds(written: string): { readonly least: number; readonly most: number } {
  const [, sign, count = '0', unit = ''] = /^([+-]?)(\d+)([a-z]*)$/i.exec(written) ?? [];
  const power = 'kmgt'.indexOf(unit.charAt(0).toLowerCase()) + 1;
  const bytes = Number(count) * (/i/i.test(unit) ? 1024 : 1000) ** power;
  return { least: sign === '-' ? 0 : bytes, most: sign === '+' ? Number.POSITIVE_INFINITY : bytes };
}

/** The time that long ago, or at the given date. */
export function momentMs(written: string): number {
  const [, count, unit = ''] = /^(\d+) ?([a-zA-Z]+)$/.exec(written) ?? [];
  if (count === undefined) return Date.parse(written.replace(' ', 'T'));
  return Date.now() - Number(count) * secondsOf(unit) * 1000;
}

function secondsOf(unit: string): number {
  if (unit === 'M' || unit.startsWith('mo')) return 2_630_016;
  const lengths = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_557_600 };
  return lengths[unit.charAt(0) as keyof typeof lengths];
}

const findUnits: Readonly<Record<string, number>> = {
  b: 512,
  c: 1,
  w: 2,
  k: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
};

/** A find test for size or time in fd's syntax: find rounds sizes up to whole units, and ages down. */
export function measuredInFd(test: string, value: string): string[] | undefined {
  const [, sign = '', digits, unit = 'b'] = /^([+-]?)(\d{1,12})([bcwkMG]?)$/.exec(value) ?? [];
  if (digits === undefined) return undefined;
  const count = Number(digits);
  if (test === '-size') {
    const each = findUnits[unit === '' ? 'b' : unit] ?? 512;
    const atLeast = ['-S', `+${(sign === '+' ? count : count - 1) * each + 1}b`];
    const atMost = ['-S', `-${(sign === '-' ? count - 1 : count) * each}b`];
    if (count === 0 && sign !== '+') return undefined;
    return sign === '+' ? atLeast : sign === '-' ? atMost : [...atLeast, ...atMost];
  }
  const span = test === '-mtime' ? 'd' : test === '-mmin' ? 'min' : undefined;
  if (span === undefined || sign === '') return undefined;
  return sign === '-' ? ['--changed-within', `${count}${span}`] : ['--changed-before', `${count + 1}${span}`];
}
