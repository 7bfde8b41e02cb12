import { text } from '../../contract/text.ts';
import { isSafeArithmetic } from './inspect-node.ts';
import { hasOption, readOptions } from './options.ts';
import { isShell } from './programs.ts';
import type { CommandRule, Scene } from './rule.ts';
import { readGitLine } from './unwrap-git.ts';
import { readShellLine } from './unwrap-shell.ts';
import { isOneField, mayBeOption, type Word } from './words.ts';

const plainName = /^[A-Za-z_]\w*$/;

/** Builtins and programs whose words become code; judged by those words. */
export const shellRules: readonly CommandRule[] = [
  {
    id: 'shell-input',
    decision: 'deny',
    because: text(
      'a shell would run what it reads from its input, which cannot be read here',
      'シェルが入力から読んだ内容を実行しますが、ここでは内容を確認できません',
    ),
    suggestion: text(
      'Write the commands themselves, or give the shell a file.',
      'コマンドそのものを書くか、シェルにファイルを渡してください。',
    ),
    fits: ({ program, args, input }) => {
      if (!isShell(program)) return false;
      const line = readShellLine(args);
      if (!line.readsInput || input.fetched()) return false;
      if (args.some((word) => /^--?(version|help|V|h)$/.test(word.value ?? ''))) return false;
      if (input.texts.length > 0 && !line.file) return input.files.length > 0;
      return !(
        input.files.length > 0 &&
        input.files.every((word) => word.value !== undefined && !/^\/(dev|proc)\//.test(word.value))
      );
    },
    match: [
      'echo ls | sh',
      'cat x | bash -s',
      'bash',
      'base64 -d x | sh',
      'sh /dev/stdin',
      'bash <(echo ls)',
      '{ sh; } <<< ls',
    ],
    notMatch: ['sh run.sh', 'bash -c ls', 'bash --version', 'bash <<< ls', 'bash < run.sh', 'curl x | sh'],
  },
  {
    id: 'source-input',
    decision: 'deny',
    programs: ['source', '.'],
    because: text('it runs what it reads from its input', '入力から読んだ内容を実行します'),
    suggestion: text('Source a file.', 'ファイルを source してください。'),
    fits: ({ args }) =>
      args.some((word) => /^(\/dev\/|\/proc\/)/.test(word.prefix)) ||
      (args[0] !== undefined && mayBeOption(args[0])),
    match: ['. /dev/stdin', 'source <(echo ls)', 'source "$x"'],
    notMatch: ['. ./env.sh', 'source .venv/bin/activate', 'source "./$x"'],
  },
  {
    id: 'data-as-code',
    decision: 'deny',
    programs: [
      'test',
      '[',
      'printf',
      'read',
      'unset',
      'let',
      'declare',
      'typeset',
      'local',
      'export',
      'readonly',
      'mapfile',
      'readarray',
      'getopts',
      'wait',
      'expr',
      'shift',
      'return',
      'exit',
    ],
    because: text('bash would evaluate data as code here', 'bash がここでデータをコードとして評価します'),
    suggestion: text(
      'Use plain names and numbers, and quote variables.',
      '単純な名前と数値を使い、変数は引用符で囲んでください。',
    ),
    fits: (use, scene) => evaluates(use.program, use.args, scene),
    match: [
      "test -v 'a[$(id)]'",
      '[ -v "$x" ]',
      "printf -v 'a[$(id)]' x",
      "read 'a[$(id)]'",
      "unset 'a[$(id)]'",
      'read x; let "$x"',
      "declare -n x='a[$(id)]'",
      'read x; [[ $x -eq 1 ]]',
      'read x; echo $((x))',
      'echo ${!x}',
      'echo ${x@P}',
      "[[ -v 'a[$(id)]' ]]",
      'read -r n; (( n > 1 ))',
      'mapfile -C ls -c 1 a',
      'read x; echo ${a[$x]}',
      'read x; declare -i n="$x"',
    ],
    notMatch: [
      'test -f x',
      '[ "$a" = b ]',
      '[[ $? -eq 0 ]]',
      'i=0; i=$((i+1))',
      'for i in 1 2; do echo $((i*2)); done',
      'printf "%s" "$x"',
      'unset FOO',
      'read -r line',
      '[[ -v FOO ]]',
      'echo "${a[@]}" ${a[0]}',
      'declare -A m; m[$k]=1',
      'n=5; let n=n+1',
      'for ((i=0;i<3;i++)); do :; done',
      'export FOO=bar',
      '[ -z "$x" ]',
      '[ ! -d "$x" ]',
    ],
  },
  {
    id: 'code-builtin',
    decision: 'deny',
    programs: ['hash', 'alias', 'enable', 'bind', 'complete', 'compgen', 'fc', 'set', 'shopt', 'exec_fd'],
    because: text('it changes what later words of the command mean', 'コマンドの後の語の意味を変えます'),
    suggestion: text('Write the command out instead.', '代わりにコマンドを書き出してください。'),
    fits: ({ program, args }) => {
      const has = (pattern: RegExp) =>
        args.some((word) => word.value === undefined || pattern.test(word.value));
      switch (program) {
        case 'hash':
          return has(/^-\w*p/);
        case 'alias':
          return args.some((word) => word.value === undefined || word.value.includes('='));
        case 'enable':
          return has(/^-\w*[fn]/);
        case 'bind':
          return args.length > 0;
        case 'complete':
        case 'compgen':
          return has(/^-\w*[CFW]/);
        case 'fc':
          return true;
        case 'shopt':
          return (
            has(/^(expand_aliases|extglob|sourcepath|globasciiranges|assoc_expand_once)$/) && has(/^-\w*[su]/)
          );
        default:
          return has(/^[-+]\w*[kB]/) || has(/^(posix|keyword|braceexpand)$/);
      }
    },
    match: [
      'hash -p /bin/rm ls',
      "alias ls='rm -rf'",
      'enable -f x.so x',
      'shopt -s expand_aliases',
      'fc -s',
      "compgen -C 'rm x' a",
      'set -k',
      'set -o posix',
    ],
    notMatch: ['hash -r', 'set -euo pipefail', 'set -x', 'shopt -s nullglob', 'set -- a b', 'hash git'],
  },
  {
    id: 'git-setting',
    decision: 'deny',
    programs: ['git'],
    because: text(
      'this git setting or option can start programs',
      'この git の設定またはオプションはプログラムを起動できます',
    ),
    suggestion: text('Run git without it.', 'それを付けずに git を実行してください。'),
    fits: ({ args }) => gitStartsPrograms(args),
    match: [
      'git -c core.pager=x log',
      'git -c core.sshCommand=x fetch',
      'git config core.fsmonitor x',
      'git --exec-path=. x',
      'git clone -c core.hooksPath=. x',
      'git clone ext::sh x',
      'git --config-env=a=B x',
      'git grep -Ovi x',
      'git config --global core.editor x',
    ],
    notMatch: [
      'git -c user.name=a commit',
      'git config user.email a@b',
      'git config --get core.editor',
      'git -c core.quotepath=off status',
      'git config --list',
      'git grep -n core.pager',
      'git log -p',
    ],
  },
  {
    id: 'odd-name',
    decision: 'deny',
    because: text(
      'the name of the program is a word of the shell, or has characters that hide',
      'プログラム名がシェルの予約語か、見えない文字を含みます',
    ),
    suggestion: text('Write the command plainly.', 'コマンドを素直に書いてください。'),
    fits: ({ words }) => {
      const name = words[0]?.value ?? '';
      return (
        /^([{}!]|then|do|else|elif|fi|done|esac|in|function|if|while|until|for|case|select|-)$/.test(name) ||
        /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name)
      );
    },
    match: ['env { ls', "'if' x", "$'l\\x01s'"],
    notMatch: ['ls', '[ -f x ]', ': ok'],
  },
];

