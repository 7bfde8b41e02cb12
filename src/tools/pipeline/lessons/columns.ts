import { shellQuote } from '../../../ground/shell-quote.ts';
import type { Word } from '../words.ts';

/** awk programs equivalent to cut, paste, column, uniq, nl and comm; undefined if an option cannot be translated. */

export function cut(words: readonly Word[]): string | undefined {
  const read = readCut(words);
  if (!read) return undefined;
  const { list, delimiter, onlyDelimited, files } = read;
  const ranges = list.split(',').map((part) => /^(\d*)(-?)(\d*)$/.exec(part));
  const bounds = ranges.map((range) => {
    const from = Number(range?.[1] || 1);
    return { from, to: range?.[2] ? Number(range[3] || Number.POSITIVE_INFINITY) : from };
  });
  if (read.by === 'characters') {
    const [only] = bounds;
    if (!only || bounds.length > 1) return undefined;
    const length = Number.isFinite(only.to) ? `, ${only.to - only.from + 1}` : '';
    return `awk '{print substr($0, ${only.from}${length})}'${files}`;
  }
  const separator = fieldSeparator(delimiter);
  if (separator === undefined) return undefined;
  // A line without the delimiter is printed whole, or not at all with -s.
  const whole = onlyDelimited ? 'next' : 'print; next';
  const [only] = bounds;
  if (only && bounds.length === 1 && only.from === only.to)
    return `awk -F${separator} '${onlyDelimited ? `NF > 1 {print $${only.from}}` : `{print (NF < 2) ? $0 : $${only.from}}`}'${files}`;
  const wanted = bounds
    .map(({ from, to }) =>
      from === to
        ? `i == ${from}`
        : to === Number.POSITIVE_INFINITY
          ? `i >= ${from}`
          : `(i >= ${from} && i <= ${to})`,
    )
    .join(' || ');
  const joint = delimiter === '\t' ? '\\t' : delimiter;
  return `awk -F${separator} 'NF < 2 {${whole}} {s = ""; n = 0; for (i = 1; i <= NF; i++) if (${wanted}) s = s (n++ ? "${joint}" : "") $i; print s}'${files}`;
}

function readCut(words: readonly Word[]) {
  const read = { by: '', list: '', delimiter: '\t', onlyDelimited: false };
  const files: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    const [, short, attached] = /^-([fdcb])(.*)$/s.exec(word.text) ?? [];
    const [, long, given] = /^--(fields|delimiter|characters|bytes)=(.*)$/s.exec(word.text) ?? [];
    const flag = short ?? long?.[0];
    if (flag) {
      const value = short ? attached || words[++index]?.text : given;
      if (value === undefined) return undefined;
      if (flag === 'd') read.delimiter = value;
      else {
        read.by = flag === 'f' ? 'fields' : 'characters';
        read.list = value;
      }
    } else if (word.text === '-s') read.onlyDelimited = true;
    else if (word.text.startsWith('-') && word.text !== '-') return undefined;
    else files.push(word.raw);
  }
  const isList = /^(?:\d+|\d+-\d*|-\d+)(?:,(?:\d+|\d+-\d*|-\d+))*$/.test(read.list);
  if (read.by === '' || !isList || [...read.delimiter].length !== 1) return undefined;
  return { ...read, files: operandsOf(files) };
}

/** A literal separator for awk: a single blank and some letters have other meanings. */
function fieldSeparator(delimiter: string): string | undefined {
  if (delimiter === '\t') return "'\\t'";
  if (/^[,:;=/%@_-]$/.test(delimiter)) return delimiter;
  return /[\\^\]'"]/.test(delimiter) ? undefined : shellQuote(`[${delimiter}]`);
}

