import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ContentQuery, NameQuery } from '../../src/contract/capabilities/files.ts';
import { openWorkspace } from '../../src/files/workspace.ts';
import { createGatheredSearches } from '../../src/search/gathered.ts';
import { createSearch } from '../../src/search/search.ts';

const signal = new AbortController().signal;
const fileCount = process.env.SEKISHO_HAMMER ? 60_000 : 3000;
const flags = ['--no-config', '--hidden', '--no-require-git', '--glob=!.git'];

let root: string;
let workspace: ReturnType<typeof openWorkspace>;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'search-'));
  makeTree(root, fileCount);
  workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
});

afterAll(() => {
  workspace.close();
  rmSync(root, { recursive: true, force: true });
});

describe('names', () => {
  test.each(['**/*.ts', '*.md', 'd1/**/*.rs', '**/{a,b}*/*[0-3].{ts,py}', '**/*語*', 'd2/*/f1?.ts', '**'])(
    '%s finds what ripgrep lists and the pattern means',
    async (pattern) => {
      const found = await names({ pattern, limit: 1_000_000 });
      const listed = rg([...flags, '--files', '.'])
        .split('\n')
        .filter(Boolean)
        .map(withoutDot);
      const isListed = new Set(listed);
      const expected = rg([...flags, '--files', `--glob=/${pattern}`, '.'])
        .split('\n')
        .filter(Boolean)
        .map(withoutDot)
        // ripgrep lets a pattern that names an ignored file win over the ignore file; ours never does.
        .filter((path) => isListed.has(path))
        .sort(byCodeUnit);
      expect(found.paths).toEqual(expected);
      expect(found.total).toBe(expected.length);
      expect(found.searched).toBe(listed.length);
    },
    60_000,
  );

  test('leaves out what .gitignore names, unless asked for', async () => {
    expect((await names({ pattern: '**/*.log', limit: 10 })).total).toBe(0);
    expect((await names({ pattern: '**/*.log', limit: 10, includeIgnored: true })).total).toBeGreaterThan(0);
    expect((await names({ pattern: '.git/**', limit: 10, includeIgnored: true })).total).toBe(0);
  });

  test('a mere name tells how many lie deeper', async () => {
    mkdirSync(join(root, 'deeper/and/deeper'), { recursive: true });
    writeFileSync(join(root, 'deeper/lone-name.txt'), '');
    writeFileSync(join(root, 'deeper/and/deeper/lone-name.txt'), '');
    expect(await names({ pattern: 'lone-*.{txt,md}', limit: 5 })).toMatchObject({ total: 0, deeper: 2 });
    expect(await names({ pattern: 'deeper/lone-name.txt', limit: 5 })).toMatchObject({ total: 1, deeper: 0 });
    expect(await names({ pattern: 'lone-name.py', limit: 5 })).toMatchObject({ total: 0, deeper: 0 });
  });

  test('pages follow each other without gap or overlap', async () => {
    const whole = await names({ pattern: '**/*.py', limit: 1_000_000 });
    const pages: string[] = [];
    for (let offset = 0; offset < whole.total; offset += 97) {
      pages.push(...(await names({ pattern: '**/*.py', limit: 97, offset })).paths);
    }
    expect(pages).toEqual(whole.paths);
  });

  test('neither lists a link nor looks behind it', async () => {
    expect((await names({ pattern: '**/passwd', limit: 10, includeIgnored: true })).paths).toEqual([]);
    expect((await names({ pattern: '**/outside*', limit: 10, includeIgnored: true })).paths).toEqual([]);
  });
});

