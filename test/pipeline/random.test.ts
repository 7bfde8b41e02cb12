import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cleanText } from '../../src/contract/text/clean-text.ts';
import { corpusFiles } from './corpus.ts';
import { shellAnswers } from './shell.ts';
import { openWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld({
    extended: true,
    files: {
      ...corpusFiles,
      'crlf.txt': 'a\r\nb\r\n',
      'long.txt': `${'x'.repeat(100_000)}\n`,
      "q'u.txt": 'q\n',
      'sub/x y/z.txt': 'deep z\n',
    },
  });
});

afterAll(() => world.close());

const runs = process.env.SEKISHO_HAMMER === '1' ? 1200 : 120;

/** One file in the many ways that a shell lets it be written, and patterns. */
const one = [
  ...['a.txt', './a.txt', '"a"\'.txt\'', 'a.tx?', 'b.csv', 'words.txt', 'empty.txt'],
  ...['日本.txt', "'sp ace.txt'", 'sp\\ ace.txt', '"sp ace.txt"', './-dash.md', '"q\'u.txt"', 'sub/*/z.txt'],
  ...['sub/x\\ y/*', 'crlf.txt', 'long.txt'],
];
const file = fc.constantFrom(...one);
const files = fc.constantFrom(
  ...one,
  '*.csv',
  '[bw]*.*',
  '{a,words}.txt',
  'b.csv words.txt',
  '{b.csv,a.txt}',
);
const count = fc.integer({ min: 0, max: 60 });

const sources = fc.oneof(
  words(
    fc.constantFrom('head', 'tail'),
    spelled('-n %', '-n%', '-c %', '-c%', '--lines=%', '--bytes %'),
    some('-q', '-v'),
    files,
  ),
  words(spelled('head -%', 'tail -%', 'tail -n +%', 'head -n -%', 'tail -c +%', 'tail +%'), file),
  words('wc', some('-l', '-w', '-c', '-m', '-L'), files),
  words(
    'sort',
    some('-r', '-u', '-f', '-b', '-s', '-k1,1', '-k 2nr', '-t" " -k3.2', '-z'),
    fc.constantFrom('', '-n', '-V', '-h', '-g', '-M'),
    files,
  ),
  words(
    'rg',
    some(
      '-n',
      '-i',
      '-v',
      '-c',
      '-o',
      '-w',
      '-x',
      '-m2',
      '-H',
      '-I',
      '-A1',
      '-B 2',
      '-b',
      '--column',
      '-a',
      '-F',
    ),
    fc.constantFrom(
      'a',
      "'[0-9]+'",
      '"line 3"',
      "'^$'",
      "'a|b'",
      '\\\\d',
      "'.'",
      "'\\w+$'",
      '-e a -e b',
      "'関'",
      'x\\|y',
    ),
    file,
  ),
  words(
    'awk',
    some('-F,', "-F' '", '-F: ', '-v OFS=-', "-F'[ ,]'", '-F "\\t"'),
    fc.constantFrom(
      ...[
        "'{print $1}'",
        "'NR%2'",
        '\'{print NF":"$NF}\'',
        "'{s+=$2}END{print s/NR}'",
        '\'{gsub(/a/,"b")}1\'',
      ],
      ...[
        "'$2>10'",
        "'{print substr($0,2,3)}'",
        "'{print ($1>$2)}'",
        "'{x=$1/2/3;print x}'",
        "'/[/]/{print}'",
      ],
      ...["'NR==1,NR==3'", '"{print \\$(1+1)}"', '1 OFS=,', "'BEGIN{while(i++<3)print i}'", "'!seen[$1]++'"],
    ),
    files,
  ),
  words(
    'sed',
    some('-n', '-s', '-z', '-u'),
    fc.constantFrom(
      ...[
        "'p'",
        "'s/a/b/'",
        "'2,4d'",
        "'$d'",
        "'1!d'",
        "'/a/,/b/p'",
        "'y/abc/xyz/'",
        "'2{s/a/Z/;p}'",
        "'N;P;D'",
      ],
      ...[
        "'1i\\top'",
        "'2a bottom'",
        "'/e/c\\gone'",
        "-e 1d -e '$d'",
        "'='",
        "'s/x*/-/g'",
        "'0~3p'",
        "'1,/e/d'",
      ],
      ...["'s/e/\\n/;P'", "'\\,a,d'", "'s/[]a]/X/'", "'3,+1p'", "'x;1d'", "'s,b,/,g'", 'l'],
    ),
    files,
  ),
  words(
    'jq',
    some('-c', '-r', '-S', '--tab', '-s', '-j', '-R', '--indent 3'),
    fc.constantFrom(
      '.',
      "'..|numbers'",
      "'[.]|length'",
      '\'"a\\(1+1)b"\'',
      "'. as $x|$x'",
      "'@json'",
      "'{a: .}'",
    ),
    'data.json',
  ),
  words(
    'ls',
    some('-1', '-a', '-p', '-F', '-r', '-R', '-m', '-Q', '-b', '-S', '-v'),
    fc.constantFrom('', 'src', 'tail sub', '*.csv'),
  ),
  words('cat', some('-n', '-b', '-s', '-E', '-T'), files),
  words('cut', fc.constantFrom('-d, -f1', '-d, -f2-', '-c1-3', '-f1', '-d" " -f2,3', '-s -d, -f1'), files),
  words(
    'grep',
    some('-n', '-i', '-v', '-c', '-o', '-w', '-h', '-m1', '-A1'),
    fc.constantFrom('a', "'a\\|b'", "'^l'"),
    files,
  ),
);

