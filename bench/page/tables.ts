import { type Locale, text } from '../../src/contract/text/text.ts';
import type { Growth, Result } from '../measure.ts';
import type { Measured } from '../results.ts';
import { rowsInJapanese, sizeInJapanese } from './rows-ja.ts';

/** The table of results, and one of growth if any was measured, in Markdown. */
export function resultTables(measured: readonly Measured[], locale: Locale = 'en'): string {
  const all = measured.flatMap(({ results }) => results);
  const compared = all.filter((one): one is Result => 'row' in one);
  const grown = all.filter((one): one is Growth => 'points' in one);
  const lines = [
    text(
      '| row | against | ours | theirs | ratio | goal | |',
      '| 項目 | 比較対象 | Sekisho | 比較対象の値 | 比 | 目標 | |',
    )[locale],
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...compared.map((result) => resultLine(result, locale)),
  ];
  if (grown.length > 0) {
    lines.push(
      '',
      text('| as it grows | | | |', '| 規模による変化 | | | |')[locale],
      '| --- | --- | --- | --- |',
    );
    lines.push(...grown.map((growth) => growthLine(growth, locale)));
  }
  return `${lines.join('\n')}\n`;
}

function resultLine({ row, against = '', unit, ours, theirs, ratio, goal, met }: Result, locale: Locale) {
  const cells = [
    named(row, locale),
    named(against, locale),
    `${shown(ours)} ${unitOf(unit, locale)}`,
    theirs === undefined ? '' : `${shown(theirs)} ${unitOf(unit, locale)}`,
    ratio === undefined ? '' : ratio.toFixed(2),
    text(goal, goal.replace(/count|calls\/s|bytes/, (word) => unitOf(word, 'ja')).replace('×', '倍'))[locale],
    (met ? text('met', '達成') : text('over', '未達'))[locale],
  ];
  return `| ${cells.join(' | ')} |`;
}

function growthLine({ operation, points }: Growth, locale: Locale): string {
  const cells = points.map(({ size, ms }) => `${text(size, sizeInJapanese(size))[locale]}: ${shown(ms)} ms`);
  return `| ${named(operation, locale)} | ${cells.join(' | ')} |`;
}

function named(words: string, locale: Locale): string {
  // Programs that are compared with have one name in both languages.
  const ja = /^$|^`[^`]+`$|^server-filesystem$|^wc -l$/.test(words) ? words : rowsInJapanese[words];
  if (locale === 'ja' && ja === undefined)
    throw new Error(`bench/page/rows-ja.ts has no line for "${words}"`);
  return text(words, ja ?? words)[locale];
}

function unitOf(unit: string, locale: Locale): string {
  const ja: Readonly<Record<string, string>> = { count: '件', 'calls/s': '回/秒', bytes: 'バイト' };
  return text(unit, ja[unit] ?? unit)[locale];
}

function shown(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
