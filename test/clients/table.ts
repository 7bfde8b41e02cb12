import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from './conversation.ts';

const columns = [
  'client',
  'connect',
  'list',
  'call',
  'error',
  'ask',
  'decline',
  'cancel',
  'interrupt',
  'big output',
  'bytes',
];
const japanese = [
  'クライアント',
  '接続',
  '一覧',
  '呼び出し',
  'エラー',
  '確認',
  '拒否',
  '取り消し',
  '中断',
  '大きな出力',
  'バイト',
];

export function table(rows: readonly Row[], locale: 'en' | 'ja'): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(locale === 'ja' ? japanese : columns),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((column) => row.get(column) ?? '—'))),
  ].join('\n');
}

/** Puts the table into both pages, between its marks. */
export function writeTable(rows: readonly Row[]): void {
  for (const [page, locale] of [
    ['clients.md', 'en'],
    ['clients.ja.md', 'ja'],
  ] as const) {
    const path = join(import.meta.dirname, '../../docs', page);
    const words = readFileSync(path, 'utf8');
    const made = words.replace(
      /(<!-- table -->\n)[\s\S]*?(<!-- end -->)/,
      (_, begin, end) => `${begin}${table(rows, locale)}\n${end}`,
    );
    writeFileSync(path, made);
  }
}
