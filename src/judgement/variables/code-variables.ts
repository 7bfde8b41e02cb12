/** Variables whose value is a program or code, by the manuals' ENVIRONMENT: their values decide what else runs. */

/**
 * Viewers, editors and browsers, given by name: less(1), git(1), psql(1), systemctl(1), dpkg(1), gh(1), cargo-doc(1).
 */
const shows =
  /^(PAGER|EDITOR|VISUAL|VIEWER|BROWSER|(GIT|SYSTEMD|PSQL|PSQL_WATCH|DPKG|DEBUGFS|GH|GLAB|AWS|BAT|DELTA|JJ)_PAGER|MANPAGER|(GIT|GIT_SEQUENCE|SYSTEMD|PSQL|GH|SUDO|SVN|KUBE|CSCOPE|JJ)_EDITOR|HGEDITOR|CVSEDITOR|DEFEDITOR|GH_BROWSER|CARGO_(DOC_)?BROWSER)$/;
const shown =
  /^(|none|true|:|false|ed|(cat|head|tail|less|more|most|bat|batcat|delta)( -[FRXSiMnNeEcp]+| --[a-z-]+(=(never|always|auto|plain))?)*|(vi|vim|nvim|nano|micro|hx|emacs|emacsclient|code|codium|subl|zed)( (-w|--wait|-n|-nw|-f|--nofork|-R))*|firefox|chrome|chromium|google-chrome|safari|open|xdg-open|wslview)$/;

/** The shell of other programs: make(1), script(1), ruby(1), autoconf's configure scripts. */
const shells = /^(SHELL|CONFIG_SHELL|MAKESHELL|RUBYSHELL)$/;
const knownShell = /^((\/usr)?\/bin\/)?(sh|bash|dash|zsh|ksh|fish)$/;

/** Options that make a program start others or load code. */
const options: readonly (readonly [names: RegExp, starts: RegExp])[] = [
  // less(1): `+` begins commands, k names a file with them, o names an output file.
  [/^(LESS|MORE|SYSTEMD_LESS)$/, /\+|(^|[\s-])-?\w*[koOTt]|--(lesskey|log|tag)/i],
  [/^GOFLAGS$/, /-(tool)?exec\b|-vettool\b|-overlay\b|-modfile\b/],
  [/^(RUSTFLAGS|RUSTDOCFLAGS|CARGO_(BUILD|ENCODED)_RUSTFLAGS)$/, /linker=[^\s]*\/|--test-(builder|runtool)/],
  [/^(XZ_OPT|XZ_DEFAULTS|GZIP|ZIP|ZIPOPT|UNZIP|UNZIPOPT|ZSTD_CLEVEL)$/, /TT|unzip-command/],
  [/^FZF_DEFAULT_OPTS(_FILE)?$/, /execute|become|preview|reload|transform|bind|with-shell/],
  [
    /^((MAVEN|GRADLE|JAVA|SBT|ANT|KAFKA|CATALINA)_OPTS|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_ARGS)$/,
    /-(javaagent|agent(lib|path))|-XX:(On|Flags|VMOptionsFile)|-Xbootclasspath|-cp\b|-class-?path|-Djava\.(class|ext|security|system)|@/i,
  ],
  [/^(ERL_(A|Z)?FLAGS|ELIXIR_ERL_OPTIONS)$/, /-(eval|run|s|pa|pz|boot|config)\b/],
  [/^(MANOPT|MANROFFOPT)$/, /./],
  [
    /^(OPENSSL_CONF|HGRCPATH|PSQLRC|GOENV|BAT_CONFIG_PATH|CCACHE_CONFIGPATH|TF_CLI_CONFIG_FILE)$/,
    /^(?!\/dev\/null$)(?!off$)(?!\/etc\/)(?!$)/,
  ],
  // go help goauth: `off`, `netrc` and `git DIR` are built in; anything else is a command.
  [/^GOAUTH$/, /(^|;)\s*(?!(off|netrc)\s*(;|$)|git\s+\/?[\w./-]+\s*(;|$))\S/],
];

/**
 * Code, or a file of code that is read at the start: vim(1), lua(1), perlrun(1), php(1), make(1), groff(1), openssl(1),
 * less(1), gcc(1), hg(1), yarn(1), bun(1), emacs(1), gst-launch-1.0(1), curl(1), asdf, mise and direnv.
 */
const code =
  /^(EXINIT|NEXINIT|VIMINIT|GVIMINIT|LUA_INIT(_\d_\d)?|PERLLIB|PERL5SHELL|PHPRC|PHP_INI_SCAN_DIR|MAKEFILES|LESSKEY(IN|_CONTENT|_SYSTEM|IN_SYSTEM)?|LESSEDIT|LESSECHO|LESSGLOBALTAGS|GROFF_BIN_PATH|GROFF_COMMAND_PREFIX|OPENSSL_(ENGINES|MODULES)|SSH_SK_PROVIDER|GTK_(PATH|MODULES)|GIO_EXTRA_MODULES|NODE_REPL_EXTERNAL_MODULE|WGETRC|(SYS)?SCREENRC|EDITRC|MAILCAPS|R_PROFILE(_USER)?|R_ENVIRON(_USER)?|DOTNET_STARTUP_HOOKS|COR(ECLR)?_(PROFILER\w*|ENABLE_PROFILING)|GPROFNG_SSH_REMOTE_DISPLAY|GCC_EXEC_PREFIX|COMPILER_PATH|GOTOOLDIR|VIM|VIMRUNTIME|EMACSLOADPATH|YARN_(YARN_PATH|PLUGINS|RC_FILENAME)|BUN_CONFIG_PRELOAD|GIO_MODULE_DIR|GST_PLUGIN_(PATH|SCANNER|SYSTEM_PATH)(_1_0)?|QT_(PLUGIN_PATH|QPA_PLATFORM_PLUGIN_PATH)|CURL_HOME|DIRENV_CONFIG|ASDF_CONFIG_FILE|MISE_(GLOBAL_)?CONFIG_FILE|MSBUILDSDKSPATH|TEXMFCNF)$/;

/** Does this value let programs run code that was not judged? Undefined if the variable is not in the lists. */
export function isCodeVariable(name: string, value: string): boolean | undefined {
  if (shows.test(name)) return !shown.test(value);
  if (shells.test(name)) return !knownShell.test(value);
  if (code.test(name)) return true;
  return options.find(([names]) => names.test(name))?.[1].test(value);
}