const filters = fc.constantFrom(
  ...[
    'sort',
    'sort -u',
    'wc -l',
    'head -2',
    'tail -n 2',
    'rg -v zz',
    'tr a-z A-Z',
    "tr -d '\\n'",
    "tr -s ' '",
  ],
  ...[
    "tr '[:space:]' '\\n'",
    'sed -n 2p',
    "awk '{print NR}'",
    'uniq -c',
    'cut -c1-3',
    'cat',
    'tac',
    'nl',
    'head -c 7',
  ],
  ...[
    'paste -s',
    'rg -o "[a-z]+"',
    'grep -c .',
    'jq -R .',
    'wc -c -',
    'head -n 1 - a.txt',
    'sort - words.txt',
  ],
);

const pipelines = fc
  .tuple(
    sources,
    fc.array(filters, { maxLength: 3 }),
    fc.constantFrom(' | ', '|', ' |', '| ', ' |\n  ', ' \\\n| '),
  )
  .map(([source, more, pipe]) => [source.replace(/ +/g, ' '), ...more].join(pipe));

test('a pipeline made at random gives what a shell gives, or fails as it does', async () => {
  const lines = [...new Set(fc.sample(pipelines, { seed: 20_261_122, numRuns: runs }))];
  const expected = await shellAnswers(world, lines);
  const wrong: string[] = [];
  let answered = 0;
  const queue = [...lines.entries()];
  async function work(): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, line] = next;
      const { stdout, error, truncated } = await world.pipe(line);
      if (error) {
        // What a program itself refuses (`sort -nV`) is no refusal of ours.
        if (error.code !== 'STAGE_FAILED' || error.exit_code === undefined)
          wrong.push(`${line}\n  ${error.detail}`);
      } else if (truncated !== true) {
        answered++;
        if (stdout !== cleanText(expected[index] ?? ''))
          wrong.push(`${line}\n  shell ${expected[index]?.slice(0, 300)}\n  ours  ${stdout.slice(0, 300)}`);
      }
    }
  }
  await Promise.all([work(), work(), work(), work()]);

  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(lines.length * 0.8);
}, 400_000);

function words(...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> {
  return fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((chosen) => chosen.join(' ').trim());
}

function some(...options: readonly string[]): fc.Arbitrary<string> {
  return fc
    .subarray([...options], { maxLength: Math.min(3, options.length) })
    .map((chosen) => chosen.join(' '));
}

function spelled(...forms: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...forms), count)
    .map(([form, number]) => form.replace('%', String(number)));
}
