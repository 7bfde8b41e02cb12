import { type Text, text } from '../../contract/text/text.ts';

/**
 * Project files that a program outside obeys without being asked: an editor that opens the folder, a hook at the next
 * commit, a shell that enters it. Not included is what a person starts knowing that it runs the project's code (package
 * scripts, a Makefile, tests, CI).
 */
export const obeyedLater: readonly { readonly paths: string; readonly by: Text }[] = [
  {
    paths: '**/{.idea,.fleet,.zed,.vs,.helix,.emacs.d,.config/nvim,.config/helix,.config/zed}/**',
    by: text('an editor that opens the folder', 'フォルダーを開くエディター'),
  },
  {
    paths:
      '**/{*.code-workspace,.exrc,.vimrc,.gvimrc,.nvimrc,.nvim.lua,.lvimrc,.emacs,.nanorc,.dir-locals.el,.dir-locals-2.el}',
    by: text('an editor that opens a file of the folder', 'フォルダーのファイルを開くエディター'),
  },
  {
    paths: '**/{.husky,.githooks,.lefthook,.lefthook-local}/**',
    by: text('git, at the next commit or checkout', '次のコミットまたはチェックアウト時の git'),
  },
  {
    paths:
      '**/{.pre-commit-config.yaml,.pre-commit-config.yml,{,.}lefthook{,-local}.{yml,yaml,json,toml},.overcommit.yml,.simple-git-hooks.*}',
    by: text('git, at the next commit', '次のコミット時の git'),
  },
  {
    paths: '**/{.envrc,.direnvrc,{,.}mise{,.local}.toml,.rtx.toml,.tool-versions,.autoenv,.autoenv.zsh}',
    by: text('a shell that enters the folder', 'フォルダーに入るシェル'),
  },
  {
    paths:
      '**/{.config/{direnv,mise,autostart,systemd,environment.d,tmux,gdb,xonsh,nushell,powershell,elvish,julia,lesskey},.julia/config,.elvish,.gnupg,.local/share/applications,.forward,.procmailrc,.rhosts,.shosts}/**',
    by: text('the next session of the person', '次のログインセッション'),
  },
  {
    paths: '**/{.cursor,.claude,.gemini,.codex,.windsurf,.continue,.roo,.opencode}/**',
    by: text('an agent that is started in the folder', 'フォルダーで起動されるエージェント'),
  },
  {
    paths:
      '**/{.inputrc,.xprofile,.xinitrc,.xsession,.xsessionrc,.pam_environment,.gdbinit,.lldbinit,.pdbrc,.irbrc,.pryrc,.Rprofile,.ghci,.iex.exs,.erlang,.guile,.octaverc,.psqlrc,.sqliterc,.my.cnf,.mylogin.cnf,.perldb,.ocamlinit,.utoprc,.lftprc,.tmux.conf,.screenrc,.lesskey,.lessfilter,.editrc,.mailcap,.wgetrc,.curlrc,.yashrc,.xonshrc,.esrc}',
    by: text(
      'a shell, a session or a debugger that starts there',
      'そこで起動するシェル、セッション、デバッガー',
    ),
  },
  {
    paths: '**/{.cargo/config,.cargo/config.toml,rust-toolchain,rust-toolchain.toml}',
    by: text('cargo, which editors start by themselves', 'エディターが自動で起動する cargo'),
  },
];
