import type { ContentQuery } from '../contract/capabilities/files.ts';
import { ToolError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';

/** Throws `invalid_parameter` for text that cannot be passed to a program. */
export function assertSearchable(query: ContentQuery): void {
  for (const [field, value] of [
    ['pattern', query.pattern],
    ['glob', query.glob ?? ''],
  ] as const) {
    if (!value.includes('\0')) continue;
    throw new ToolError(
      'invalid_parameter',
      `${field} contains a NUL character.`,
      `${field} に NUL 文字が含まれています。`,
      { details: { field } },
    );
  }
}

/** Translates ripgrep's complaint for the caller; undefined if it is not about the query. */
export function searchFault(complaint: string): ToolError | undefined {
  const fault = faults.find(({ sign }) => sign.test(complaint));
  if (!fault) return undefined;
  return new ToolError('invalid_parameter', fault.message, {
    suggestion: fault.suggestion,
    details: { field: fault.field },
    cause: complaint,
  });
}

interface Fault {
  readonly sign: RegExp;
  readonly field: 'pattern' | 'glob';
  readonly message: Text;
  readonly suggestion: Text;
}

const escapeIt = text(
  'Escape special characters with \\, or set fixed to search for the words as they are.',
  '特殊文字を \\ でエスケープするか、fixed を指定して文字どおりに検索してください。',
);

const faults: readonly Fault[] = [
  {
    sign: /error parsing glob/,
    field: 'glob',
    message: text('The glob is not valid.', 'グロブが正しくありません。'),
    suggestion: text('Write it like *.ts or src/**.', '*.ts や src/** のように書いてください。'),
  },
  {
    sign: /is not allowed in a regex/,
    field: 'pattern',
    message: text('The pattern spans lines.', 'パターンが複数行にわたっています。'),
    suggestion: text('Set multiline.', 'multiline を指定してください。'),
  },
  {
    sign: /look-around|backreferences/,
    field: 'pattern',
    message: text(
      'Look-around and backreferences are not supported: patterns are matched in linear time.',
      '先読み・後読みと後方参照は使えません。照合は線形時間で行われます。',
    ),
    suggestion: text('Write the pattern without them.', 'これらを使わずに書いてください。'),
  },
  {
    sign: /exceeds size limit|too big/i,
    field: 'pattern',
    message: text('The pattern becomes too large.', 'パターンが大きくなりすぎます。'),
    suggestion: text('Use smaller repetitions.', '繰り返しの回数を減らしてください。'),
  },
  {
    sign: /unclosed group|unopened group/,
    field: 'pattern',
    message: text('A ( in the pattern has no ), or the reverse.', 'パターンの ( と ) が対応していません。'),
    suggestion: escapeIt,
  },
  {
    sign: /unclosed character class/,
    field: 'pattern',
    message: text('A [ in the pattern has no ].', 'パターンの [ が閉じていません。'),
    suggestion: escapeIt,
  },
  {
    sign: /repetition|quantifier/,
    field: 'pattern',
    message: text(
      'A repetition in the pattern has nothing to repeat or a bad count.',
      'パターンの繰り返し指定が正しくありません。',
    ),
    suggestion: escapeIt,
  },
  {
    sign: /regex parse error|error:/,
    field: 'pattern',
    message: text(
      'The pattern is not a valid regular expression.',
      'パターンが正しい正規表現ではありません。',
    ),
    suggestion: escapeIt,
  },
];
