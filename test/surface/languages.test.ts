import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// The words of the languages themselves stand in `text.ts`; everything else is said by `text(en, ja)` or a catalog.
const files = globSync('src/**/*.ts').filter(
  (file) => !file.endsWith('.test.ts') && file !== 'src/contract/text/text.ts',
);

/** The lines of all files that fit, as `file:line: words`. */
function lines(pattern: RegExp, among: readonly string[] = files): string[] {
  return among.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  );
}

test('no code asks which language it is', () => {
  expect(lines(/[!=]==? ['"](?:en|ja)['"]|case ['"](?:en|ja)['"]/)).toEqual([]);
});

test('what is said in both languages is made by `text`, but for the catalogs', () => {
  // The fields of a tool by their path.
  const catalogs = /^src\/(?:tools|contract\/tool)\//;
  const others = files.filter((file) => !catalogs.test(file));
  expect(lines(/\bja: /, others)).toEqual([]);
});

test('no function takes the two languages apart', () => {
  expect(lines(/\ben: string/)).toEqual([]);
});

test('no command prints an English sentence that has no Japanese beside it', () => {
  // One argument: with two, the second is the Japanese.
  const bare =
    /\b(?:say|note|print|question|stderr\.write|stdout\.write)\(\s*(['"`])(?:(?!\1).)*[a-z]{2,} [a-z]{2,} [a-z]{2,}(?:(?!\1).)*\1,?\s*\)/gs;
  const cli = globSync('src/cli/**/*.ts').filter((file) => !/\.test\.ts$/.test(file));
  const found = cli.flatMap((file) => readFileSync(file, 'utf8').match(bare) ?? []);
  // An older Node cannot load the rest, nor the languages.
  expect(found.filter((words) => !words.includes('sekisho needs Node'))).toEqual([]);
});

test('a number agrees with its noun', () => {
  // What is said of a limit is a number that is never one.
  const uncounted =
    /\$\{(?![^}]*(?:max|most|limit|bounds|count(?:ed)?\())[\w.]*(?:bytes|count|length|lines|size|chars|number)\} (?:bytes|characters|lines|files|calls|tools|entries|changes|dimensions)\b/i;
  // More than a limit is more than one.
  const overLimits =
    /bytes\} bytes are (?:over|more than)|has \$\{(?:bytes(?:\.length)?|chars)\}|characters in all|Show all/;
  expect(lines(uncounted).filter((line) => !overLimits.test(line))).toEqual([]);
  expect(lines(/\w\(s\) |\w\(s\)[.,'`]/)).toEqual([]);
});

test('one thing has one Japanese word', () => {
  const register: Readonly<Record<string, string>> = {
    規則: 'ルール',
    レジストリー: 'レジストリ',
    登録所: 'レジストリ',
    ユーザ: 'ユーザー',
    フォルダ: 'フォルダー',
    サーバ: 'サーバー',
    ブラウザ: 'ブラウザー',
    呼出: '呼び出し',
    オペレーター: '運用者',
    履歴を戻: '元に戻',
    予行: 'ドライラン',
  };
  const pages = [...globSync('docs/*.ja.md'), 'README.ja.md', ...files];
  // The name of a document that was written elsewhere.
  const all = pages.filter((page) => page !== 'docs/documents.ja.md');
  for (const [word, ours] of Object.entries(register))
    expect(lines(new RegExp(`${word}(?!ー)`), all), `say ${ours}`).toEqual([]);
});
