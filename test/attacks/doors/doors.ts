/** A file by which a program outside could be made to run something later. */
export interface Door {
  readonly path: string;
  /**
   * What comes of writing it: `refused`; `asked`, since it is obeyed by itself; `started`, since a person starts what runs
   * it and the threat model lists it; `silent`, since the program that reads it runs nothing of it.
   */
  readonly outcome: 'refused' | 'asked' | 'started' | 'silent';
  readonly proof?: Proof;
}

/** Shows that a file runs nothing: what a person does with the program, and that the program could have been caught. */
export interface Proof {
  readonly needs: string;
  readonly content: string;
  /** An ordinary day with the program, in the folder. */
  readonly outside: string;
  /** The same where it would run: without it the proof could not fail. */
  readonly control: string;
}

const all = (outcome: Door['outcome'], paths: string): readonly Door[] =>
  paths
    .trim()
    .split(/\s+/)
    .map((path) => ({ path, outcome }));

const evilPython = 'import os; os.system("echo ran >> $MARK")\n';

export const doors: readonly Door[] = [
  ...all(
    'refused',
    `.git/hooks/pre-commit .git/config .git/info/attributes sub/.git/hooks/post-checkout sub/.git/modules/x/hooks/pre-push
     .gitconfig .config/git/config .config/git/attributes .hgrc sub/.hg/hgrc .jj/repo/config.toml .config/jj/config.toml .ssh/config .ssh/rc
     .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile
     .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout
     .config/fish/config.fish .config/fish/conf.d/x.fish
     .vscode/tasks.json .vscode/settings.json a/b/.vscode/launch.json .mcp.json .cursor/mcp.json .cursor/hooks.json
     .claude/settings.json .claude/settings.local.json`,
  ),
  ...all(
    'asked',
    `.idea/workspace.xml .idea/runConfigurations/x.xml .idea/watcherTasks.xml .fleet/run.json .zed/settings.json .vs/launch.vs.json
     .helix/languages.toml project.code-workspace .exrc .vimrc .nvimrc .nvim.lua .lvimrc .gvimrc .emacs .dir-locals.el
     sub/.dir-locals.el .emacs.d/init.el .config/nvim/init.lua
     .husky/pre-commit .husky/_/husky.sh .githooks/pre-push .lefthook/pre-commit/x.sh .pre-commit-config.yaml lefthook.yml
     .lefthook-local.yml .overcommit.yml .simple-git-hooks.json
     .envrc sub/.envrc .mise.toml mise.toml .tool-versions .autoenv .config/direnv/direnvrc .config/mise/config.toml
     .config/autostart/x.desktop .config/systemd/user/x.service
     .claude/agents/x.md .gemini/settings.json .codex/config.toml .cursor/rules/x.mdc
     .inputrc .xprofile .pam_environment .gdbinit .lldbinit .pdbrc .irbrc .Rprofile .psqlrc .sqliterc .tmux.conf .lesskey .wgetrc .yashrc .ghci
     .nanorc .my.cnf .mylogin.cnf .perldb .ocamlinit .utoprc .config/julia/startup.jl .julia/config/startup.jl .gnupg/gpg-agent.conf
     .local/share/applications/x.desktop .forward .procmailrc .rhosts
     .cargo/config.toml rust-toolchain.toml`,
  ),
  ...all(
    'started',
    `package.json .npmrc .yarnrc.yml .yarn/releases/yarn.cjs .pnpmfile.cjs binding.gyp
     Makefile Justfile Taskfile.yml Rakefile CMakeLists.txt gradlew build.gradle gradle/wrapper/gradle-wrapper.properties mvnw pom.xml
     build.rs conftest.py setup.py tox.ini noxfile.py eslint.config.js tsconfig.json
     .github/workflows/ci.yml .gitlab-ci.yml .circleci/config.yml Jenkinsfile
     Dockerfile docker-compose.yml .devcontainer/devcontainer.json`,
  ),
  {
    path: '.gitattributes',
    outcome: 'silent',
    proof: {
      needs: 'git',
      content: '* filter=x diff=x merge=x\n',
      outside: 'git status; git diff; git add -A; git commit -qm x; git checkout -q -b o',
      control: `git config filter.x.clean 'sh -c "echo ran >> $MARK; cat"'; git add -A --renormalize`,
    },
  },
  {
    path: '.gitmodules',
    outcome: 'silent',
    proof: {
      needs: 'git',
      content: '[submodule "x"]\n\tpath = x\n\turl = ./x\n\tupdate = !echo ran >> $MARK\n',
      outside: 'git status; git submodule init; git submodule update; git pull; git diff',
      control:
        'git config -f .gitmodules --unset submodule.x.update; git init -q x; git -C x commit -q --allow-empty -m x; git add -f x; git config submodule.x.url ./x; git config submodule.x.update "!echo ran >> $MARK; :"; git -C x commit -q --allow-empty -m y; git submodule update',
    },
  },
  {
    path: 'sitecustomize.py',
    outcome: 'silent',
    proof: {
      needs: 'python3',
      content: evilPython,
      outside: 'python3 -c "print(1)"; echo "print(1)" > a.py; python3 a.py; python3 -m json.tool --help',
      control: 'PYTHONPATH=. python3 -c "print(1)"',
    },
  },
  {
    path: 'x.pth',
    outcome: 'silent',
    proof: {
      needs: 'python3',
      content: evilPython,
      outside: 'python3 -c "print(1)"; python3 -m json.tool --help',
      control: `python3 -c "import site; site.addsitedir('.')"`,
    },
  },
  {
    path: 'notes.txt',
    outcome: 'silent',
    proof: {
      needs: 'vim',
      content: `vim: set foldmethod=expr foldexpr=system('echo\\ ran\\ >>\\ $MARK'):\n`,
      outside: 'vim -es -c quit notes.txt',
      control: `vim -es -c "call system('echo ran >> $MARK')" -c quit notes.txt`,
    },
  },
  {
    path: '.editorconfig',
    outcome: 'silent',
    proof: {
      needs: 'vim',
      content: 'root = true\n[*]\nindent_style = tab\n!echo ran >> $MARK\n',
      outside: 'echo a > a.c; vim -es -c quit a.c',
      control: 'vim -es -c "silent !echo ran >> $MARK" -c quit a.c',
    },
  },
  {
    path: '.nvmrc',
    outcome: 'silent',
    proof: {
      needs: 'bash',
      content: '$(echo ran >> $MARK)\n',
      outside: 'bash -ic "cd .; true"',
      control: 'bash -c "$(sed "s/^..//; s/.$//" .nvmrc)"',
    },
  },
];