describe('content', () => {
  test.each([
    { pattern: 'needle' },
    { pattern: 'needle', glob: '*.ts' },
    { pattern: 'needle', glob: '!*.ts' },
    { pattern: 'NEEDLE', ignoreCase: true },
    { pattern: 'a.b(c', fixed: true },
    { pattern: 'fn \\w+\\(\\)' },
    { pattern: '針' },
    { pattern: '^$' },
    { pattern: 'needle\\s+second', multiline: true },
  ] satisfies Partial<ContentQuery>[])(
    '%j finds the lines that ripgrep finds',
    async (query) => {
      const found = await content({ ...query, output: 'content', limit: 1_000_000 });
      const args = [
        ...flags.slice(0, 3),
        ...(query.glob ? [`--glob=${query.glob}`] : []),
        '--glob=!.git',
        ...(query.ignoreCase ? ['-i'] : []),
        ...(query.fixed ? ['-F'] : []),
        ...(query.multiline ? ['-U'] : []),
        '--sort=path',
        '-n',
        '--null',
        '-e',
        query.pattern,
        '.',
      ];
      const expected = rg(args)
        .split(/\r?\n/)
        .filter((line) => line.includes('\0'));
      const shown = found.lines.map(({ path, line, text }) => `./${path}\0${line}:${text}`);
      expect(shown.sort(byCodeUnit)).toEqual(expected.sort(byCodeUnit));
      const counted = await content({ ...query, output: 'count', limit: 1_000_000 });
      // Files with a NUL have no lines to show; they are named beside them, and counted.
      const odd = found.seen > 0 ? (found.unread ?? []) : [];
      expect(counted.files.map(({ path }) => path)).toEqual(expect.arrayContaining([...odd]));
      if (!query.multiline) {
        const legible = counted.files.filter(({ path }) => !odd.includes(path));
        expect(legible.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(expected.length);
      }
      const files = await content({ ...query, output: 'files', limit: 1_000_000 });
      expect(files.files.map(({ path }) => path)).toEqual(counted.files.map(({ path }) => path));
    },
    60_000,
  );

  test.each([
    ['*.js', ['src/a.js']],
    ['**', ['.gitignore', 'src/a.js', 'src/c.ts']],
    ['**/*.js', ['src/a.js']],
    ['src/*.{js,ts}', ['src/a.js', 'src/c.ts']],
    ['/src/[[:alpha:]].*', ['src/a.js', 'src/c.ts']],
    ['src/', ['src/a.js', 'src/c.ts']],
    ['{src/c.ts,*.js}', ['src/c.ts']],
    ['key.pem', []],
    ['vendor/**', []],
    ['!*.ts', ['.gitignore', 'src/a.js']],
  ])('the glob %s brings nothing back that .gitignore leaves out', async (glob, expected) => {
    const below = join(root, 'ignoring');
    for (const path of ['src/a.js', 'src/a.min.js', 'src/c.ts', 'vendor/v.js', 'key.pem']) {
      mkdirSync(join(below, path, '..'), { recursive: true });
      writeFileSync(join(below, path), 'tr3asure\n');
    }
    writeFileSync(join(below, '.gitignore'), '# tr3asure\n*.min.js\nvendor/\n*.pem\n!c.ts\n');
    const place = workspace.folder.at('ignoring');
    const query = { below: place, pattern: 'tr3asure', glob, limit: 50, signal } as const;
    const search = createSearch()('s');
    const { files } = await search.content({ ...query, output: 'files' });
    expect(files.map(({ path }) => path)).toEqual(expected);
    const { lines } = await search.content({ ...query, output: 'content' });
    expect(lines.map(({ path }) => path)).toEqual(expected);
  });

  test('says how many files it looked into where it found nothing', async () => {
    writeFileSync(join(root, 'counted.txt'), 'x\n');
    const none = { pattern: 'nowhere-to-be-found', output: 'files', limit: 5 } as const;
    expect(await content({ ...none, glob: 'counted.txt' })).toMatchObject({ seen: 0, searched: 1 });
    expect(await content({ ...none, glob: '*.absent' })).toMatchObject({ seen: 0, searched: 0 });
    const all = await names({ pattern: '**', limit: 1 });
    const { seen, searched = 0, unread = [] } = await content(none);
    expect({ seen, files: searched + unread.length, unread }).toEqual({
      seen: 0,
      files: all.searched,
      unread: [expect.any(String)],
    });
    expect(
      await content({ pattern: 'x', glob: 'counted.txt', output: 'files', limit: 5 }),
    ).not.toHaveProperty('searched');
  });

  test.each(['{a', '[', '../x', '!'])('the glob %j is refused, naming the field', async (glob) => {
    await expect(content({ pattern: 'x', glob, output: 'files', limit: 5 })).rejects.toMatchObject({
      code: 'invalid_parameter',
      details: { field: 'glob' },
    });
  });

  test('comes in one order, whatever order the threads answer in, and pages do not overlap', async () => {
    const whole = await content({ pattern: 'needle', output: 'content', limit: 1_000_000 });
    const again = await content({ pattern: 'needle', output: 'content', limit: 1_000_000 });
    expect(again).toEqual(whole);
    const pages = [];
    for (let offset = 0; ; offset += 13) {
      const page = await content({ pattern: 'needle', output: 'content', limit: 13, offset });
      pages.push(...page.lines);
      if (!page.more || offset > 200) break;
    }
    expect(pages).toEqual(whole.lines.slice(0, pages.length));
  }, 60_000);

  test('brings the lines around a match, and each line once', async () => {
    writeFileSync(join(root, 'around.txt'), 'one\ntwo\nhit\nfour\nhit\nsix\nseven\neight\nhit\n');
    const found = await content({
      pattern: '^hit$',
      glob: 'around.txt',
      context: 1,
      output: 'content',
      limit: 2,
    });
    expect(found.lines.map(({ line, isMatch }) => `${line}${isMatch ? '!' : ''}`)).toEqual([
      '2',
      '3!',
      '4',
      '5!',
      '6',
    ]);
    expect(found.more).toBe(true);
  });

  test('cuts a long line around its match', async () => {
    writeFileSync(join(root, 'long.min.js'), `${'語'.repeat(50_000)}treasure${'y'.repeat(2_000_000)}\n`);
    const [line] = (await content({ pattern: 'treasure', output: 'content', limit: 5 })).lines;
    expect(line?.text).toMatch(/^…語+treasurey+…$/);
    expect(line?.text.length).toBeLessThan(520);
  });

  test('a file whose name holds a newline cannot speak for another file', async () => {
    mkdirSync(join(root, 'x\n.'), { recursive: true });
    writeFileSync(join(root, 'x\n.', 'real.ts'), 'forgery\n');
    const { lines } = await content({ pattern: 'forgery', output: 'content', limit: 5 });
    expect(lines.map(({ path }) => path)).toEqual(['x\n./real.ts']);
    const { files } = await content({ pattern: 'forgery', output: 'count', limit: 5 });
    expect(files).toEqual([{ path: 'x\n./real.ts', count: 1 }]);
  });

  test('searches one file, and not by a link to it', async () => {
    writeFileSync(join(root, 'one.txt'), 'alpha\nbeta\n');
    const search = createSearch()('s');
    const query = { pattern: 'a', output: 'content', limit: 10, signal } as const;
    const found = await search.content({ ...query, below: workspace.folder.at('one.txt') });
    expect(found.lines).toEqual([
      { path: '.', line: 1, text: 'alpha', isMatch: true },
      { path: '.', line: 2, text: 'beta', isMatch: true },
    ]);
    await expect(search.content({ ...query, below: workspace.folder.at('outside') })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  test.each(['(a+)+$', '(a|aa)+$', '(.*)*x', '([a-z]+)*[0-9]!', '(x+x+)+y'])(
    'the pattern %s, which would hold up a back-tracking engine for years, is answered',
    async (pattern) => {
      writeFileSync(join(root, 'redos.txt'), `${'a'.repeat(5000)}${'x'.repeat(5000)}\n`);
      const found = await content({ pattern, glob: 'redos.txt', output: 'files', limit: 5 });
      expect(found.more).toBe(false);
    },
    30_000,
  );

  test.each([
    ['(', 'pattern'],
    ['[', 'pattern'],
    ['*a', 'pattern'],
    ['a{2,1}', 'pattern'],
    ['(?=x)', 'pattern'],
    ['(a)\\1', 'pattern'],
    ['a\nb', 'pattern'],
    ['\\', 'pattern'],
    ['(?P<x', 'pattern'],
    ['\0', 'pattern'],
    ['(((((a{1,1000}){1,1000}){1,1000}){1,1000}){1,1000})', 'pattern'],
  ])('the pattern %j is refused as a mistake of the caller, in our words', async (pattern, field) => {
    const error = await content({ pattern, output: 'content', limit: 5 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_parameter', details: { field } });
    expect(String(error)).not.toContain('rg:');
  });

  test.each(['--files', '-f/etc/passwd', '--pre=/bin/sh', '-e x', '--no-hidden'])(
    'the pattern %s is a pattern and no option',
    async (pattern) => {
      const found = await content({ pattern, glob: 'one.txt', output: 'content', limit: 5 });
      expect(found.lines).toEqual([]);
    },
  );

  test('a glob that names a repository’s own files brings nothing back', async () => {
    const found = await content({
      pattern: 'secretref',
      glob: '**/.git/**',
      output: 'files',
      limit: 5,
      includeIgnored: true,
    });
    expect(found.files).toEqual([]);
  });
});

test('a cancelled search ends, and its process with it', async () => {
  const controller = new AbortController();
  const search = createSearch()('s');
  const running = search.content({
    below: workspace.folder.at('.'),
    pattern: '.',
    output: 'content',
    limit: 100,
    signal: controller.signal,
  });
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: 'cancelled' });
});

describe('pages of one look', () => {
  const counting = join(mkdtempSync(join(tmpdir(), 'rg-counted-')), 'rg');
  const runs = () => (existsSync(`${counting}.log`) ? readFileSync(`${counting}.log`, 'utf8').length : 0);
  const below = () => workspace.folder.at('paged');

  beforeAll(() => {
    writeFileSync(counting, `#!/bin/sh\nprintf . >> '${counting}.log'\nexec '${rgPath}' "$@"\n`, {
      mode: 0o755,
    });
    mkdirSync(join(root, 'paged'));
    for (let file = 0; file < 30; file++) {
      writeFileSync(
        join(root, 'paged', `${file}.txt`),
        'before\nfound here\nafter\nfound again\n'.repeat(20),
      );
    }
  });
  beforeEach(() => rmSync(`${counting}.log`, { force: true }));
  afterAll(() => rmSync(join(root, 'paged'), { recursive: true }));

  test.each([0, 1, 3])('ripgrep runs once for all pages, with %i lines around', async (context) => {
    const search = createSearch({ ripgrepPath: counting })('a');
    const query = { below: below(), pattern: 'found', output: 'content', context, signal } as const;
    const whole = await search.content({ ...query, limit: 5000 });
    expect(whole.seen).toBe(1200);
    rmSync(`${counting}.log`);
    const lines = new Set<string>();
    let offset = 0;
    for (let more = true; more; offset += 70) {
      const page = await search.content({ ...query, limit: 70, offset, continues: offset > 0 });
      for (const line of page.lines) lines.add(JSON.stringify(line));
      more = page.more;
    }
    expect(lines).toEqual(new Set(whole.lines.map((line) => JSON.stringify(line))));
    expect(runs()).toBe(1);
  });

  test('where there is more than one look gathers, each page is still the right one', async () => {
    const place = workspace.folder.at('paged');
    writeFileSync(join(root, 'paged', '5.long'), 'found\n'.repeat(12_000));
    const search = createSearch({ ripgrepPath: counting })('a');
    const query = { below: place, pattern: 'found', output: 'content', signal } as const;
    const whole = await search.content({ ...query, limit: 20_000 });
    const seen: unknown[] = [];
    for (let offset = 0, more = true; more; offset += 700) {
      const page = await search.content({ ...query, limit: 700, offset, continues: offset > 0 });
      seen.push(...page.lines);
      more = page.more;
    }
    rmSync(join(root, 'paged', '5.long'));
    expect(seen).toEqual(whole.lines);
    expect(seen).toHaveLength(13_200);
    expect(runs()).toBeLessThan(6);
  });

  test('files, counts and names come from one look as well', async () => {
    const search = createSearch({ ripgrepPath: counting })('a');
    for (const output of ['files', 'count'] as const) {
      const query = { below: below(), pattern: 'found', output, signal } as const;
      const first = await search.content({ ...query, limit: 20 });
      const second = await search.content({ ...query, limit: 20, offset: 20, continues: true });
      expect([first.files.length, second.files.length, second.more]).toEqual([20, 10, false]);
    }
    const names = { below: below(), pattern: '*.txt', signal } as const;
    const first = await search.names({ ...names, limit: 20 });
    const second = await search.names({ ...names, limit: 20, offset: 20, continues: true });
    expect(new Set([...first.paths, ...second.paths]).size).toBe(30);
    expect(second.total).toBe(30);
    expect(runs()).toBe(3);
  });

  test('a page of another session, or of another question, is looked for anew', async () => {
    const searches = createSearch({ ripgrepPath: counting });
    const query = { below: below(), pattern: 'found', output: 'content', limit: 10, signal } as const;
    await searches('a').content(query);
    const other = await searches('b').content({ ...query, offset: 10, continues: true });
    const wider = await searches('a').content({ ...query, context: 1, offset: 10, continues: true });
    expect([other.seen, wider.seen, runs()]).toEqual([20, 20, 3]);
  });

  test('a first page always looks anew', async () => {
    const search = createSearch({ ripgrepPath: counting })('a');
    const query = { below: below(), pattern: 'found', output: 'content', limit: 10, signal } as const;
    await search.content(query);
    writeFileSync(join(root, 'paged', '#.txt'), 'found first\n');
    const again = await search.content(query);
    rmSync(join(root, 'paged', '#.txt'));
    expect(again.lines[0]?.path).toBe('#.txt');
    expect(runs()).toBe(2);
  });
});

test('what searches gathered is bounded in size, oldest first, and in life', async () => {
  const searches = createGatheredSearches({ maxBytes: 100, lifeMs: 30 });
  for (const key of ['a', 'b', 'c']) searches.keep(key, { items: [key], reach: 1 }, 40);
  expect(['a', 'b', 'c'].map((key) => searches.find(key)?.items[0])).toEqual([undefined, 'b', 'c']);
  searches.keep('d', { items: [], reach: 0 }, 101);
  expect(searches.find('d')).toBeUndefined();
  await expect.poll(() => searches.find('b') ?? searches.find('c')).toBeUndefined();
});

test('without ripgrep the search says what to install', async () => {
  const search = createSearch({ ripgrepPath: '/nonexistent/rg' })('s');
  const hasSystem = spawnSync('/usr/bin/rg', ['--version']).status === 0;
  const asked = search.names({ below: workspace.folder.at('.'), pattern: '*', limit: 1, signal });
  if (hasSystem) await asked;
  else await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
});

function names(query: Omit<NameQuery, 'below' | 'signal'>) {
  return createSearch()('s').names({ below: workspace.folder.at('.'), signal, ...query });
}

function content(query: Omit<ContentQuery, 'below' | 'signal'>) {
  return createSearch()('s').content({ below: workspace.folder.at('.'), signal, ...query });
}

function rg(args: readonly string[]): string {
  const done = spawnSync(rgPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 1024 ** 3 });
  return done.stdout;
}

function withoutDot(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function makeTree(at: string, count: number): void {
  execFileSync('git', ['init', '-q', at]);
  writeFileSync(join(at, '.git', 'secretref'), 'secretref needle\n');
  writeFileSync(join(at, '.gitignore'), '*.log\n/build/\n');
  symlinkSync('/etc', join(at, 'outside'));
  symlinkSync('/etc/passwd', join(at, 'outside-file'));
  const endings = ['ts', 'rs', 'py', 'md', 'log', 'txt'];
  const perFolder = 60;
  for (let folder = 0; folder * perFolder < count; folder++) {
    const path = join(at, `d${folder % 7}`, `${'abc'[folder % 3]}${folder}`, folder % 5 === 0 ? '深い' : 'x');
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < perFolder; file++) {
      const name = file % 11 === 0 ? `f日本語${file}` : `f${file}`;
      writeFileSync(
        join(path, `${name}.${endings[file % endings.length]}`),
        contentOf(folder * perFolder + file),
      );
    }
  }
  mkdirSync(join(at, 'build'));
  writeFileSync(join(at, 'build', 'out.ts'), 'needle\n');
  writeFileSync(join(at, '.hidden.ts'), 'needle in a hidden file\n');
  writeFileSync(join(at, 'top.md'), 'a.b(c is no pattern\r\nneedle after a return\r\n');
  writeFileSync(join(at, 'bin.dat'), Buffer.from('needle\0needle\n'));
}

function contentOf(index: number): string {
  const lines = [`// file ${index}`, '', `fn f${index}() {`];
  if (index % 37 === 0) lines.push('  needle  ', '  second');
  if (index % 101 === 0) lines.push('  針が一本');
  lines.push('}', '');
  return lines.join('\n');
}
