import { text } from '../../../../contract/text/text.ts';
import { reachOf } from '../../places/targets.ts';
import { removers } from '../../unwrap/find.ts';
import { literalWord } from '../../words/word.ts';
import type { CommandRule, Scene, Use } from '../rule.ts';

/** Searches that remove what they find. */
export const findingRules: readonly CommandRule[] = [
  {
    id: 'find-delete-everything',
    decision: 'deny',
    contained: true,
    programs: ['find', 'fd', 'fdfind'],
    because: text(
      'find would delete everything in a root, a home or the workspace',
      'find がルート、ホーム、またはワークスペースの中身をすべて削除します',
    ),
    suggestion: text(
      'Start it in a folder inside, or say which names: `find . -name "*.o" -delete`.',
      '内側のフォルダーから始めるか、名前を指定してください: `find . -name "*.o" -delete`',
    ),
    fits: (use, scene) =>
      use.program === 'find' ? deletesEverything(use, scene) : fdDeletesEverything(use, scene),
    match: [
      'find / -delete',
      'find . -delete',
      'find / -name x -delete',
      'find ~ -type f -delete',
      'find -delete',
      'find / -exec rm {} +',
      'fd . / -X rm',
      "find . -name '*' -delete",
      'find . -type f ! -name keep -exec rm {} +',
      'find . -type f -exec truncate -s 0 {} +',
    ],
    notMatch: ['find . -name "*.o" -delete', 'find build -delete', 'find / -name x'],
  },
];

export function removesFound({ args }: Pick<Use, 'args'>): boolean {
  return args.some(
    (word, at) =>
      word.value === '-delete' ||
      (/^-(exec|ok)/.test(word.prefix) && removers.has(args[at + 1]?.value ?? '')),
  );
}

function deletesEverything({ args }: Use, scene: Scene): boolean {
  if (!removesFound({ args })) return false;
  const end = args.findIndex((word) => /^[-(!]/.test(word.prefix) && !/^-[HLPO]/.test(word.prefix));
  const starts = args.slice(0, end).filter((word) => !word.prefix.startsWith('-'));
  if (starts.length === 0) starts.push(literalWord('.'));
  const chooses = args.some((word, at) => {
    // All but what has this name is nearly all.
    if (/^(!|-not)$/.test(args[at - 1]?.value ?? '') && /^-i?(name|path|wholename)$/.test(word.value ?? ''))
      return false;
    if (/^-i?(name|path|regex|wholename)$/.test(word.value ?? '')) return /\w/.test(args[at + 1]?.text ?? '');
    return /^-([acm](min|time)|newer.*|size|empty|user|group|perm|samefile|inum)$/.test(word.value ?? '');
  });
  return starts.some((word) => {
    const reach = reachOf(word, scene);
    if (reach !== 'everything') return reach === 'unknown' && !chooses;
    return !chooses || /^(\/|~|\$|"\$)/.test(word.text);
  });
}

function fdDeletesEverything({ args }: Use, scene: Scene): boolean {
  const at = args.findIndex((word) => /^(-[xX]|--exec)/.test(word.prefix));
  if (at < 0 || !args.slice(at).some((word) => removers.has(word.value ?? ''))) return false;
  return args.slice(0, at).some((word) => /^[/~$"]/.test(word.text) && reachOf(word, scene) === 'everything');
}