function evaluates(program: string, args: readonly Word[], scene: Scene): boolean {
  switch (program) {
    case 'test':
    case '[':
      return testEvaluates(program === '[' ? args.slice(0, -1) : args, scene);
    case 'printf': {
      const first = args[0];
      if (!first) return false;
      if (mayBeOption(first) && !isOneField(first)) return !tame(first, scene);
      const name = first.value === '-v' ? args[1] : first.prefix.startsWith('-v') ? undefined : null;
      return name !== null && !plainName.test(name?.value ?? first.value?.slice(2) ?? '');
    }
    case 'read':
      return (
        badNames(readOptions(args, { valued: 'adinNptu' }).operands) || args.some((word) => mayBeOption(word))
      );
    case 'unset':
      return args.some(
        (word) =>
          !/^-[fvn]+$|^[A-Za-z_]\w*(\[(\d+|@|\*|[A-Za-z_]\w*)\])?$/.test(word.value ?? '') &&
          !/^[\w.:-]+$/.test(word.value ?? ''),
      );
    case 'let':
      return args.some(
        (word) =>
          !isSafeArithmetic(word.text.replace(/^'(.*)'$/s, '$1'), scene.variables) ||
          (word.value === undefined && !tame(word, scene)),
      );
    case 'declare':
    case 'typeset':
    case 'local':
    case 'export':
    case 'readonly': {
      if (args.some((word) => mayBeOption(word) && word.value === undefined)) return true;
      const flags = args.map((word) => (/^[-+]\w/.test(word.value ?? '') ? word.value : '')).join('');
      return args.some((word) => {
        const equals = word.prefix.indexOf('=');
        const name = equals < 0 ? (word.value ?? '') : word.prefix.slice(0, equals).replace(/\+$/, '');
        if (/^[-+]/.test(name)) return false;
        if (!/^[A-Za-z_]\w*(\[\w*\])?$/.test(name) && !(/f/.test(flags) && equals < 0)) return true;
        if (equals < 0) return false;
        if (/n/.test(flags)) return !plainName.test(word.value?.slice(equals + 1) ?? '');
        if (/i/.test(flags))
          return !isSafeArithmetic(word.text.slice(word.text.indexOf('=') + 1), scene.variables);
        return false;
      });
    }
    case 'mapfile':
    case 'readarray': {
      const options = readOptions(args, { valued: 'dnOsuCc' });
      return options.unsure !== undefined || hasOption(options, 'C') || badNames(options.operands);
    }
    case 'getopts':
      return !plainName.test(args[1]?.value ?? '');
    case 'wait': {
      const name = readOptions(args, { valued: 'p' }).given.find((option) => option.name === 'p');
      return name !== undefined && !plainName.test(name.value?.value ?? '');
    }
    default:
      return false;
  }
}

