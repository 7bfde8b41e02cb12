/** Commands that print one number and nothing that a file or its name could bring in. */
export const counters: Readonly<Record<string, RegExp>> = {
  wc: /^-[lwcm]+$/,
  id: /^-[ugG]$/,
  nproc: /^--all$/,
  date: /^\+(%[sYmdHMSNj])+$/,
  tput: /^(cols|lines|colors)$/,
  seq: /^-?\d{1,15}$/,
  getconf: /^_?[A-Z][A-Z0-9_]*$/,
};

/** Programs that print settings of a shell for it to `eval`, by their manuals; and the words that make them do so. */
const settings: Readonly<Record<string, RegExp>> = {
  direnv: /^(export|hook) (bash|zsh)$/,
  'ssh-agent': /^(-s)?$/,
  brew: /^shellenv( bash| zsh)?$/,
  ...{ rbenv: init(), pyenv: init(), nodenv: init(), goenv: init(), jenv: init() },
  opam: /^(config )?env$/,
  fnm: /^env( --use-on-cd| --shell bash| --shell zsh)*$/,
  mise: /^(activate|env)( -s)?( bash| zsh)?$/,
  conda: /^shell\.(bash|zsh|posix) hook$/,
  ...{ zoxide: /^init (bash|zsh|posix)$/, starship: /^init (bash|zsh)$/ },
  dircolors: /^(-b)?$/,
  minikube: /^docker-env$/,
  luarocks: /^path( --bin)?$/,
};

function init(): RegExp {
  return /^(virtualenv-)?init (--path|-)( -| --path| --no-rehash| bash| zsh)*$/;
}

/** Does this command print nothing but such settings? */
export function settingsOf([program = '', ...words]: readonly string[]): boolean {
  return Object.hasOwn(settings, program) && settings[program]?.test(words.join(' ')) === true;
}

/** Programs whose output the judge takes for what it says: a function of such a name could print anything. */
export function isTrustedName(name: string): boolean {
  return (
    Object.hasOwn(counters, name) ||
    Object.hasOwn(settings, name) ||
    /^(printf|getopt|stat|grep|mktemp|pwd|cd|read|mapfile|readarray|which|command|type|realpath|readlink)$/.test(
      name,
    )
  );
}
