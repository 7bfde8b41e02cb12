import { text } from '../../../contract/text/text.ts';
import { isShell } from '../programs.ts';
import { readShellLine } from '../unwrap/shell.ts';
import { readOptions } from '../words/options.ts';
import { mayBeOption, type Word } from '../words/word.ts';
import { lookAlikeRule } from './look-alike.ts';
import type { CommandRule } from './rule.ts';

/** Builtins and programs whose words become code; judged by those words. */
export const shellRules: readonly CommandRule[] = [
  {
    id: 'shell-input',
    decision: 'deny',
    because: text(
      'a shell would run its input, which cannot be checked here',
      'シェルが入力から読んだ内容を実行しますが、ここでは内容を確認できません',
    ),
    suggestion: text(
      'Write the commands themselves, or give the shell a file.',
      'コマンドそのものを書くか、シェルにファイルを渡してください。',
    ),
    fits: ({ program, args, input }) => {
      if (program === 'make' || program === 'gmake') return readsMakefile(args);
      if (program === 'ed' || program === 'red' || program === 'ex')
        return input.texts.some(({ prefix }) => editorEscape.test(prefix));
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
      'echo "$x" | sh',
      "echo -e 'ls' | sh",
      'echo ls | sh <&3',
      'echo() { cat x; }; echo ls | sh',
      'echo ls | { read x; sh; }',
      'cat x | bash -s',
      'bash',
      'base64 -d x | sh',
      'sh /dev/stdin',
      'bash <(echo ls)',
      '{ sh; } <<< ls',
      "make -f - <<< 'all: ; ls'",
      'ed x <<< "!ls"',
    ],
    notMatch: [
      'echo ls | sh',
      "printf '%s\\n' 'ls -l' pwd | bash",
      'make -f other.mk',
      'ed x <<< "1,$p"',
      'sh run.sh',
      'bash -c ls',
      'bash --version',
      'bash <<< ls',
      'bash < run.sh',
      'curl x | sh',
    ],
  },
  {
    id: 'source-input',
    decision: 'deny',
    programs: ['source', '.'],
    because: text('it runs what it reads from its input', '入力から読んだ内容を実行します'),
    suggestion: text('Source a file.', 'ファイルを source してください。'),
    fits: ({ args }) =>
      args.some((word) => /^(\/dev\/|\/proc\/)/.test(word.prefix)) ||
      (args[0] !== undefined && mayBeOption(args[0]) && !isBelowHome(args[0]) && !endsInName(args[0])),
    match: ['. "$HOME/../dev/stdin"', '. /dev/stdin', 'source <(echo ls)', 'source "$x"'],
    notMatch: [
      '. ./env.sh',
      'source .venv/bin/activate',
      'source "./$x"',
      '. "$HOME/.cargo/env"',
      '. "$NVM_DIR/nvm.sh"',
      'source "$(dirname "$0")/lib.sh"',
    ],
  },
  {
    id: 'code-builtin',
    decision: 'deny',
    programs: ['hash', 'alias', 'enable', 'bind', 'complete', 'compgen', 'fc', 'set', 'shopt', 'exec_fd'],
    because: text('it changes what later words of the command mean', 'コマンドの後の語の意味を変えます'),
    suggestion: text('Write the command out instead.', '代わりにコマンドを書き出してください。'),
    fits: ({ program, args, via }, { shell }) => {
      const has = (pattern: RegExp) =>
        args.some((word) => word.value === undefined || pattern.test(word.value));
      switch (program) {
        case 'hash':
          return has(/^-\w*p/);
        case 'alias':
          // bash reads no alias where nobody types.
          return (
            (shell !== 'bash' || via.some(isShell)) &&
            args.some((word) => word.value === undefined || word.value.includes('='))
          );
        case 'enable':
          return has(/^-\w*[fn]/);
        case 'bind':
          // Where nobody types it does nothing but list.
          return has(/^-\w*[xf]/);
        case 'complete':
        case 'compgen':
          return has(/^-\w*[CFW]/);
        case 'fc':
          return true;
        case 'shopt':
          return (
            has(/^(expand_aliases|extglob|sourcepath|globasciiranges|assoc_expand_once)$/) && has(/^-\w*[su]/)
          );
        default: {
          // Behind `--` stand the new words of the script.
          const end = args.findIndex(({ value }) => value === '--');
          return args
            .slice(0, end < 0 ? undefined : end)
            .some(
              ({ value }) => value === undefined || /^[-+]\w*[kB]|^(posix|keyword|braceexpand)$/.test(value),
            );
        }
      }
    },
    match: [
      'hash -p /bin/rm ls',
      "sh -c 'alias ls=x'",
      'enable -f x.so x',
      'shopt -s expand_aliases',
      'fc -s',
      "compgen -C 'rm x' a",
      'bind -x x',
      'set -k',
      'set -o posix',
    ],
    notMatch: [
      "alias ll='ls -la'; ll",
      'hash -r',
      'set -euo pipefail',
      'set -x',
      'shopt -s nullglob',
      'set -- a b',
      'set -- "$@" -v',
      'eval set -- "$(getopt -o ab: -- "$@")"',
      'hash git',
    ],
  },
  lookAlikeRule,
  {
    id: 'odd-name',
    decision: 'deny',
    because: text(
      'the program name is a shell keyword, or contains invisible characters',
      'プログラム名がシェルの予約語か、見えない文字を含みます',
    ),
    suggestion: text('Write the command plainly.', 'コマンドをそのままの形で書いてください。'),
    fits: ({ words }) => {
      const name = words[0]?.value ?? '';
      return (
        /^([{}!]|then|do|else|elif|fi|done|esac|in|function|if|while|until|for|case|select|-)$/.test(name) ||
        (/[^ -~]/.test(name) && /[\p{Cc}\p{Cf}\u2028\u2029]|(?! )\p{Zs}/u.test(name))
      );
    },
    match: ['env { ls', "'if' x", "$'l\\x01s'", 'rm\u00a0-r x'],
    notMatch: ['ls', '[ -f x ]', ': ok'],
  },
];

/** A line of ed that starts a program: `!ls`, `r !ls`. */
const editorEscape = /(?:^|\n)[\d.,$%;+'-]*\s*(?:[rwe]\s*)?!/;

function readsMakefile(args: readonly Word[]): boolean {
  const { given } = readOptions(args, { valued: 'CEfIjloW', longValued: ['file', 'makefile', 'directory'] });
  return given.some(
    ({ name, value }) =>
      /^(f|file|makefile)$/.test(name) && /^(-$|\/dev\/|\/proc\/)/.test(value?.prefix ?? ''),
  );
}

/** `"$NVM_DIR/nvm.sh"`, `"$(dirname "$0")/lib.sh"`: no option, and no input by another name. */
function endsInName(word: Word): boolean {
  const last = word.pieces.at(-1);
  return (
    !word.pieces.some(({ kind }) => kind === 'glob' || kind === 'brace') &&
    last?.kind === 'literal' &&
    /\/[\w.-]*[a-zA-Z][\w-]*\.\w+$|\/activate$/.test(last.text)
  );
}

/** `"$HOME/…"`: no command may change what HOME says. */
function isBelowHome({ pieces }: Word): boolean {
  const [home, path, ...more] = pieces;
  return (
    more.length === 0 &&
    home?.kind === 'variable' &&
    home.name === 'HOME' &&
    home.quoted &&
    path?.kind === 'literal' &&
    /^(\/(?!\.\.?\/)[^/]+)+$/.test(path.text)
  );
}
