import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
const isComment = (line = '') => /^\s*(\/\/|\/?\*)/.test(line) || /\s\/\/ /.test(line);

/** A function that is nothing but an attempt says by its name what comes of a failure: `isThere`, `parsed`. */
function isWholeFunction(lines: readonly string[], at: number): boolean {
  const indent = /^ */.exec(lines[at] ?? '')?.[0].length ?? 0;
  const end = lines.slice(at + 1).indexOf(`${' '.repeat(indent)}}`) + at + 1;
  const start = lines.slice(0, at).lastIndexOf(`${' '.repeat(indent)}try {`);
  const head = lines
    .slice(0, start)
    .findLastIndex((line) => !line.startsWith(' '.repeat(Math.max(1, indent))));
  const before = lines.slice(head, start).join('\n');
  return (
    end - start <= 16 &&
    /function|=>/.test(before) &&
    start - head <= 6 &&
    /^\s*[});]/.test(lines[end + 1] ?? '')
  );
}

function unexplained(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    const isBlock = line.includes('catch {');
    if (!isBlock && !/\.catch\(\(\) => (\{\}|undefined)\)/.test(line)) return [];
    const next = lines[at + 1] ?? '';
    if ([lines[at - 2], lines[at - 1], line, next].some(isComment)) return [];
    if (isBlock && (/^\s*throw /.test(next) || isWholeFunction(lines, at))) return [];
    return [`${file}:${at + 1}: ${line.trim()}`];
  });
}

test('an error that is passed over is explained where it is', () => {
  expect(files.flatMap(unexplained)).toEqual([]);
});
