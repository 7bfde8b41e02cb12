import { type Text, text } from '../../../contract/text/text.ts';
import { counted } from '../../../ground/counted.ts';
import type { EffectFacts } from './facts.ts';

/** Asks a person before the effects of a command land. */
export interface BuiltinEffectRule {
  readonly id: string;
  /** The rule's subject, for a list of rules. */
  readonly because: Text;
  /** Applies only to commands that are tried; the others apply to every command that runs on a layer. */
  readonly ofTried?: boolean;
  /** Returns the finding; undefined if the rule does not fit. */
  finds(facts: EffectFacts): Text | undefined;
}

/** Losing up to this many files counts as intended; a person is asked about more. */
const mostLost = 20;
/** Losing most of the files counts from this many on: in a small folder, a few are most of them. */
const fewLost = 10;
/** Losing all files counts from this many on. */
const allLost = 4;

/** `obeyedBy`: the programs that act on a path later, outside the sandbox. */
export function createBuiltinEffectRules(obeyedBy: ObeyedBy = () => undefined): readonly BuiltinEffectRule[] {
  return rules.map((rule) => ({ ...rule, finds: (facts) => rule.finds(facts, obeyedBy) }));
}

type ObeyedBy = (path: string) => Text | undefined;

const rules: readonly (Omit<BuiltinEffectRule, 'finds'> & {
  finds(facts: EffectFacts, obeyedBy: ObeyedBy): Text | undefined;
})[] = [
  {
    id: 'effect-breaks-repository',
    because: text(
      'it deletes a repository, or what a repository cannot do without',
      'リポジトリ、またはリポジトリに欠かせないものを削除します',
    ),
    finds({ losses: { repositories } }) {
      const [path] = repositories;
      if (path === undefined) return undefined;
      return text(
        `it deletes a repository, or what it cannot do without: ${path}`,
        `リポジトリ、またはそれに欠かせないものを削除します: ${path}`,
      );
    },
  },
  {
    id: 'effect-loses-most',
    because: text('it deletes or overwrites most of the files', 'ファイルの大半を削除または上書きします'),
    finds({ losses: { withKept, of } }) {
      const isMost = withKept >= fewLost && withKept * 2 >= of;
      if (!isMost && !(withKept >= allLost && withKept >= of)) return undefined;
      return withKept >= of
        ? text(
            `it deletes or overwrites all that was there: ${counted(withKept, 'file')}`,
            `あったファイル ${withKept} 個をすべて削除または上書きします`,
          )
        : text(
            `it deletes or overwrites ${counted(withKept, 'file')}, which is most of what was there`,
            `ファイルの大半 (${withKept} 個) を削除または上書きします`,
          );
    },
  },
  {
    id: 'effect-loses-many',
    because: text(
      `it deletes or overwrites more than ${mostLost} files that nothing else keeps`,
      `ほかのどこにも残っていないファイルを ${mostLost} 個を超えて削除または上書きします`,
    ),
    finds({ losses: { files, earlier } }) {
      if (files === 0 || files + earlier <= mostLost) return undefined;
      const before = text(
        earlier > 0 ? `, after ${earlier} by commands of this session before it` : '',
        earlier > 0 ? ` (このセッションのこれまでのコマンドで、ほかに ${earlier} 個)` : '',
      );
      return text(
        `it deletes or overwrites ${counted(files, 'file')} that nothing else keeps${before.en}`,
        `ほかのどこにも残っていないファイルを ${files} 個削除または上書きします${before.ja}`,
      );
    },
  },
  {
    id: 'effect-not-in-history',
    because: text(
      'it deletes or overwrites what the history will not keep',
      '履歴に残らないものを削除または上書きします',
    ),
    finds({ losses: { unkept = 0 } }) {
      if (unkept === 0) return undefined;
      return text(
        `it deletes or overwrites ${counted(unkept, 'file')} that nothing else keeps, and that the history will not keep either: too large, more than it has room for, or of a name that is not UTF-8`,
        `ほかのどこにも残っていないファイルを ${unkept} 個削除または上書きします。大きすぎるか、容量を超えるか、名前が UTF-8 でないため、履歴にも残りません`,
      );
    },
  },
  {
    id: 'effect-git-history',
    because: text('it deletes what only git has', 'git だけが残しているものを削除します'),
    finds({ losses: { names } }) {
      const [path] = names;
      if (path === undefined) return undefined;
      return text(
        `it deletes what only git has, and what nothing else there leads to: ${path}`,
        `git だけが残していて、ほかのどこからもたどれなくなるものを削除します: ${path}`,
      );
    },
  },
  {
    id: 'effect-runs-outside-later',
    because: text(
      'it writes what later runs outside the sandbox, without a question',
      '後で確認なしに外で実行されるものを書き込みます',
    ),
    finds({ losses: { obeyed } }, obeyedBy) {
      const [path] = obeyed;
      const by = path === undefined ? undefined : obeyedBy(path);
      return (
        by &&
        text(
          `it writes ${path}, which later runs outside the sandbox, without a question: ${by.en} acts on it`,
          `${path} を書き込みます。後で確認なしに外で実行されます: ${by.ja}が従います`,
        )
      );
    },
  },
  {
    id: 'effect-unlisted',
    ofTried: true,
    because: text('it changes more paths than can be listed', '一覧に収まらない数のパスを変更します'),
    finds: ({ unlisted }) => unlistedText(unlisted),
  },
];

/** `unlisted`: there may be more. */
export function losesFiles(count: number, unlisted: number): Text {
  if (!Number.isFinite(count))
    return text('it deletes files that are not counted', '数えられていないファイルを削除します');
  const [least, orMore] = unlisted > 0 ? ['at least ', '以上'] : ['', ''];
  return text(
    `it deletes or empties ${least}${counted(count, 'file')}`,
    `${count} 個${orMore}のファイルを削除または空にします`,
  );
}

/** A rule may mean any unlisted change. */
export function unlistedText(unlisted: number): Text | undefined {
  if (unlisted === 0) return undefined;
  return text(
    `it changes ${counted(unlisted, 'path')} more than can be listed`,
    `一覧に収まらないパスをほかに ${unlisted} 件変更します`,
  );
}
