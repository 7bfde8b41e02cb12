import { shellQuote } from '../../../ground/shell-quote.ts';
import { further as table } from '../commands/coreutils.ts';
import { type OptionTable, parseOptions } from '../options.ts';
import type { Word } from '../words.ts';

/** awk programs equivalent to cut, paste, column, uniq, nl and comm; undefined if an option cannot be translated. */

export function cut(words: readonly Word[]): string | undefined {
  const read = given(table.cut, words, '-b -c -f -d -s');
  if (!read) return undefined;
  const [fields, characters] = [read.value('-f'), read.value('-c') ?? read.value('-b')];
  const list = fields ?? characters ?? '';
  const delimiter = read.value('-d') ?? '\t';
  const isList = /^(?:\d+|\d+-\d*|-\d+)(?:,(?:\d+|\d+-\d*|-\d+))*$/.test(list);
  if (!isList || [...delimiter].length !== 1) return undefined;
  const onlyDelimited = read.flags.includes('-s');
  const files = operandsOf(read.operands);
  const ranges = list.split(',').map((part) => /^(\d*)(-?)(\d*)$/.exec(part));
  const bounds = ranges.map((range) => {
    const from = Number(range?.[1] || 1);
    return { from, to: range?.[2] ? Number(range[3] || Number.POSITIVE_INFINITY) : from };
  });
  if (fields === undefined) {
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

/** A literal separator for awk: a single blank and some letters have other meanings. */
function fieldSeparator(delimiter: string): string | undefined {
  if (delimiter === '\t') return "'\\t'";
  if (/^[,:;=/%@_-]$/.test(delimiter)) return delimiter;
  return /[\\^\]'"]/.test(delimiter) ? undefined : shellQuote(`[${delimiter}]`);
}

export function paste(words: readonly Word[]): string | undefined {
  const read = given(table.paste, words, '-d -s');
  if (!read?.flags.includes('-s') || read.operands.length > 1) return undefined;
  const delimiter = read.value('-d') ?? '\t';
  const joint = delimiter === '\t' ? '\\t' : delimiter.replaceAll('%', '%%');
  if ([...delimiter].length !== 1 || /["\\']/.test(delimiter)) return undefined;
  const named = operandsOf(read.operands.filter((word) => word.text !== '-'));
  return `awk 'NR > 1 {printf "${joint}"} {printf "%s", $0} END {print ""}'${named}`;
}

export function column(words: readonly Word[]): string | undefined {
  const read = given(table.column, words, '-t -s');
  if (!read?.flags.includes('-t')) return undefined;
  const wanted = read.value('-s');
  const found = wanted === undefined ? '' : fieldSeparator(wanted);
  if (found === undefined) return undefined;
  const separator = found === '' ? '' : ` -F${found}`;
  return `awk${separator} '{n[NR] = NF; for (i = 1; i <= NF; i++) {c[NR, i] = $i; if (length($i) > w[i]) w[i] = length($i)}} END {for (r = 1; r <= NR; r++) {s = ""; for (i = 1; i <= n[r]; i++) s = s sprintf("%-" (w[i] + 2) "s", c[r, i]); print s}}'${operandsOf(read.operands)}`;
}

export function uniq(words: readonly Word[]): string | undefined {
  const read = given(table.uniq, words, '-c -d -u -i');
  if (!read || read.operands.length > 1) return undefined;
  const letters = new Set(read.flags.map((flag) => flag.slice(1)));
  const [same, other] = letters.delete('i')
    ? ['tolower($0) == tolower(p)', 'tolower($0) != tolower(p)']
    : ['$0 == p', '$0 != p'];
  const after = operandsOf(read.operands);
  switch ([...letters].join('')) {
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

export function nl(words: readonly Word[]): string | undefined {
  const read = given(table.nl, words, '-b');
  if (!read) return undefined;
  const after = operandsOf(read.operands);
  const numbered = read.value('-b') ?? 't';
  if (numbered === 'a') return `awk '{printf "%6d\\t%s\\n", NR, $0}'${after}`;
  // Empty lines get no number.
  return numbered === 't'
    ? `awk '$0 != "" {printf "%6d\\t%s\\n", ++n, $0} $0 == "" {print "       "}'${after}`
    : undefined;
}

/** Lines that two sorted files share, or that only one has. */
export function comm(words: readonly Word[]): string | undefined {
  const read = given(table.comm, words, '-1 -2 -3');
  const [first, second, more] = read?.operands ?? [];
  if (!read || !first || !second || more) return undefined;
  const letters = [...new Set(read.flags.map((flag) => flag.slice(1)))].sort().join('');
  if (letters === '12') return `rg -N -x -F -f ${first.raw} -- ${second.raw}`;
  if (letters === '23') return `rg -N -v -x -F -f ${second.raw} -- ${first.raw}`;
  if (letters === '13') return `rg -N -v -x -F -f ${first.raw} -- ${second.raw}`;
  return undefined;
}

/** Operands with a blank before each. */
export function operandsOf(words: readonly Word[]): string {
  return words.map((word) => ` ${word.raw}`).join('');
}

/** A command's words by the table that it has in the extended list; undefined with other options than these. */
export function given(grammar: OptionTable, words: readonly Word[], known: string) {
  try {
    const { options, operands } = parseOptions(grammar, words);
    const flags = options.map(({ row }) => row.flags[0] ?? '');
    if (flags.some((flag) => !known.split(' ').includes(flag))) return undefined;
    const value = (flag: string) => options.findLast(({ row }) => row.flags[0] === flag)?.value;
    return { flags, operands, value };
  } catch {
    // A command that cannot be parsed gets no suggestion.
    return undefined;
  }
}
