/** Programs that contain many programs: their first operand chooses one. */
export const multiCall: ReadonlySet<string> = new Set(['busybox', 'toybox', 'coreutils']);

const prefixedByG =
  /^g(rm|chmod|chown|chgrp|dd|timeout|xargs|find|env|nice|nohup|stdbuf|kill|shred|truncate|tee|cp|mv|install|base64|base32|basenc|tar|sed|awk|chroot|time|test)$/;

/** The program that a command's first word names: `/bin/RM.exe` is `rm`, Homebrew's `gtimeout` is `timeout`. */
export function programOf(name: string): string {
  // Most names are only letters: at most a g is removed.
  if (/^[a-z]+$/.test(name)) return name.startsWith('g') && prefixedByG.test(name) ? name.slice(1) : name;
  const base = name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.(exe|com|cmd|bat)$/, '')
    // `npx npm@10` is npm, the Rust sudo is sudo, and Debian's vim.tiny is vim.
    .replace(/(?<=.)@[\w.^~*-]+$/, '')
    .replace(/^(sudo|su|visudo)-rs$/, '$1')
    .replace(/^(vim)\.\w+$|^(valgrind)\.bin$/, '$1$2')
    // zsh finds a program by `=name`, and has its own file commands.
    .replace(/^=?(zf_)?/, '')
    // mkfs.ext4, newfs_hfs, python3.11: one program with many names.
    .replace(/^(mkfs\b|newfs)[._].*$/, '$1')
    .replace(/^(python\d?|pip\d?|perl\d?|ruby|gem|bundle|bundler|easy_install)-?\d?(\.\d+)+$/, '$1')
    .replace(/^(pip|easy_install)-?(\d)$/, (_, name, digit) => (name === 'pip' ? `pip${digit}` : name));
  return prefixedByG.test(base) ? base.slice(1) : base;
}

export const posixShells: ReadonlySet<string> = new Set(['sh', 'dash', 'ash', 'bash', 'rbash']);
/** Shells whose grammar is close enough to bash's for simple scripts; other scripts are refused. */
export const cousinShells: ReadonlySet<string> = new Set('zsh ksh mksh ksh93 yash oksh lksh'.split(' '));
/** Shells with another language. */
export const foreignShells: ReadonlySet<string> = new Set(
  'fish csh tcsh pwsh powershell cmd nu xonsh elvish'.split(' '),
);

export const shells: ReadonlySet<string> = new Set([...posixShells, ...cousinShells, ...foreignShells]);

export function isShell(program: string): boolean {
  return shells.has(program);
}

/** Interpreters of languages that programs are written in. */
export const languages: readonly string[] = [
  ...['python', 'python2', 'python3', 'pypy', 'pypy3', 'perl', 'ruby', 'php', 'lua', 'luajit', 'tclsh'],
  ...['node', 'nodejs', 'deno', 'bun', 'rscript'],
];

/** Programs that run their input: shells, and interpreters that read a program from standard input. */
export const interpreters: readonly string[] = [
  ...shells,
  ...languages,
  ...['expect', 'guile', 'osascript', 'awk', 'gawk', 'mawk', 'nawk', 'gdb', 'm4', 'make', 'at', 'batch'],
  ...['sqlite3', 'psql', 'mysql', 'ed', 'ex', 'vim', 'vi'],
];

const fetchers = new Set([
  ...['curl', 'wget', 'fetch', 'aria2c', 'http', 'https', 'xh'],
  ...['nc', 'ncat', 'netcat', 'socat'],
]);

/** Does the program print data from the network? */
export function isFetcher(program: string): boolean {
  return fetchers.has(program);
}
