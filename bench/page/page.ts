import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Locale, type Text, text } from '../../src/contract/text/text.ts';
import { type ReplayRow, replayedDay } from '../replay/results.ts';
import { keptResults, type Measured } from '../results.ts';
import { resultTables } from './tables.ts';

/** `docs/performance.md` or its Japanese twin: the newest kept results, put into the prose that lies beside this file. */
export function performancePage(locale: Locale): string {
  const { commit, machine, rows } = keptResults();
  const { same, steps, questions, onlyHere, rows: projects } = replayedDay('projects');
  const calls = replayedDay('day');
  const values: Readonly<Record<string, string>> = {
    commit,
    machine,
    later: later(rows, locale),
    tables: resultTables(rows, locale),
    same: String(same),
    steps: String(steps),
    share: ((100 * same) / steps).toFixed(1),
    questions: String(questions),
    onlyHere: String(onlyHere),
    callsSame: String(calls.same),
    calls: String(calls.steps),
    callsOnlyHere: String(calls.onlyHere),
    callsAsked: String(calls.questions),
    replayed: projects.map((row) => replayedLine(row)[locale]).join('\n'),
  };
  const page = join(import.meta.dirname, text('performance.md', 'performance.ja.md')[locale]);
  return readFileSync(page, 'utf8').replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function replayedLine({ name, same, steps }: ReplayRow): Text {
  const ja = name
    .replace(/^(\S+) of (\S+)/, '$2 の $1')
    .replace(', of the language itself', '、言語に付属')
    .replace('a crate without dependencies', '依存のないクレート')
    .replace('scripts of a shell', 'シェルスクリプト')
    .replace('workspaces of npm', 'npm のワークスペース')
    .replace('a program in C++', 'C++ のプログラム');
  return text(`| ${name} | ${same} of ${steps} |`, `| ${ja} | ${steps} 中 ${same} |`);
}

/** Names the rows that were taken by themselves. */
function later(rows: readonly Measured[], locale: Locale): string {
  const alone = rows.filter((row) => row.commit !== undefined);
  if (alone.length === 0) return '';
  const named = alone.map(({ name, commit }) => `\`${name}\` (${commit})`);
  return text(
    ` Taken later, beside other work on the same machine: ${named.join(', ')}.`,
    `同じマシンで、ほかの作業と並行して後から測定した行: ${named.join('、')}。`,
  )[locale];
}
