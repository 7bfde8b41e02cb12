import { posix } from 'node:path';
import type { KeepBase } from '../../contract/capabilities/judgement.ts';
import { isBelow, isInside } from '../../ground/inside.ts';
import { isCodeVariable } from './code-variables.ts';

/** May a variable of an ended shell stay for the session's next commands? Not if its value makes programs run code. */
export function mayKeepVariable(name: string, value: string, base: KeepBase): boolean {
  if (!/^[A-Za-z_]\w*$/.test(name)) return false;
  // Later lines are read on their own, so word splitting must be the default.
  if (name === 'IFS' || name === 'HOME') return false;
  const isCode = isCodeVariable(name, value);
  if (isCode !== undefined) return !isCode;
  if (evaluated.test(name) || name === 'BASH_XTRACEFD') return /^\d+$/.test(value);
  if (name === 'PATH') return extendsPath(value, base);
  if (/^(DY)?LD_LIBRARY_PATH$/.test(name)) return namesLibraries(value);
  // The prefix of traced lines is expanded each time, and so is a prompt.
  if (/^PS[0-4]$/.test(name)) return !/`|\$\(|\$\{[^}]*[^\w}]/.test(value);
  if (name === 'GIT_SSH_COMMAND' || name === 'GIT_SSH') return plainSsh.test(value);
  if (name === 'NODE_OPTIONS')
    return value.split(' ').every((option) => option === '' || harmlessNode.test(option));
  if (name === 'PYTHONWARNINGS') return value.split(',').every((filter) => harmlessFilter.test(filter));
  // With `--eval` or another shell in it, make runs code from its value.
  if (/^(GNU)?MAKEFLAGS$/.test(name)) return harmlessMake.test(value);
  if (harmlessNpm.test(name)) return true;
  if (name.startsWith('GIT_')) return harmlessGit.test(name);
  return !runsCode.test(name);
}

/** The shell's original path, extended by folders of the project and of installed programs. */
function extendsPath(value: string, { path, home, roots }: KeepBase): boolean {
  const at = `:${value}:`.indexOf(`:${path}:`);
  const before = at < 0 ? value : value.slice(0, Math.max(0, at - 1));
  if (at === 0) return true;
  return before.split(':').every((folder) => {
    if (folder === '' || posix.normalize(folder) !== folder) return false;
    const local = /^(\/.*)\/((?:node_modules\/\.|\.?venv\/)bin)$/.exec(folder)?.[1];
    if (local !== undefined && roots.some((root) => isInside(local, root))) return true;
    return installed.test(folder) || ofHome.test(isBelow(folder, home) ? folder.slice(home.length) : '');
  });
}

const installed =
  /^\/(usr\/|usr\/local\/)?s?bin$|^\/opt\/[\w./-]+\/s?bin$|^\/usr\/(local|lib)\/[\w./-]+\/bin$/;
const ofHome = /^\/(\.?[\w-]+\/)+bin$/;

/** `LD_LIBRARY_PATH=…/build/lib`: libraries of a build, in no folder that everyone may write. */
function namesLibraries(value: string): boolean {
  return (
    value === '' ||
    value
      .split(':')
      .every(
        (folder) =>
          !/^\.?\/?$/.test(folder) &&
          /^[\w.@+-]*(\/[\w.@+-]+)*\/?$/.test(folder) &&
          !/^\/?(tmp|var\/tmp|dev|proc|run)(\/|$)/.test(folder),
      )
  );
}

const harmlessMake =
  /^(\s*(-?[jklsnBi]+[\d.]*|--(jobs|load-average|no-print-directory|silent|output-sync)(=\w+)?))*\s*$/;
/** Values of these are evaluated as arithmetic (bash, "Shell Variables"). */
const evaluated = /^(RANDOM|SRANDOM|OPTIND|HISTCMD|SECONDS|BASHPID|LINENO)$/;
const harmlessGit =
  /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$|^GIT_(TERMINAL_PROMPT|OPTIONAL_LOCKS|CEILING_DIRECTORIES|DEPTH|LFS_SKIP_SMUDGE|ADVICE|MERGE_AUTOEDIT|DIR|WORK_TREE|INDEX_FILE|TRACE|TRACE2|CURL_VERBOSE|SEQUENCE_NUMBER|REFLOG_ACTION|SHA|COMMIT|BRANCH|TAG|REF|HASH|REV|ROOT|URL|REPO|REMOTE|VERSION|DESCRIBE)$/;
/** Settings of npm that choose no program, folder or registry. */
const harmlessNpm =
  /^npm_config_(loglevel|color|progress|audit|fund|yes|offline|prefer_offline|update_notifier|save|save_exact|engine_strict|legacy_peer_deps|ignore_scripts|production|omit|include|tag|fetch_retries|jobs|build_from_source)$/i;
const runsCode =
  /^(LD_.*|DYLD_.*|BASH_.*|ENV|BASHOPTS|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|ZDOTDIR|GCONV_PATH|LOCPATH|NLSPATH|TEXTDOMAIN.*|PERL5OPT|PERL5LIB|PERL5DB|RUBYOPT|RUBYLIB|PYTHONSTARTUP|PYTHONHOME|PYTHONINSPECT|PYTHONBREAKPOINT|PYTHONWARNINGS|LESSOPEN|LESSCLOSE|TAR_OPTIONS|RSYNC_RSH|CVS_RSH|SSH_ASKPASS|SUDO_ASKPASS|RIPGREP_CONFIG_PATH|CLASSPATH|AWKPATH|AWKLIBPATH|GREP_OPTIONS|EXECIGNORE|FPATH|CDPATH|POSIXLY_CORRECT|XDG_CONFIG_HOME|HOME|FCEDIT|HISTFILE|INPUTRC|npm_config_.*|NPM_CONFIG_.*)$/;
/** action:message:category:module:line; a category with a dot in it would be imported. */
const harmlessFilter = /^(default|error|always|module|once|ignore)(:[^:]*(:\w*(:[\w.]*(:\d*)?)?)?)?$/;

/** Node's options about memory, warnings, reports and the debugger; none loads a file. */
const harmlessNode =
  /^--((max-(old|semi)-space-size|max-http-header-size|stack-trace-limit|stack-size|unhandled-rejections|dns-result-order|disable-warning|inspect|inspect-brk|inspect-wait|inspect-port|inspect-publish-uid|trace-[a-z-]+|report-(on-\w+|uncaught-exception|compact)|heapsnapshot-near-heap-limit|network-family-autoselection-attempt-timeout)(=[\w.:[\],-]+)?|no-warnings|enable-source-maps|enable-network-family-autoselection|(no-)?experimental-(vm-modules|strip-types|transform-types|fetch|require-module|detect-module|global-webcrypto|sqlite|webstorage|websocket|default-type=module)|no-(deprecation|network-family-autoselection)|throw-deprecation|pending-deprecation|openssl-legacy-provider|use-(openssl|bundled|system)-ca|expose-gc|preserve-symlinks(-main)?|track-heap-objects|zero-fill-buffers|interpreted-frames-native-stack|perf-(basic-)?prof|force-context-aware|abort-on-uncaught-exception)$/;

/** ssh with a key or known-hosts file of its own. */
const plainSsh =
  /^(\/usr\/bin\/)?ssh( -[46aCqTvx]+| -[ip] ?[\w./~$-]+| -F ?\/dev\/null| -o ?(StrictHostKeyChecking|UserKnownHostsFile|ConnectTimeout|BatchMode|IdentitiesOnly|IdentityFile|LogLevel|ServerAliveInterval|Port|User)[= ][\w./~-]+)*$/;