/** `-v` evaluates a subscript; an unquoted variable may hold the operator itself. */
function testEvaluates(args: readonly Word[], scene: Scene): boolean {
  return args.some((word, at) => {
    if (
      !isOneField(word) &&
      !tame(word, scene) &&
      word.pieces.some(
        (piece) => piece.kind === 'unknown' || (piece.kind === 'variable' && /^[@*]$|^\d/.test(piece.name)),
      )
    )
      return false === isFirstOperandSafe(args, at);
    if (word.value !== '-v' && word.value !== '-R') return false;
    const name = args[at + 1];
    return name !== undefined && !/^([A-Za-z_]\w*(\[(\d+|@|\*)\])?|=|==|!=|-a|-o|\))$/.test(name.value ?? '');
  });
}

/** `[ -n $(x) ]`: words in a place that an operator before them has fixed. */
function isFirstOperandSafe(args: readonly Word[], at: number): boolean {
  const before = args[at - 1]?.value ?? '';
  return /^(-[a-uw-zA-QS-Z]|-eq|-ne|-gt|-lt|-ge|-le|=|==|!=)$/.test(before);
}

function tame(word: Word, { variables }: Scene): boolean {
  return word.pieces.every(
    (piece) =>
      piece.kind === 'literal' ||
      (piece.kind === 'variable' && variables.isTame(piece.name)) ||
      (piece.kind === 'unknown' && piece.isNumber === true),
  );
}

function badNames(words: readonly Word[]): boolean {
  return words.some((word) => !plainName.test(word.value ?? ''));
}

