import type { DryRun, DryRunChange } from '../../contract/capabilities/dry-run.ts';
import type { EffectVerdict } from '../../contract/effects.ts';
import { cleanLine, cleanText } from '../../contract/text/clean-text.ts';
import { type Locale, type Text, text } from '../../contract/text/text.ts';
import { counted } from '../counted.ts';
import { firstBytes } from '../text/cut-middle.ts';

export interface DryRunReport {
  /** One line each, deletions first, e.g. "changed src/a.ts (+1 −2)". */
  readonly changes: string[];
  /** The number of changes that are not listed. */
  readonly more: number;
  /** Unified, as far as it fits. */
  readonly diff: string;
  /** The decision of the rules about effects, if they would not let it land. */
  readonly rules?: string | undefined;
}

/** A dry run in at most `maxBytes` of UTF-8, up to half of them for its list. `nameOf`: a path as callers write it. */
export function reportDryRun(
  { changes, total, diff, isDiffCut }: DryRun,
  options: {
    readonly maxBytes: number;
    readonly locale: Locale;
    readonly nameOf: (change: DryRunChange) => string;
    readonly verdict?: EffectVerdict | undefined;
  },
): DryRunReport {
  const { maxBytes, locale } = options;
  const clean = cleanText(diff);
  const diffBytes = Math.min(Buffer.byteLength(clean), Math.floor(maxBytes / 2));
  let room = maxBytes - diffBytes;
  const lines: string[] = [];
  for (const change of changes) {
    const line = lineOf(change, cleanLine(options.nameOf(change)))[locale];
    room -= Buffer.byteLength(line) + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const shown = firstBytes(Buffer.from(clean), Math.max(maxBytes - bytesOf(lines), 1));
  const isCut = isDiffCut || shown.length < Buffer.byteLength(clean);
  const end = text('[… the rest of the diff is left out …]', '[… 差分の残りは省略 …]')[locale];
  return {
    changes: lines,
    more: total - lines.length,
    diff: [shown.toString('utf8').trimEnd(), ...(isCut ? [end] : [])]
      .filter((part) => part !== '')
      .join('\n'),
    ...(options.verdict &&
      options.verdict.decision !== 'allow' && { rules: cleanLine(rulesWords(options.verdict)[locale]) }),
  };
}

/** The landed changes of a command that was tried first, one line each. */
export function reportLanded(
  effects: DryRun,
  options: Pick<Parameters<typeof reportDryRun>[1], 'locale' | 'nameOf'>,
): string[] {
  const { locale } = options;
  const { changes, more } = reportDryRun({ ...effects, diff: '' }, { ...options, maxBytes: landedBytes });
  return more > 0 ? [...changes, moreWords(more)[locale]] : changes;
}

/** The lines of `reportLanded` as text for a reply, below a heading. */
export function landedWords(lines: readonly string[], locale: Locale): string {
  const head = text('tried first; it changed', '先に試し、次のものを変更しました');
  return [`${head[locale]}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function moreWords(more: number): Text {
  return text(`… and ${more} more`, `… ほか ${more} 件`);
}

const landedBytes = 3000;

function rulesWords({ decision, rule, because }: EffectVerdict): Text {
  return decision === 'ask'
    ? text(`a person would be asked: ${because.en} (${rule})`, `人に確認します: ${because.ja} (${rule})`)
    : text(`it would be refused: ${because.en} (${rule})`, `拒否されます: ${because.ja} (${rule})`);
}

/** A report as text for a reply, with a summary in its first line. */
export function dryRunWords({ changes, more, diff, rules }: DryRunReport, locale: Locale): string {
  const count = changes.length + more;
  const head =
    count === 0
      ? text(
          'dry run: nothing was changed, and nothing would have been',
          'ドライラン: 何も変更していません。実行しても変更はありません',
        )
      : text(
          `dry run: nothing was changed; it would change ${count === 1 ? 'this path' : `these ${count} paths`}`,
          `ドライラン: 何も変更していません。実行すると次の ${count} 件が変わります`,
        );
  return [
    head[locale],
    ...(rules === undefined ? [] : [rules]),
    ...changes.map((line) => `  ${line}`),
    ...(more > 0 ? [`  ${moreWords(more)[locale]}`] : []),
    ...(diff === '' ? [] : [diff]),
  ].join('\n');
}

function lineOf({ change, kind, files, lines, bytes, mode }: DryRunChange, name: string): Text {
  const facts: Text[] = [];
  if (kind === 'symlink') facts.push(text('symbolic link', 'シンボリックリンク'));
  if (kind === 'other') facts.push(text('no regular file', '通常のファイルではない'));
  if (files !== undefined) {
    facts.push(text(`${counted(files, 'file')} in it`, `中のファイル ${files} 個`));
  }
  if (lines)
    facts.push(both([lines.added > 0 && `+${lines.added}`, lines.removed > 0 && `−${lines.removed}`]));
  else if (bytes !== undefined) facts.push(text(counted(bytes, 'byte'), `${bytes} バイト`));
  if (mode !== undefined) facts.push(text(`mode ${mode}`, `モード ${mode}`));
  const told = facts.filter(({ en }) => en !== '');
  const shown = kind === 'folder' ? `${name}/` : name;
  if (told.length === 0) return text(`${change} ${shown}`, `${verbs[change]} ${shown}`);
  const [en, ja] = [told.map((fact) => fact.en).join(', '), told.map((fact) => fact.ja).join('、')];
  return text(`${change} ${shown} (${en})`, `${verbs[change]} ${shown} (${ja})`);
}

const verbs = { deleted: '削除', created: '作成', changed: '変更' } as const;

function both(parts: readonly (string | false)[]): Text {
  const words = parts.filter((part) => part !== false).join(' ');
  return text(words, words);
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
