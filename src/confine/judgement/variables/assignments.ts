import type { Use } from '../rules/rule.ts';
import { readOptions } from '../words/options.ts';
import { partOf, type Word, wordOf } from '../words/word.ts';
import { isCodeVariable, isItself } from './code-variables.ts';

const harmlessGit =
  /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$|^GIT_(TERMINAL_PROMPT|OPTIONAL_LOCKS|CEILING_DIRECTORIES|DEPTH|LFS_SKIP_SMUDGE|ADVICE|MERGE_AUTOEDIT|DIR|WORK_TREE|INDEX_FILE|TRACE|TRACE2|CURL_VERBOSE|SEQUENCE_NUMBER|REFLOG_ACTION|SHA|COMMIT|BRANCH|TAG|REF|HASH|REV|ROOT|URL|REPO|REMOTE|VERSION|DESCRIBE)$/;
/** Settings of npm that choose no program, folder or registry. */
const harmlessNpm =
  /^npm_config_(loglevel|color|progress|audit|fund|yes|offline|prefer_offline|update_notifier|save|save_exact|engine_strict|legacy_peer_deps|ignore_scripts|production|omit|include|tag|fetch_retries|jobs|build_from_source)$/i;
const runsCode =
  /^(LD_.*|DYLD_.*|BASH_.*|ENV|BASHOPTS|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|ZDOTDIR|GCONV_PATH|LOCPATH|NLSPATH|TEXTDOMAIN.*|PERL5OPT|PERL5LIB|PERL5DB|RUBYOPT|RUBYLIB|PYTHONSTARTUP|PYTHONHOME|PYTHONINSPECT|PYTHONBREAKPOINT|PYTHONWARNINGS|LESSOPEN|LESSCLOSE|TAR_OPTIONS|RSYNC_RSH|CVS_RSH|SSH_ASKPASS|SUDO_ASKPASS|RIPGREP_CONFIG_PATH|CLASSPATH|AWKPATH|AWKLIBPATH|GREP_OPTIONS|EXECIGNORE|FPATH|CDPATH|POSIXLY_CORRECT|XDG_CONFIG_HOME|HOME|FCEDIT|HISTFILE|INPUTRC|npm_config_.*|NPM_CONFIG_.*)$/;
/** action:message:category:module:line, where a category with a dot in it would be imported. */
const harmlessFilter = /^(default|error|always|module|once|ignore)(:[^:]*(:\w*(:[\w.]*(:\d*)?)?)?)?$/;

/** What Node is told of memory, warnings, reports and its debugger; none loads a file. */
const harmlessNode =
  /^--((max-(old|semi)-space-size|max-http-header-size|stack-trace-limit|stack-size|unhandled-rejections|dns-result-order|disable-warning|inspect|inspect-brk|inspect-wait|inspect-port|inspect-publish-uid|trace-[a-z-]+|report-(on-\w+|uncaught-exception|compact)|heapsnapshot-near-heap-limit|network-family-autoselection-attempt-timeout)(=[\w.:[\],-]+)?|no-warnings|enable-source-maps|enable-network-family-autoselection|(no-)?experimental-(vm-modules|strip-types|transform-types|fetch|require-module|detect-module|global-webcrypto|sqlite|webstorage|websocket|default-type=module)|no-(deprecation|network-family-autoselection)|throw-deprecation|pending-deprecation|openssl-legacy-provider|use-(openssl|bundled|system)-ca|expose-gc|preserve-symlinks(-main)?|track-heap-objects|zero-fill-buffers|interpreted-frames-native-stack|perf-(basic-)?prof|force-context-aware|abort-on-uncaught-exception)$/;

/** ssh with a key or a file of known hosts of its own. */
const plainSsh =
  /^(\/usr\/bin\/)?ssh( -[46aCqTvx]+| -[ip] ?[\w./~$-]+| -F ?\/dev\/null| -o ?(StrictHostKeyChecking|UserKnownHostsFile|ConnectTimeout|BatchMode|IdentitiesOnly|IdentityFile|LogLevel|ServerAliveInterval|Port|User)[= ][\w./~-]+)*$/;

/** What these are given is evaluated as arithmetic, and runs what a subscript in it holds (bash, "Shell Variables"). */
const evaluated = /^(RANDOM|SRANDOM|OPTIND|HISTCMD|SECONDS|BASHPID|LINENO)$/;

/** What may part words: with a letter or a digit among them one word is made of two. */
export const separators = /^[ \n\t,:;|./=@-]*$/;