const dataSetting =
  /^(user\.(name|email|signingkey|useconfigonly)|author\.\w+|committer\.\w+|color\.[\w.-]+|advice\.\w+|column\.\w+|init\.defaultbranch|core\.(quotepath|autocrlf|eol|safecrlf|filemode|ignorecase|abbrev|bare|symlinks|whitespace|longpaths|precomposeunicode|commentchar|compression|bigfilethreshold|preloadindex|untrackedcache|sparsecheckout|excludesfile|logallrefupdates|protecthfs|protectntfs|trustctime|checkstat)|commit\.(gpgsign|verbose|cleanup|status)|tag\.(gpgsign|sort)|gc\.\w+|maintenance\.\w+|log\.\w+|diff\.(renames|renamelimit|algorithm|colormoved\w*|context|noprefix|mnemonicprefix|wserrorhighlight|submodule|ignoresubmodules|relative|statgraphwidth|suppressblankempty|indentheuristic|interhunkcontext|tool)|merge\.(ff|conflictstyle|renames|renamelimit|stat|tool|log|branchdesc|verbosity|autostash)|pull\.\w+|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags|parallel|writecommitgraph|recursesubmodules)|rebase\.(autostash|autosquash|stat|updaterefs|missingcommitscheck|backend)|rerere\.\w+|status\.\w+|branch\.(autosetupmerge|autosetuprebase|sort)|branch\..+\.(remote|merge|rebase|description)|remote\..+\.(fetch|prune|tagopt|url|pushurl)|format\.(pretty|subjectprefix|signoff|numbered)|blame\.\w+|grep\.(linenumber|extendedregexp|patterntype|column|threads|fullname)|help\.autocorrect|safe\.directory|http\.(postbuffer|lowspeed\w+|extraheader|useragent|version|sslverify|maxrequests)|protocol\.version|pack\.\w+|index\.\w+|feature\.\w+|checkout\.\w+|clone\.(defaultremotename|rejectshallow)|stash\.\w+|submodule\.(recurse|fetchjobs)|transfer\.\w+|i18n\.\w+|lfs\.\w+|alias\..*|pager\.\w+=(false|true|cat|less)|core\.(pager|editor)=(cat|less|true|vim?|nano|)|sequence\.editor=(true|:|cat))/i;

function gitStartsPrograms(args: readonly Word[]): boolean {
  const line = readGitLine(args);
  if (line.redirected) return true;
  if (line.settings.some((word) => !isDataSetting(word.prefix))) return true;
  const verb = line.verb?.value;
  const starts = (pattern: RegExp) => line.rest.some((word) => pattern.test(word.prefix));
  if (starts(/^ext::/)) return true;
  switch (verb) {
    case 'config':
      return configStartsPrograms(line.rest);
    case 'clone':
    case 'submodule': {
      const given = readOptions(line.rest, {
        valued: 'cbojru',
        longValued: ['config', 'branch', 'origin', 'template'],
      }).given;
      return (
        given.some(
          (option) =>
            (option.name === 'c' || option.name === 'config') && !isDataSetting(option.value?.prefix ?? ''),
        ) || starts(/^--templ/)
      );
    }
    case 'init':
      return starts(/^--templ/);
    case 'grep':
      return starts(/^(-O.|--open-files-in-pager=)/);
    case 'daemon':
    case 'instaweb':
    case 'upload-pack':
    case 'receive-pack':
    case 'shell':
    case 'fast-import':
    case 'remote-ext':
    case 'credential':
    case 'hook':
      return true;
    default:
      return false;
  }
}

function isDataSetting(setting: string): boolean {
  const found = dataSetting.exec(setting)?.[0];
  return (
    found !== undefined &&
    (found.includes('=')
      ? setting === found
      : /^(=|$)/.test(setting.slice(found.length)) || found.toLowerCase().startsWith('alias.'))
  );
}

function configStartsPrograms(words: readonly Word[]): boolean {
  if (
    words.some((word) =>
      /^--(get|get-all|get-regexp|list|unset|unset-all|get-urlmatch|name-only|show-origin|get-color|remove-section)$|^-l$/.test(
        word.value ?? '',
      ),
    )
  )
    return false;
  const valued = new Set(['-f', '--file', '--blob', '--type', '--default', '--comment', '--value', '--url']);
  const operands = words.filter(
    (word, at) => !word.prefix.startsWith('-') && !valued.has(words[at - 1]?.value ?? ''),
  );
  if (words.some((word) => word.value === '-e' || word.value === '--edit' || word.value === 'edit'))
    return true;
  const named = /^(set|add|rename-section)$/.test(operands[0]?.value ?? '') ? operands.slice(1) : operands;
  if (/^(get|list|unset|remove-section|get-all)$/.test(operands[0]?.value ?? '')) return false;
  const [key, value] = named;
  if (!key) return false;
  if (!value) return mayBeOption(key);
  return !isDataSetting(`${key.prefix}${key.value === undefined ? '\0' : ''}=${value.value ?? '\0'}`);
}
