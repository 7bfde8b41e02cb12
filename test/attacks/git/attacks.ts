/** One way to have the next `git` of a person run a program. `evil` is a program that leaves a mark. */
export interface GitAttack {
  readonly title: string;
  /** What the person has set up before, in the repository that is served. */
  readonly before?: string | undefined;
  /** What the command does. Run by bash in the root. */
  readonly plant: string;
  /** What the person does afterwards, in the root; default: an ordinary day. */
  readonly later?: string;
  /** Landlock alone does not hold it: the person's own settings name a file of the working tree. */
  readonly passesLandlock?: true;
}

const day = `
git status
git log -p -1
git diff HEAD
git add -A
git commit --allow-empty -m day
git checkout -q -b other
git pull origin main
`;

/** The same in a folder below the root. */
function dayIn(folder: string): string {
  return `cd ${folder} && {\n${day}}`;
}

function bareIn(folder: string): string {
  return `mkdir -p ${folder}/objects ${folder}/refs; echo "ref: refs/heads/main" >${folder}/HEAD;
printf "[core]\\nbare = true\\n[alias]\\nst = !$PWD/evil\\n" >${folder}/config`;
}

export { day };

export const gitAttacks: readonly GitAttack[] = [
  { title: 'a hook', plant: 'cp evil .git/hooks/pre-commit' },
  { title: 'a hook of checkouts', plant: 'cp evil .git/hooks/post-checkout' },
  { title: 'a hook as a link', plant: 'ln -s ../../evil .git/hooks/pre-commit' },
  { title: 'hooks by configuration', plant: 'mkdir h; cp evil h/pre-commit; git config core.hooksPath h' },
  {
    title: 'hooks where there was no folder',
    before: 'rm -r .git/hooks',
    plant: 'mkdir .git/hooks; cp evil .git/hooks/pre-commit',
  },
  {
    title: 'a folder of hooks moved there',
    before: 'rm -r .git/hooks',
    plant: 'mkdir h; cp evil h/pre-commit; mv h .git/hooks',
  },
  {
    title: 'a link as folder of hooks',
    before: 'rm -r .git/hooks',
    plant: 'mkdir h; cp evil h/pre-commit; ln -s ../h .git/hooks',
  },
  {
    title: 'hooks in a folder that the person configured',
    before: 'mkdir .githooks; git config core.hooksPath .githooks',
    plant: 'cp evil .githooks/pre-commit',
    passesLandlock: true,
  },
  { title: 'a monitor of files', plant: 'git config core.fsmonitor "$PWD/evil"' },
  {
    title: 'a monitor, written into the file',
    plant: 'printf "[core]\\nfsmonitor = $PWD/evil\\n" >>.git/config',
  },
  {
    title: 'a configuration in place of the other',
    plant: 'cp .git/config c; printf "[core]\\nfsmonitor = $PWD/evil\\n" >>c; mv -f c .git/config',
  },
  {
    title: 'a whole .git in place of the other',
    plant: 'cp -r .git g; printf "[core]\\nfsmonitor = $PWD/evil\\n" >>g/config; mv .git old; mv g .git',
  },
  {
    title: 'a link as .git',
    plant: 'cp -r .git g; printf "[core]\\nfsmonitor = $PWD/evil\\n" >>g/config; mv .git old; ln -s g .git',
  },
  {
    title: 'a file as .git',
    plant:
      'cp -r .git g; printf "[core]\\nfsmonitor = $PWD/evil\\n" >>g/config; mv .git old; echo "gitdir: g" >.git',
  },
  {
    title: 'a filter',
    plant: 'git config filter.x.clean "$PWD/evil"; echo "* filter=x" >.gitattributes; echo y >>a',
  },
  {
    title: 'a filter that stays',
    plant: 'git config filter.x.process "$PWD/evil"; echo "* filter=x" >.gitattributes; echo y >>a',
  },
  {
    title: 'a filter by attributes of the repository',
    plant:
      'git config filter.x.clean "$PWD/evil"; mkdir -p .git/info; echo "* filter=x" >.git/info/attributes; echo y >>a',
  },
  {
    title: 'text of a binary',
    plant: 'git config diff.x.textconv "$PWD/evil"; echo "* diff=x" >.gitattributes; echo y >>a',
  },
  { title: 'a program for differences', plant: 'git config diff.external "$PWD/evil"; echo y >>a' },
  {
    title: 'a program for one kind of difference',
    plant: 'git config diff.x.command "$PWD/evil"; echo "* diff=x" >.gitattributes; echo y >>a',
  },
  { title: 'a pager', plant: 'git config core.pager "$PWD/evil"', later: 'git --paginate log' },
  { title: 'a pager of one command', plant: 'git config pager.log "$PWD/evil"', later: 'git log' },
  {
    title: 'an editor',
    plant: 'git config core.editor "$PWD/evil"',
    later: 'unset GIT_EDITOR; git commit --allow-empty',
  },
  { title: 'an alias', plant: 'git config alias.st "!$PWD/evil"', later: 'git st' },
  {
    title: 'an alias with a setting',
    plant: 'git config alias.st "-c core.fsmonitor=$PWD/evil status"',
    later: 'git st',
  },
  {
    title: 'the program for ssh',
    plant: 'git config core.sshCommand "$PWD/evil"; git config remote.origin.url ssh://localhost/x',
    later: 'git fetch',
  },
  {
    title: 'a proxy',
    plant: 'git config core.gitProxy "$PWD/evil"; git config remote.origin.url git://localhost/x',
    later: 'git fetch',
  },
  {
    title: 'the other side of a fetch',
    plant: 'git config remote.origin.uploadpack "$PWD/evil"',
    later: 'git fetch',
  },
  {
    title: 'the other side of a push',
    plant: 'git config remote.origin.receivepack "$PWD/evil"',
    later: 'git push origin main',
  },
  {
    title: 'an address that is a command',
    plant: 'git config protocol.ext.allow always; git config remote.origin.url "ext::$PWD/evil"',
    later: 'git fetch',
  },
  {
    title: 'a helper for passwords',
    plant: 'git config credential.helper "!$PWD/evil"',
    later: 'echo url=https://x.invalid | git credential fill',
  },
  {
    title: 'a program for signatures',
    plant: 'git config commit.gpgSign true; git config gpg.program "$PWD/evil"',
  },
  {
    title: 'a driver for merges',
    plant: 'git config merge.x.driver "$PWD/evil"; echo "* merge=x" >.gitattributes',
    later:
      'git add -A; git commit -qm 1; git checkout -qb o HEAD~1; echo o >a; git add a; git commit -qm 2; git checkout -q main; echo m >a; git commit -qam 3; git merge o',
  },
  {
    title: 'a trailer',
    plant: 'git config trailer.x.command "$PWD/evil"',
    later: 'echo m | git interpret-trailers --trailer x=1',
  },
  {
    title: 'an include',
    plant: 'printf "[core]\\nfsmonitor = $PWD/evil\\n" >inc; git config include.path "$PWD/inc"',
  },
  {
    title: 'an include on a condition',
    plant:
      'printf "[core]\\nfsmonitor = $PWD/evil\\n" >inc; git config "includeIf.gitdir:**.path" "$PWD/inc"',
  },
  {
    title: 'a file that the person includes',
    before: 'printf "[pull]\\nrebase = false\\n" >shared.conf; git config include.path ../shared.conf',
    plant: 'printf "[core]\\nfsmonitor = $PWD/evil\\n" >>shared.conf',
    passesLandlock: true,
  },
  {
    title: 'a configuration of the worktree',
    before: 'git config extensions.worktreeConfig true',
    plant: 'printf "[core]\\nfsmonitor = $PWD/evil\\n" >.git/config.worktree',
  },
  {
    title: 'another common folder',
    plant: 'cp -r .git c; printf "[core]\\nfsmonitor = $PWD/evil\\n" >>c/config; echo ../c >.git/commondir',
  },
  {
    title: 'another common folder, by way of a link',
    plant:
      'mkdir -p d/e; cp -r .git d/c; printf "[core]\\nfsmonitor = $PWD/evil\\n" >>d/c/config; ln -s ../d/e .git/l; echo l/../c >.git/commondir',
  },
  {
    title: 'a repository below',
    plant: 'git init -q sub; git -C sub config core.fsmonitor "$PWD/evil"',
    later: dayIn('sub'),
  },
  {
    title: 'a hook in a repository below',
    plant: 'git init -q sub; mkdir -p sub/.git/hooks; cp evil sub/.git/hooks/pre-commit',
    later: dayIn('sub'),
  },
  {
    title: 'a repository below that is not written down as text',
    plant: `git init -q "$(printf 's\\377b')"; git -C s*b config core.fsmonitor "$PWD/evil"`,
    later: dayIn('s*b'),
  },
  {
    title: 'a repository where nobody looks',
    plant:
      'mkdir -p node_modules; git init -q node_modules/x; git -C node_modules/x config core.fsmonitor "$PWD/evil"',
    later: dayIn('node_modules/x'),
  },
  {
    title: 'a hook in a repository that the person has below',
    before: 'git init -q -b main sub; git -C sub commit -q --allow-empty -m s; mkdir -p sub/.git/hooks',
    plant: 'cp evil sub/.git/hooks/pre-commit',
    later: dayIn('sub'),
  },
  {
    title: 'the configuration of a submodule',
    before:
      'git init -q -b main ../lib; git -C ../lib commit -q --allow-empty -m l; git -c protocol.file.allow=always submodule add -q "$PWD/../lib" lib; git commit -qm lib',
    plant: 'printf "[core]\\nfsmonitor = $PWD/evil\\n" >>.git/modules/lib/config',
  },
  {
    title: 'a submodule made on the spot',
    plant:
      'git init -q m; git -C m -c user.name=x -c user.email=x commit -q --allow-empty -m m; git add m; git -C m config core.fsmonitor "$PWD/evil"',
  },
  {
    title: 'a linked worktree',
    before: 'git worktree add -q wt',
    plant:
      'cp -r .git c; printf "[core]\\nfsmonitor = $PWD/evil\\n" >>c/config; echo "$PWD/c" >.git/worktrees/wt/commondir',
    later: dayIn('wt'),
  },
  {
    title: 'the pointer of a linked worktree',
    before: 'git worktree add -q wt',
    plant:
      'cp -r .git c; printf "[core]\\nfsmonitor = $PWD/evil\\n" >>c/config; echo "gitdir: $PWD/c" >wt/.git',
    later: dayIn('wt'),
  },
  { title: 'a bare repository', plant: bareIn('D'), later: 'cd D; git st' },
  {
    title: 'a bare repository in place of a folder',
    before: 'mkdir src; echo c >src/c',
    plant: bareIn('src'),
    later: 'cd src; git st',
  },
  {
    title: 'a repository inside .git',
    plant:
      'git init -q .git/x; git -C .git/x config core.fsmonitor "$PWD/evil"; mkdir y; echo "gitdir: ../.git/x/.git" >y/.git',
    later: dayIn('y'),
  },
  {
    title: 'a rebase under way',
    plant:
      'git rev-parse HEAD >x; mkdir .git/rebase-merge; cd .git/rebase-merge; cp ../../x onto; cp ../../x orig-head; echo refs/heads/main >head-name; echo "exec $PWD/../../evil" >git-rebase-todo; : >done; echo 1 >end; echo 1 >msgnum; : >interactive',
    later: 'git rebase --continue',
  },
  {
    title: 'a work tree elsewhere',
    plant:
      'git config core.worktree "$PWD/w"; mkdir w; printf "[core]\\nfsmonitor = $PWD/evil\\n" >>.git/config',
  },
  {
    title: 'a section that is called as what every object has',
    plant: 'printf "[constructor]\\nname = x\\n[core]\\nfsmonitor = $PWD/evil\\n" >>.git/config',
  },
  {
    title: 'a section in a repository below that is called as what every object has',
    plant:
      'git init -q sub; printf "[constructor]\\nname = x\\n[core]\\nfsmonitor = $PWD/evil\\n" >>sub/.git/config',
    later: dayIn('sub'),
  },
  {
    title: 'a value that holds lines',
    plant:
      'git config branch.main.description "$(printf "x\\n[core]\\nfsmonitor = $PWD/evil")"; c=$(readlink .git/config || echo .git/config); sed -i "s/\\\\\\\\n/\\n/g" "$c"',
  },
  {
    title: 'a line that goes on',
    plant: 'printf "[user]\\nname = x\\\\\\n\\n[core]\\nfsmonitor = $PWD/evil\\n" >>.git/config',
  },
  {
    title: 'a comment that ends early for some',
    plant: 'printf "[user]\\nname = x # \\r\\n[core]\\nfsmonitor = $PWD/evil\\n" >>.git/config',
  },
  {
    title: 'a name in other letters',
    plant: 'printf "[CoRe]fsMonitor=$PWD/evil\\n" >>.git/config',
  },
  {
    title: 'settings by a link that commands find, led elsewhere',
    plant:
      'cp .git/config c; printf "[core]\\nfsmonitor = $PWD/evil\\n" >>c; t=$(readlink .git/config || echo .git/config); ln -sf "$PWD/c" "$t"',
  },
  {
    title: 'an old remote file',
    plant:
      'mkdir -p .git/remotes; echo "URL: ext::$PWD/evil" >.git/remotes/origin; git config --unset remote.origin.url; git config protocol.ext.allow always',
    later: 'git fetch origin',
  },
  {
    title: 'a socket that tells git what has changed',
    plant: `/usr/bin/python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(".git/fsmonitor--daemon.ipc")' || : >.git/fsmonitor--daemon.ipc`,
    later: '[ ! -e .git/fsmonitor--daemon.ipc ] || ./evil',
  },
];
