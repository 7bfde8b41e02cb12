import type { WrapperGrammar } from './head.ts';

const first: WrapperGrammar = { operands: 1 };
const run: WrapperGrammar = { verbs: ['run'] };
const exec: WrapperGrammar = { verbs: ['exec'] };
const sudo: WrapperGrammar = {
  valued: 'CDghpRrTtUu',
  longValued: [
    ...['close-from', 'chdir', 'group', 'host', 'prompt', 'chroot', 'role', 'command-timeout', 'type'],
    ...['other-user', 'user'],
  ],
  assignments: true,
};
const conda: WrapperGrammar = { verbs: ['run'], valued: 'np', longValued: ['name', 'prefix', 'cwd'] };
const npx: WrapperGrammar = { valued: 'pc', longValued: ['package', 'call'] };

/** Programs that are put before another command, with their options that take a value. */
export const wrappers: ReadonlyMap<string, WrapperGrammar> = new Map<string, WrapperGrammar>([
  ['nice', { valued: 'n', longValued: ['adjustment'] }],
  ['ionice', { valued: 'cnpPu', longValued: ['class', 'classdata', 'pid', 'pgid', 'uid'] }],
  ['nohup', {}],
  ['setsid', {}],
  ['timeout', { valued: 'ks', longValued: ['kill-after', 'signal'], operands: 1 }],
  ['stdbuf', { valued: 'ioe', longValued: ['input', 'output', 'error'] }],
  ['time', { valued: 'fo', longValued: ['format', 'output'] }],
  ['command', {}],
  ['builtin', {}],
  ['exec', { valued: 'a' }],
  ['noglob', {}],
  ['sudo', sudo],
  ['doas', { valued: 'uCa' }],
  ['pkexec', { longValued: ['user'] }],
  ['gosu', first],
  ['su-exec', first],
  ['chroot', { longValued: ['groups', 'userspec'], operands: 1 }],
  ['taskset', first],
  ['chrt', { valued: 'TPD', operands: 1 }],
  // An architecture may follow setarch; it is also a name of the program.
  ...'setarch linux32 linux64 uname26 i386 i486 i586 i686 x86_64 aarch64 armv7l'
    .split(' ')
    .map((name) => [name, {}] as const),
  ['choom', { valued: 'np', longValued: ['adjust', 'pid'] }],
  ['cpulimit', { valued: 'lpePc', longValued: ['limit', 'pid', 'exe', 'path', 'cpu'] }],
  [
    'setpriv',
    { longValued: ['reuid', 'regid', 'ruid', 'euid', 'rgid', 'egid', 'groups', 'inh-caps', 'bounding-set'] },
  ],
  ['dbus-run-session', { longValued: ['config-file', 'dbus-daemon'] }],
  ['ssh-agent', { valued: 'aEPt' }],
  ['valgrind', {}],
  ['catchsegv', {}],
  ['perf', { verbs: ['stat', 'record', 'trace'], valued: 'eoFIrC' }],
  ['numactl', { valued: 'iNmpCP' }],
  ['unbuffer', {}],
  ['faketime', first],
  ['fakeroot', { valued: 'lsib' }],
  ['eatmydata', {}],
  ['torsocks', {}],
  ['proxychains', { valued: 'f' }],
  ['proxychains4', { valued: 'f' }],
  ['dumb-init', { valued: 'r' }],
  ['tini', { valued: 'ep' }],
  ['xvfb-run', { valued: 'enfpsw', longValued: ['server-args', 'server-num'] }],
  ['unshare', { valued: 'SGRw' }],
  ['systemd-inhibit', {}],
  [
    'strace',
    { valued: 'aeEIobpPsSuUX', longValued: ['output', 'trace', 'string-limit', 'env', 'user', 'attach'] },
  ],
  ['ltrace', { valued: 'aADeFlnopsuwxX' }],
  ['chronic', {}],
  ['ifne', {}],
  ['caffeinate', { valued: 'tw' }],
  ['prlimit', { valued: 'po' }],
  ['sshpass', { valued: 'fdpP' }],
  ['watch', { valued: 'nqs', longValued: ['interval', 'equexit', 'shotsdir'], joined: true }],
]);

/** Package and version managers that run a program of a project. */
export const runners: ReadonlyMap<string, WrapperGrammar> = new Map<string, WrapperGrammar>([
  ['npx', npx],
  ['bunx', {}],
  ['pnpx', {}],
  ['uvx', { valued: 'p', longValued: ['from', 'with', 'python'] }],
  ['npm', { ...npx, verbs: ['exec', 'x'], longValued: ['package', 'call', 'workspace', 'prefix'] }],
  ['pnpm', { verbs: ['exec', 'dlx'], valued: 'CF', longValued: ['filter', 'dir', 'package'] }],
  ['yarn', { verbs: ['exec', 'dlx'], valued: 'p', longValued: ['package', 'cwd'] }],
  ['bun', { verbs: ['x'] }],
  ['bundle', { ...exec, longValued: ['gemfile'] }],
  [
    'uv',
    {
      verbs: ['run'],
      valued: 'p',
      longValued: ['with', 'python', 'extra', 'group', 'project', 'directory', 'package', 'env-file'],
    },
  ],
  ['poetry', run],
  ['pipenv', run],
  ['pdm', run],
  ['pixi', run],
  ['rye', run],
  ['hatch', run],
  ['pipx', { verbs: ['run'], longValued: ['spec', 'python'] }],
  ['conda', conda],
  ['mamba', conda],
  ['micromamba', conda],
  ['direnv', { verbs: ['exec'], operands: 1 }],
  ['mise', { verbs: ['exec', 'x'] }],
  ['asdf', exec],
  ['rbenv', exec],
  ['pyenv', exec],
  ['nvm', { verbs: ['exec'], operands: 1 }],
  ['doppler', run],
  ['cross-env', { assignments: true }],
  ['cross-env-shell', { assignments: true, joined: true }],
  ['dotenv', { valued: 'efvp' }],
  ['dotenvx', { verbs: ['run'], valued: 'f', longValued: ['env-file'] }],
]);