export function paste(words: readonly Word[]): string | undefined {
  let delimiter = '\t';
  let isSerial = false;
  const files: Word[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    const [, serial, attached] = /^-(s?)d(.?)$/s.exec(word.text) ?? [];
    if (attached !== undefined) {
      isSerial ||= serial === 's';
      delimiter = attached === '' ? (words[++index]?.text ?? '') : attached;
    } else if (word.text === '-s' || word.text === '--serial') isSerial = true;
    else if (word.text.startsWith('-') && word.text !== '-') return undefined;
    else files.push(word);
  }
  const joint = delimiter === '\t' ? '\\t' : delimiter.replaceAll('%', '%%');
  if (!isSerial || files.length > 1 || [...delimiter].length !== 1 || /["\\']/.test(delimiter))
    return undefined;
  const named = operandsOf(files.filter((word) => word.text !== '-').map((word) => word.raw));
  return `awk 'NR > 1 {printf "${joint}"} {printf "%s", $0} END {print ""}'${named}`;
}

export function column(words: readonly Word[]): string | undefined {
  let separator = '';
  let isTable = false;
  const files: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    const [, table, attached] = /^-(t?)s(.?)$/s.exec(word.text) ?? [];
    if (attached !== undefined) {
      isTable ||= table === 't';
      const value = attached === '' ? words[++index]?.text : attached;
      const found = value === undefined ? undefined : fieldSeparator(value);
      if (found === undefined) return undefined;
      separator = ` -F${found}`;
    } else if (word.text === '-t') isTable = true;
    else if (word.text.startsWith('-')) return undefined;
    else files.push(word.raw);
  }
  if (!isTable) return undefined;
  return `awk${separator} '{n[NR] = NF; for (i = 1; i <= NF; i++) {c[NR, i] = $i; if (length($i) > w[i]) w[i] = length($i)}} END {for (r = 1; r <= NR; r++) {s = ""; for (i = 1; i <= n[r]; i++) s = s sprintf("%-" (w[i] + 2) "s", c[r, i]); print s}}'${operandsOf(files)}`;
}

export function uniq(words: readonly Word[]): string | undefined {
  const flags = words.filter((word) => word.text.startsWith('-')).map((word) => word.text);
  const files = words.filter((word) => !word.text.startsWith('-'));
  const letters = flags
    .map((flag) => longUniq.get(flag) ?? flag.slice(1))
    .join('')
    .split('')
    .sort()
    .join('');
  if (files.length > 1) return undefined;
  const [same, other] = letters.includes('i')
    ? ['tolower($0) == tolower(p)', 'tolower($0) != tolower(p)']
    : ['$0 == p', '$0 != p'];
  const after = operandsOf(files.map((word) => word.raw));
  switch (letters.replace('i', '')) {
    case '':
      return `awk 'NR == 1 || ${other} {print; p = $0}'${after}`;
    case 'c':
      return `awk 'NR > 1 && ${other} {printf "%7d %s\\n", n, p; n = 0} !n++ {p = $0} END {if (NR) printf "%7d %s\\n", n, p}'${after}`;
    case 'd':
      return `awk 'NR > 1 && ${same} && !d {print p; d = 1} NR == 1 || ${other} {d = 0; p = $0}'${after}`;
    case 'u':
      return `awk 'NR > 1 && ${other} {if (n == 1) print p; n = 0} !n++ {p = $0} END {if (n == 1) print p}'${after}`;
    default:
      return undefined;
  }
}

const longUniq = new Map([
  ['--count', 'c'],
  ['--repeated', 'd'],
  ['--unique', 'u'],
  ['--ignore-case', 'i'],
]);

export function nl(words: readonly Word[]): string | undefined {
  const flags = words.filter((word) => word.text.startsWith('-')).map((word) => word.text);
  const after = operandsOf(words.filter((word) => !word.text.startsWith('-')).map((word) => word.raw));
  if (flags.length === 1 && /^(-ba|--body-numbering=a)$/.test(flags[0] ?? ''))
    return `awk '{printf "%6d\\t%s\\n", NR, $0}'${after}`;
  // Empty lines get no number.
  return flags.length === 0
    ? `awk '$0 != "" {printf "%6d\\t%s\\n", ++n, $0} $0 == "" {print "       "}'${after}`
    : undefined;
}

/** Lines that two sorted files share, or that only one has. */
export function comm(words: readonly Word[]): string | undefined {
  const letters = words
    .filter((word) => /^-[123]+$/.test(word.text))
    .map((word) => word.text.slice(1))
    .join('')
    .split('')
    .sort()
    .join('');
  const [first, second, more] = words.filter((word) => !word.text.startsWith('-'));
  const flags = words.filter((word) => word.text.startsWith('-')).length;
  if (!first || !second || more || flags !== words.length - 2) return undefined;
  if (letters === '12') return `rg -N -x -F -f ${first.raw} -- ${second.raw}`;
  if (letters === '23') return `rg -N -v -x -F -f ${second.raw} -- ${first.raw}`;
  if (letters === '13') return `rg -N -v -x -F -f ${first.raw} -- ${second.raw}`;
  return undefined;
}

/** Operands with a blank before each. */
export function operandsOf(raw: readonly string[]): string {
  return raw.map((word) => ` ${word}`).join('');
}
