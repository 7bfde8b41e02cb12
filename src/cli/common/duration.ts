import { badValue } from '../../contract/error.ts';

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `10m`, `12h` or `30d` in milliseconds. */
export function durationMs(words: string, option: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(words);
  const unit = units[match?.[2] ?? ''];
  if (!match || unit === undefined)
    throw badValue(
      option,
      words,
      'must be a time such as 90s, 10m, 12h or 30d',
      'は 90s、10m、12h、30d のような時間で指定してください',
    );
  return Number(match[1]) * unit;
}

/** A whole number from an option. */
export function wholeNumber(words: unknown, option: string): number {
  const value = Number(words);
  if (!Number.isInteger(value) || value < 1)
    throw badValue(option, words, 'must be a positive whole number', 'は 1 以上の整数で指定してください');
  return value;
}
