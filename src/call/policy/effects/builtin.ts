import { type Text, text } from '../../../contract/text/text.ts';
import { counted } from '../../../ground/counted.ts';
import { createObeyedBy } from '../obeyed-later.ts';
import type { EffectFacts } from './facts.ts';

/** Asks a person before the effects of a command land. */
export interface BuiltinEffectRule {
  readonly id: string;
  /** What it is about, for a list of rules. */
  readonly because: Text;
  /** What it found; undefined where it does not fit. */
  finds(facts: EffectFacts): Text | undefined;
}

/** So many files are lost in a change that somebody meant; more than that is looked at first. */
const mostLost = 20;
/** Of a folder with a handful of files, that many are not yet most of somebody's work. */
const fewLost = 3;

export function createBuiltinEffectRules(): readonly BuiltinEffectRule[] {
  const obeyedBy = createObeyedBy();
  return [
    {
      id: 'effect-git-history',
      because: text('it deletes what only git has', 'git だけが残しているものを削除します'),
      finds: ({ changes }) => {
        const found = changes.find(
          (change) =>
            (change.change === 'deleted' && gitKeeps.test(change.path)) ||
            (change.change === 'changed' && change.bytes === 0 && gitLog.test(change.path)),
        );
        return (
          found &&
          text(
            `it deletes what only git has: ${found.path}`,
            `git だけが残しているものを削除します: ${found.path}`,
          )
        );
      },
    },
    {
      id: 'effect-deletes-many',
      because: text(
        `it deletes or empties more than ${mostLost} files`,
        `${mostLost} 個を超えるファイルを削除または空にします`,
      ),
      finds: ({ lostFiles, unlisted }) =>
        lostFiles > mostLost ? losesFiles(lostFiles, unlisted) : undefined,
    },
    {
      id: 'effect-deletes-most',
      because: text('it deletes or empties most of the files', 'ファイルの大半を削除または空にします'),
      finds: ({ lostFiles, filesBefore, unlisted }) => {
        const isMost = lostFiles >= fewLost && lostFiles * 2 >= filesBefore;
        return (lostFiles > 0 && lostFiles >= filesBefore) || isMost
          ? ofAll(losesFiles(lostFiles, unlisted), filesBefore)
          : undefined;
      },
    },
    {
      id: 'effect-replaces-many',
      because: text(
        `it replaces more than ${mostLost} files with something that is not text`,
        `${mostLost} 個を超えるファイルをテキストでないものに置き換えます`,
      ),
      finds: ({ replacedFiles }) =>
        replacedFiles > mostLost
          ? text(
              `it replaces ${replacedFiles} files with something that is not text`,
              `${replacedFiles} 個のファイルをテキストでないものに置き換えます`,
            )
          : undefined,
    },
    {
      id: 'effect-runs-outside-later',
      because: text(
        'it writes what later runs outside the sandbox, without a question',
        '後で確認なしに外で実行されるものを書き込みます',
      ),
      finds: ({ changes }) => {
        const found = changes.find(({ change, path }) => change !== 'deleted' && obeyedBy([path]));
        const by = found && obeyedBy([found.path]);
        return (
          by &&
          text(
            `it writes ${found.path}, which later runs outside the sandbox, without a question: ${by.en} acts on it`,
            `${found.path} を書き込みます。後で確認なしに外で実行されます: ${by.ja}が従います`,
          )
        );
      },
    },
    {
      id: 'effect-unlisted',
      because: text('it changes more paths than can be listed', '一覧に収まらない数のパスを変更します'),
      finds: ({ unlisted }) => unlistedText(unlisted),
    },
  ];
}

function ofAll(loses: Text, filesBefore: number): Text {
  return text(`${loses.en} of ${filesBefore} that were there`, `${loses.ja} (元は ${filesBefore} 個)`);
}

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

/** Any of them could be what a rule means. */
export function unlistedText(unlisted: number): Text | undefined {
  if (unlisted === 0) return undefined;
  return text(
    `it changes ${counted(unlisted, 'path')} more than can be listed`,
    `一覧に収まらないパスをほかに ${unlisted} 件変更します`,
  );
}

const gitKeeps = /(^|\/)\.git(\/(objects|refs|logs|packed-refs|modules|worktrees)(\/.*)?)?$/i;
const gitLog = /(^|\/)\.git\/(logs\/.*|packed-refs)$/i;
