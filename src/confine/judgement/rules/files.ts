import { text } from '../../../contract/text/text.ts';
import { hasOption, type Options, optionsNamed, readOptions } from '../options.ts';
import { isDevice, reachOf } from '../targets.ts';
import { removers } from '../unwrap/find.ts';
import { fileNameOf, possibleValues } from '../values.ts';
import { literalWord, mayBeOption, partOf, unknownWord, type Word } from '../words.ts';
import type { CommandRule, Scene, Use } from './rule.ts';

/** Commands that remove or overwrite more than anybody meant. */
export const fileRules: readonly CommandRule[] = [
  {
    id: 'rm-recursive-force',
    decision: 'deny',
    dialect: 'listed',
    programs: ['rm', 'srm'],
    because: text(
      'rm with recursive and force together removes folders without a way back',
      'rm の再帰と強制の組み合わせは、フォルダーを取り消せない形で削除します',
    ),
    suggestion: text(
      'Use `rm -r PATH` without force, with the path written out.',
      '強制なしの `rm -r パス` を、パスを書き出して使ってください。',
    ),
    fits: ({ args }, scene) => {
      const options = removal(args, scene);
      return isRecursive(options) && isForced(options);
    },
    match: [
      'rm -rf build',
      'rm -r --interactive=never x',
      'rm -r -f x',
      'rm x -fR',
      '/bin/rm --recurs --forc x',
      'sudo rm -vrf /',
      'r\'m\' -"rf" x',
    ],
    notMatch: ['rm -r build', 'rm -f a.txt', 'echo "rm -rf /"', 'rm -- -rf', 'git rm -rf --cached x'],
  },
  {
    id: 'rm-unread',
    decision: 'deny',
    programs: ['rm', 'srm'],
    because: text(
      'a word of this rm is not known before it runs, and could be `-rf`',
      'この rm の引数の一部は実行するまで分からず、`-rf` になり得ます',
    ),
    suggestion: text(
      'Put `--` before it (`rm -- "$file"`), begin it with `./` (`rm ./*`), or write it out.',
      'その前に `--` を置く(`rm -- "$file"`)、`./` で始める(`rm ./*`)、または書き出してください。',
    ),
    fits: ({ args, input }, scene) => {
      const listed = input.pathsOnly();
      const options = removal(
        args.map((word) => (listed && word.isInput ? unknownWord(word.text, './') : word)),
        scene,
      );
      return options.unsure !== undefined && !(isRecursive(options) && isForced(options));
    },
    match: [
      'rm "$x"',
      'rm *',
      'for f in *; do rm "$f"; done',
      'for f in *.bak; do rm $f; done',
      'for f in *.bak; do f=$(cat x); rm "$f"; done',
      'rm $opts dir',
      'echo -rf / | xargs rm',
      'rm {-r,-f} x',
      'find . -print0 | xargs rm',
      'find . -printf "-rf\\0" -print0 | xargs -0 rm',
      'find . -print0 | sort -z | xargs -0 rm',
    ],
    notMatch: [
      'rm -- "$x"',
      'rm ./*',
      'rm *.o',
      'rm a.{o,d}',
      'f=a.txt; rm "$f"',
      'for f in *.bak; do rm "$f"; done',
      'tmp=$(mktemp); trap \'rm -f "$tmp"\' EXIT',
      'find . -name x -exec rm {} +',
      'find . -name "*.orig" -print0 | xargs -0 rm -f',
    ],
  },
  {
    id: 'rm-everything',
    decision: 'deny',
    programs: ['rm', 'srm', 'rimraf', 'trash'],
    because: text(
      'it would remove a root, a home, the workspace or a folder of the system',
      'ルート、ホーム、ワークスペース、またはシステムのフォルダーを削除します',
    ),
    suggestion: text(
      'Name the folder inside the workspace that is to go.',
      '削除するワークスペース内のフォルダーを指定してください。',
    ),
    fits: (use, scene) => {
      const options = removal(use.args, scene);
      if (use.program !== 'rimraf' && use.program !== 'trash' && !isRecursive(options)) return false;
      return options.operands.some((word) => reachOf(word, scene) === 'everything');
    },
    match: [
      'rm -r /',
      'rm -r /*',
      'rm -R ~',
      'rm -r "$HOME"',
      'rm -r .',
      'rm -r ../..',
      'rm -r //',
      'npx rimraf /',
      'd=$(mktemp -d); rm -r "$d"/*',
      'rm --recursive /usr',
    ],
    notMatch: ['rm -r build', 'rm -r ./dist/', 'rm -r -- node_modules', 'npx rimraf dist', 'rm -r build/*'],
  },
  {
    id: 'rm-repository',
    decision: 'ask',
    programs: ['rm', 'srm', 'rimraf', 'trash'],
    because: text(
      'it removes a repository, with all that was never pushed',
      'プッシュされていないものも含め、リポジトリを削除します',
    ),
    suggestion: text('A person must agree to it.', '人の同意が必要です。'),
    fits: (use, scene) =>
      removal(use.args, scene).operands.some((word) =>
        (possibleValues(word, scene.variables) ?? [word.text]).some((value) =>
          /(^|\/)\.git["']?(\/(\*|objects|refs)?["']?)?$/i.test(value),
        ),
      ),
    match: ['rm -r .git', 'rm -rf packages/a/.git/', 'd=.git; rm -r "$d"', 'rm -r .git/objects'],
    notMatch: ['rm -r build', 'rm .git/index.lock', 'rm -r .github/old'],
  },
  {
    id: 'rm-unknown-target',
    decision: 'deny',
    programs: ['rm', 'srm', 'rimraf', 'trash'],
    because: text(
      'what it removes with all its content is not known before it runs',
      '中身ごと削除する対象が、実行するまで分かりません',
    ),
    suggestion: text('Write the path out.', 'パスを書き出してください。'),
    fits: (use, scene) => {
      const options = removal(use.args, scene);
      if (use.program !== 'rimraf' && use.program !== 'trash' && !isRecursive(options)) return false;
      return options.operands.some((word) => reachOf(word, scene) === 'unknown');
    },
    match: [
      'rm -r -- "$x"',
      'rm -r "$(cat list)"',
      'cd "$x"; rm -r build',
      'rm -r "$DIR/x"',
      'find "/$x" -name y -exec rm -r {} +',
      'find . ! -name y -exec rm -r {} +',
      'find . -name y -exec rm -r {}/.. \\;',
      'find . -name y -exec env rm -r {} +',
      'find . -name "*" -exec rm -r {} +',
      'find . -name y -o -type d -exec rm -r {} +',
    ],
    notMatch: [
      'rm -r build',
      'd=build; rm -r "$d"',
      'd=$(mktemp -d); rm -r "$d"',
      'rm -- "$x"',
      'rm -r {src,dist}/tmp',
      'find . -name __pycache__ -type d -exec rm -r {} +',
    ],
  },
  {
    id: 'find-delete-everything',
    decision: 'deny',
    programs: ['find', 'fd', 'fdfind'],
    because: text(
      'find would delete all that is in a root, a home or the workspace',
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
    ],
    notMatch: ['find . -name "*.o" -delete', 'find build -delete', 'find / -name x'],
  },
  {
    id: 'chmod-root',
    decision: 'deny',
    programs: ['chmod', 'chown', 'chgrp', 'setfacl', 'chattr', 'chcon'],
    because: text(
      'it would change modes or owners of a whole system, home or unknown folder',
      'システム、ホーム、または不明なフォルダー全体の権限や所有者を変更します',
    ),
    suggestion: text(
      'Name the files or the folder in the workspace.',
      'ワークスペース内のファイルかフォルダーを指定してください。',
    ),
    fits: ({ args }, scene) => {
      const options = readOptions(
        args.map((word) => knownWord(word, scene)),
        { longValued: ['reference', 'from'] },
      );
      if (!options.unsure && !hasOption(options, 'R', ['recursive'])) return false;
      return options.operands.some((word) => changesAll(word, scene));
    },
    match: [
      'chmod -R 777 /',
      'chown -R me /',
      'chmod --recurs 777 /*',
      'chown me:me -R //',
      'chmod -R 777 ~',
      'chmod -R 777 "$x"',
    ],
    notMatch: ['chmod -R u+w .', 'chmod +x run.sh', 'chmod 644 /', 'chown -R me src'],
  },
  {
    id: 'device-operand',
    decision: 'deny',
    programs: [
      'tee',
      'cp',
      'mv',
      'install',
      'truncate',
      'shred',
      'sponge',
      'ln',
      'rsync',
      'dd',
      'pv',
      'ddrescue',
      'dcfldd',
      'mknod',
      'tar',
      'bsdtar',
      'find',
    ],
    because: text('it names a device of the machine', '機器のデバイスを指定しています'),
    suggestion: text('Write to a file in the workspace.', 'ワークスペース内のファイルに書き込んでください。'),
    fits: ({ program, args }, scene) =>
      args.some(
        (word, at) =>
          (program !== 'find' || /^-f(print0?|printf|ls)$/.test(args[at - 1]?.value ?? '')) &&
          isDevice(operandValue(program, word), scene, program === 'dd' ? 'of=' : '') !== undefined,
      ),
    match: [
      'tee /dev/sda',
      'cp x /dev/nvme0n1',
      'dd if=/dev/zero of=/dev/sda',
      'dd of=/dev/../dev/sdb',
      'shred /dev/sda',
      'x=/dev/sda; tee $x',
      'find . -fprintf /dev/sda x',
      'tar cf /dev/sda .',
      'tee /proc/self/root/dev/sda',
    ],
    notMatch: [
      'dd if=/dev/zero of=disk.img',
      'tee /dev/stderr',
      'cp x /dev/null',
      'tar czf - . | cat',
      'find /dev/disk -name x',
      'dd if=/dev/urandom of=x bs=1 count=1',
    ],
  },
];

/** rm's words, where a variable that the script itself fills counts as its content. */
function removal(args: readonly Word[], scene: Scene): Options {
  const known = args.map((word) => knownWord(word, scene));
  const options = readOptions(known);
  const unsure = known.slice(0, indexOfEnd(known)).find((word) => mayBeOption(word) && fitsRm(word));
  return { ...options, unsure };
}

function indexOfEnd(words: readonly Word[]): number {
  const at = words.findIndex((word) => word.value === '--');
  return at < 0 ? words.length : at;
}

/** rm refuses an option with any other character in it, so `*.o` cannot become one that works. */
function fitsRm(word: Word): boolean {
  return word.pieces.every((piece) => piece.kind !== 'literal' || /^[a-zA-Z=-]*$/.test(piece.text));
}

function knownWord(word: Word, scene: Scene): Word {
  // An empty word is no file and no option.
  const values =
    word.value === undefined
      ? possibleValues(word, scene.variables)?.filter((value) => value !== '')
      : undefined;
  if (!values || values.length === 0)
    return fileNameOf(word, scene.variables) ? { ...word, prefix: './' } : word;
  const option = values.find((value) => value.startsWith('-'));
  if (option !== undefined) return { ...word, value: undefined, prefix: '' };
  return values.length === 1
    ? { ...literalWord(values[0] as string), text: word.text }
    : { ...word, prefix: commonStart(values) };
}

function commonStart(values: readonly string[]): string {
  return values.every((value) => value !== '' && !value.startsWith('-'))
    ? (values[0] as string).charAt(0)
    : '';
}

/** `--interactive=never` is force by another name; a value that is not known may be that. */
function isForced(options: Options): boolean {
  return (
    hasOption(options, 'f', ['force']) ||
    optionsNamed(options, '', ['interactive']).some(
      ({ value }) => value !== undefined && /^(n|$)/.test(value.value ?? ''),
    )
  );
}

function isRecursive(options: Options): boolean {
  return hasOption(options, 'rR', ['recursive']);
}

function deletesEverything({ args }: Use, scene: Scene): boolean {
  const removes = args.some(
    (word, at) =>
      word.value === '-delete' ||
      (/^-(exec|ok)/.test(word.prefix) && removers.has(args[at + 1]?.value ?? '')),
  );
  if (!removes) return false;
  const end = args.findIndex((word) => /^[-(!]/.test(word.prefix) && !/^-[HLPO]/.test(word.prefix));
  const starts = args.slice(0, end).filter((word) => !word.prefix.startsWith('-'));
  if (starts.length === 0) starts.push(literalWord('.'));
  const chooses = args.some((word) =>
    /^-(i?(name|path|regex|wholename)|[acm](min|time)|newer.*|size|empty|user|group|perm|samefile|inum)$/.test(
      word.value ?? '',
    ),
  );
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

function changesAll(word: Word, scene: Scene): boolean {
  const reach = reachOf(word, scene);
  if (reach !== 'everything') return reach === 'unknown' && !word.prefix;
  // The workspace itself may be changed: `chmod -R u+w .` is everyday.
  return !(word.value !== undefined && /^\.?\/?$/.test(word.value) && !word.value.startsWith('/'));
}

function operandValue(program: string, word: Word): Word {
  if (program !== 'dd') return word;
  if (word.prefix.startsWith('if=')) return literalWord('');
  return word.prefix.startsWith('of=') ? partOf(word, 3) : word;
}
