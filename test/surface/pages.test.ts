import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program/program.ts';
import { configSchema } from '../../src/config/schema.ts';

/** What the written pages say is held against the program: a page that is out of date fails here. */
const pages = [
  'README.md',
  'README.ja.md',
  'SECURITY.md',
  'packaging/README.md',
  'examples/README.md',
  ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
const program = createProgram(() => {});

describe.each(pages)('%s', (page) => {
  const words = readFileSync(page, 'utf8');

  test('leads to pages and headings that exist', () => {
    const missing = [...words.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^https?:/.test(target)) return [];
      const [path = '', heading] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(file)) return [target];
      return heading === undefined || headingsOf(file).includes(heading) ? [] : [target];
    });
    expect(missing).toEqual([]);
  });

  test('shows configurations that are taken', () => {
    // A team file is none; test/team/page.test.ts applies it.
    const samples = blocksOf(words, 'jsonc').filter((sample) => !sample.includes('"agents":'));
    for (const sample of samples) {
      expect(configSchema.safeParse(parse(sample)).error, sample).toBeUndefined();
    }
  });

  test('names commands and options that exist', () => {
    const shown = blocksOf(words, 'sh').flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'));
    const inline = [...words.matchAll(/`((?:npx )?sekisho [^`]*)`/g)].map(([, line = '']) => line);
    const wrong = [...shown, ...inline].flatMap((line) => {
      const [, after] = /^(?:\$ )?(?:npx )?sekisho (.*)$/.exec(line.replace(/\s+#.*$/, '')) ?? [];
      return after === undefined ? [] : problemsOf(after).map((problem) => `${line}: ${problem}`);
    });
    expect(wrong).toEqual([]);
  });
});

test('each page in Japanese has the sections, rows and samples of the English one', () => {
  for (const page of pages.filter((name) => /^docs\/.*\.ja\.md$/.test(name))) {
    const [japanese, english] = [page, page.replace('.ja.md', '.md')].map((name) =>
      readFileSync(name, 'utf8'),
    );
    for (const pattern of [/^## /gm, /^\| /gm, /^```/gm]) {
      expect(japanese?.match(pattern)?.length, `${page}: ${pattern}`).toBe(english?.match(pattern)?.length);
    }
  }
});

test('every page has a Japanese twin', () => {
  const alone = readdirSync('docs').filter(
    (name) => /^[\w-]+\.md$/.test(name) && !existsSync(join('docs', name.replace('.md', '.ja.md'))),
  );
  expect(alone).toEqual([]);
});

test('a page and its Japanese twin lead to each other', () => {
  // The check of the documents is made by a script, in both languages at once.
  const twins = pages.filter((name) => /^docs\/(?!documents).*\.ja\.md$/.test(name));
  for (const page of twins) {
    const english = page.replace('.ja.md', '.md');
    expect(readFileSync(page, 'utf8'), page).toContain(`](${english.slice(5)})`);
    expect(readFileSync(english, 'utf8'), english).toContain(`](${page.slice(5)})`);
  }
});

test('a page in Japanese leads to pages in Japanese, where there are any', () => {
  const others = pages
    .filter((name) => name.endsWith('.ja.md'))
    .flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/(?<!\[English)\]\(([^):#]+)\.md[)#]/g)]
        .map(([, target = '']) => target)
        .filter((target) => !target.endsWith('.ja') && existsSync(join(dirname(page), `${target}.ja.md`)))
        .map((target) => `${page}: ${target}.md`),
    );
  expect(others).toEqual([]);
});

/** Walks down the sub-commands, then looks for each option. Words in capitals and quotes stand for something. */
function problemsOf(line: string): string[] {
  const words = line
    .replace(/'[^']*'|"[^"]*"/g, 'VALUE')
    .split(/\s+/)
    .filter(Boolean);
  let command: Command = program;
  for (const word of words) {
    const child = command.commands.find((each) => each.name() === word);
    if (!child) break;
    command = child;
  }
  if (command === program && /^[a-z]+$/.test(words[0] ?? '')) return [`no command ${words[0]}`];
  const known = [...command.options, ...program.options].flatMap(({ long, short }) => [long, short]);
  return words.flatMap((word) => {
    const [option] = /^--[a-z-]+/.exec(word) ?? [];
    return option === undefined || option === '--help' || known.includes(option)
      ? []
      : [`no option ${option}`];
  });
}

function blocksOf(words: string, language: string): string[] {
  return [...words.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );
}

/** The names that a page's headings have as targets of links, as GitHub makes them. */
function headingsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