/** Of a prompt, another one may be part: `PS1="(venv) $PS1"`. */
function expandsToCode(name: string, value: Word | undefined): boolean {
  if (name === 'PS4' && value?.value === undefined) return true;
  return (value?.pieces ?? []).some((piece) =>
    piece.kind === 'literal'
      ? /[`]|\$\(|\$\{[^}]*[^\w}]/.test(piece.text)
      : !(piece.kind === 'variable' && /^PS[1-3]$/.test(piece.name)),
  );
}

/** The rule that an assignment to this name breaks, judged by the value where that says enough. */
export function assignmentRule(
  name: string,
  value: Word | undefined,
  /** Later commands are to find it so. */
  lasts = false,
): string | undefined {
  const isCode = isCodeVariable(name, value);
  if (isCode !== undefined) return isCode ? 'code-variable' : undefined;
  if (evaluated.test(name)) return isNumber(value) ? undefined : 'code-variable';
  if (name === 'PATH') return value && extendsPath(value, lasts) ? undefined : 'code-variable';
  if (name === 'IFS')
    return value?.value !== undefined && separators.test(value.value) ? undefined : 'code-variable';
  if (/^(DY)?LD_LIBRARY_PATH$/.test(name)) return namesLibraries(value) ? undefined : 'code-variable';
  // What stands before a traced line is expanded each time, and so is what an interactive shell prompts with.
  if (/^PS[0-4]$/.test(name)) return expandsToCode(name, value) ? 'code-variable' : undefined;
  if (name === 'GIT_SSH_COMMAND' || name === 'GIT_SSH')
    return plainSsh.test(value?.value ?? '') ? undefined : 'code-variable';
  if (name === 'HOME') return isItself(value, name) ? undefined : 'code-variable';
  if (name === 'BASH_XTRACEFD') return /^\d+$/.test(value?.value ?? '') ? undefined : 'code-variable';
  if (name === 'NODE_OPTIONS') {
    const options = value?.value?.split(' ').filter((option) => option !== '');
    return options?.every((option) => harmlessNode.test(option)) ? undefined : 'code-variable';
  }
  if (name === 'PYTHONWARNINGS')
    return (value?.value ?? '.').split(',').every((filter) => harmlessFilter.test(filter))
      ? undefined
      : 'code-variable';
  // With `--eval` or another shell in it make runs what it says.
  if (/^(GNU)?MAKEFLAGS$/.test(name)) {
    const flags = (value?.pieces ?? []).map((piece) =>
      piece.kind === 'literal' ? piece.text : piece.kind === 'unknown' && piece.isNumber ? '1' : '?',
    );
    return /^(\s*(-?[jklsnBi]+[\d.]*|--(jobs|load-average|no-print-directory|silent|output-sync)(=\w+)?))*\s*$/.test(
      flags.join(''),
    )
      ? undefined
      : 'code-variable';
  }
  if (harmlessNpm.test(name)) return undefined;
  if (name.startsWith('GIT_')) return harmlessGit.test(name) ? undefined : 'code-variable';
  return runsCode.test(name) ? 'code-variable' : undefined;
}

function isNumber(value: Word | undefined): boolean {
  return value?.pieces.every(isOfNumbers) ?? false;
}

function isOfNumbers(piece: Word['pieces'][number]): boolean {
  return piece.kind === 'literal'
    ? /^\d*$/.test(piece.text)
    : piece.kind === 'unknown' && piece.isNumber === true;
}

/** `PATH=$PATH:…`, and folders of installed programs before it: no known name changes its meaning. */
function extendsPath(value: Word, lasts: boolean): boolean {
  const [first] = value.pieces;
  if (first?.kind === 'variable' && first.name === 'PATH') {
    const second = value.pieces[1];
    return second === undefined || (second.kind === 'literal' && second.text.startsWith(':'));
  }
  const kept = value.pieces.findIndex((piece) => piece.kind === 'variable' && piece.name === 'PATH');
  const before = value.pieces.slice(0, kept < 0 ? undefined : kept);
  const text = before
    .map((piece) =>
      piece.kind === 'literal' ? piece.text : piece.kind === 'variable' ? `$${piece.name}` : '\0',
    )
    .join('');
  const folders = text.split(':');
  if (kept >= 0 && folders.pop() !== '') return false;
  return folders.every(
    (folder) =>
      (/^\/(usr\/|usr\/local\/)?s?bin$|^\/opt\/[\w./-]+\/s?bin$|^\/usr\/(local|lib)\/[\w./-]+\/bin$/.test(
        folder,
      ) &&
        !folder.includes('..')) ||
      (/^(\$HOME|~)\/(\.?[\w-]+\/)+bin$/.test(folder) && !folder.includes('..')) ||
      /^(\.\/|\$PWD\/|\$\(pwd\)\/)?(node_modules\/\.|\.?venv\/)bin$/.test(folder) ||
      (!lasts && isInstalled(folder)),
  );
}

/** A folder of programs by its whole path, or by a variable or a program that says where it is; none of a place that all may write. */
function isInstalled(folder: string): boolean {
  const isWhole = /^(\$[A-Za-z]\w*|\0|\/[\w.@+-]+)(\/[\w.@+-]+)*\/(\.?s?bin|shims|bin\/\w+)$/.test(folder);
  return isWhole && !/\.\.|^\/(tmp|var\/tmp|dev|proc|run)\//.test(folder);
}

/** `LD_LIBRARY_PATH=$PWD/build/lib:$LD_LIBRARY_PATH`: libraries of a build, from no place that all may write. */
function namesLibraries(value: Word | undefined): boolean {
  const text = (value?.pieces ?? [])
    .map((piece) =>
      piece.kind === 'literal' ? piece.text : piece.kind === 'variable' ? `$${piece.name}` : '\0',
    )
    .join('');
  // The folder itself, wherever that is, holds more than libraries.
  if (text !== '' && text.split(':').some((folder) => /^\.?\/?$/.test(folder))) return false;
  return text
    .split(':')
    .every(
      (folder) =>
        /^(\$[A-Za-z]\w*|\0|[\w.@+-]*)(\/[\w.@+-]+)*\/?$/.test(folder) &&
        !/^\/?(tmp|var\/tmp|dev|proc|run)(\/|$)/.test(folder),
    );
}

export interface Assigned {
  readonly name: string;
  readonly value: Word | undefined;
}

/** Names that a builtin gives values that come from elsewhere: `read`, `printf -v`, `getopts`, `mapfile`. */
export function namesAssigned({ program, args }: Use): readonly Assigned[] {
  const wild = (words: readonly (Word | undefined)[]): Assigned[] =>
    words.flatMap((word) => (word ? [{ name: nameOf(word), value: undefined }] : []));
  switch (program) {
    case 'read': {
      const options = readOptions(args, { valued: 'adinNptu' });
      return [
        ...wild(options.operands),
        ...wild(options.given.filter((o) => o.name === 'a').map((o) => o.value)),
        { name: 'REPLY', value: undefined },
      ];
    }
    case 'printf': {
      const options = readOptions(args.slice(0, 2), { valued: 'v' });
      const given = wild(options.given.filter((option) => option.name === 'v').map((option) => option.value));
      // Whatever is given to `%d`, a number comes of it.
      const format = args[args[0]?.value === '-v' ? 2 : 1]?.value ?? '';
      return /^%0?\d*[diu]$/.test(format) ? given.map(({ name }) => ({ name, value: number })) : given;
    }
    case 'mapfile':
    case 'readarray':
      return [
        ...wild(readOptions(args, { valued: 'dnOsuCc' }).operands),
        { name: 'MAPFILE', value: undefined },
      ];
    case 'getopts':
      return [...wild([args[1]]), { name: 'OPTARG', value: undefined }];
    case 'wait':
      return wild(
        readOptions(args, { valued: 'p' })
          .given.filter((o) => o.name === 'p')
          .map((o) => o.value),
      );
    case 'let':
      return args.flatMap(({ prefix }) =>
        [...prefix.matchAll(/([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)/g)].map(
          (found) => ({
            name: found[1] as string,
            value: number,
          }),
        ),
      );
    case 'export':
    case 'declare':
    case 'typeset':
    case 'local':
    case 'readonly':
      // Written plainly these are assignments of the syntax; `command export x=1` makes them words.
      return args.flatMap((word) => {
        const equals = word.prefix.indexOf('=');
        return equals > 0 && !word.prefix.startsWith('-')
          ? [{ name: nameOf(word), value: partOf(word, equals + 1) }]
          : [];
      });
    default:
      return [];
  }
}

/** Names that are empty, or no map any more, after this: `unset x`, `local x`. */
export function namesUndone({ program, args }: Use): readonly string[] {
  if (!/^(unset|local|declare|typeset)$/.test(program)) return [];
  const isMap = args.some(({ value }) => /^-[a-zA-Z]*A/.test(value ?? ''));
  return args.flatMap(({ value }) =>
    value !== undefined && /^[A-Za-z_]\w*$/.test(value) && !isMap ? [value] : [],
  );
}

/** Second names, and what they are names of: each may hold what was given to the other. */
export function namesShared({ program, args }: Use): readonly string[] {
  if (!/^(local|declare|typeset)$/.test(program)) return [];
  if (!args.some(({ value }) => /^-[a-zA-Z]*n/.test(value ?? ''))) return [];
  return args.flatMap(({ prefix }) => (/^[-+]/.test(prefix) ? [] : prefix.split('=')));
}

/** The result of arithmetic: an unknown number. */
const number = wordOf([{ kind: 'unknown', oneField: true, isNumber: true }], '$((…))');

function nameOf(word: Word): string {
  return /^[A-Za-z_]\w*/.exec(word.prefix)?.[0] ?? word.prefix;
}
