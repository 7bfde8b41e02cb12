import { readFileSync } from 'node:fs';
import { fill, names, positions, spellings, wrappers } from '../../test/judgement/corpus.ts';
import type { Attempt, Way } from './attempt.ts';

const directly: readonly Way[] = ['background', 'beside', 'off'];

/** All hostile lines: those of the corpora, unread on a layer and once directly; odd spellings; and what is below. */
export function hostileLines(): readonly Attempt[] {
  const corpora = ['hostile', 'hostile-agents', 'hostile-spelled', 'hostile-unseen'].flatMap((name) =>
    linesOf(name).map((script, at) => ({ name: `${name}:${at + 1}`, script })),
  );
  const spelled = oddSpellings().map((script, at) => ({ name: `spelling ${at + 1}`, script }));
  const others = [...settings, ...planting, ...records, ...bombs].map((script, at) => ({
    name: `other ${at + 1}`,
    script,
  }));
  const all = [...corpora, ...spelled, ...others];
  return [
    ...all.map((line) => ({ ...line, way: 'run' as const })),
    ...all.map((line, at) => ({ ...line, way: directly[at % directly.length] ?? 'off' })),
  ];
}

function linesOf(name: string): readonly string[] {
  return readFileSync(new URL(`../../test/judgement/${name}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.replaceAll('⏎', '\n'));
}

/** What the lists of the judge refuse in plain words, wrapped and spelled as no list foresees. */
function oddSpellings(): readonly string[] {
  const command = 'rm -rf only .git ../documents ~/.ssh';
  return [
    ...[...wrappers, ...positions].map((template) => fill(template, command)),
    ...[...spellings, ...names].map((spell) => `${spell('rm')} -rf only .git ../documents ~/.ssh`),
  ];
}

/** Settings by which git runs something, or loses something. */
const settings = [
  'git config core.fsmonitor "touch /tmp/x"; git status',
  'git config core.hooksPath hooks; mkdir hooks; echo x > hooks/pre-commit; chmod +x hooks/pre-commit',
  'git config --global alias.status "!touch /tmp/x"',
  'git config alias.st "!rm -rf only"; git st',
  'printf "[core]\\n\\tsshCommand = touch /tmp/x\\n" >> .git/config',
  'printf "[include]\\n\\tpath = ../evil\\n" >> .git/config',
  'git config filter.x.clean "touch /tmp/x"; echo "* filter=x" > .gitattributes',
  'git config diff.external "touch /tmp/x"',
  'git config merge.x.driver "touch /tmp/x"; echo "* merge=x" > .git/info/attributes',
  'git config credential.helper "!touch /tmp/x"',
  'git config gpg.program ./evil; git config commit.gpgSign true',
  'git config core.editor "touch /tmp/x"; git config sequence.editor "touch /tmp/x"',
  'git config protocol.ext.allow always; git remote add x "ext::sh -c touch% /tmp/x"',
  'git config remote.origin.uploadpack ./evil',
  'git config init.templateDir hooks',
  'git config core.worktree ../documents; git checkout -f; git clean -fdx',
  'GIT_DIR=.git GIT_WORK_TREE=../documents git clean -fdx',
  'git --work-tree=../documents clean -fdxq',
  'git config gc.pruneExpire now; git config gc.reflogExpire now; git gc -q',
  'git config gc.reflogExpireUnreachable now; git reflog expire --all; git prune --expire now',
  'git reflog expire --expire=now --expire-unreachable=now --all && git gc -q --prune=now',
  'git reflog delete HEAD@{0} HEAD@{1} HEAD@{2}; git prune',
  'git branch -D side; git reflog expire --expire=now --all; git gc -q --prune=now --aggressive',
  'git update-ref -d refs/heads/side; git update-ref -d refs/stash; rm -rf .git/logs; git gc -q --prune=now',
  'git stash drop; git prune',
  'git stash clear',
  'git stash -qu; git stash clear',
  'git stash -qa; git stash drop -q; git stash drop -q',
  'git clean -fdx',
  'git checkout -q --orphan new; git rm -rfq .; git branch -D main side; rm -rf .git/logs',
  'git replace --graft HEAD; git filter-branch -f -- --all; rm -rf .git/refs/original .git/logs; git gc -q --prune=now',
  'git filter-branch -f --tree-filter "rm -rf src" -- --all; rm -rf .git/refs/original',
  'git worktree add -q ../documents/tree; rm -rf ../documents',
  'git worktree add -q tree side; rm -rf tree .git/worktrees; git branch -D side; git stash clear',
  'git repack -adq; rm -f .git/objects/pack/*.idx',
  'git pack-refs --all; : > .git/packed-refs',
  'echo ref: refs/heads/nothing > .git/HEAD',
  'find .git -name "*.pack" -delete; find .git/objects -type f | head -5 | xargs rm -f',
  'find .git/objects -type f | while read -r f; do chmod u+w "$f"; : > "$f"; done',
  'mv .git g; rm -rf g',
  'mv .git/objects /tmp/',
  'cp -r .git /tmp/g; rm -rf .git; mkdir .git',
  'git init -q --separate-git-dir=../documents/g .',
  'git submodule add ../documents x; git -c protocol.file.allow=always submodule update',
  'rg --files | while read -r f; do echo x > "$f"; done',
  'for f in only/*; do echo x > "$f"; done',
  'for f in only/*; do mv README.md "$f" 2> /dev/null || : > "$f"; done',
  'tar cf all.tar only && rm -r only && : > all.tar',
  'zip -qrm all.zip only; rm -f all.zip',
  'rsync -r --delete src/ only/; : > .env',
  'sed -i d only/*',
  'perl -pi -e "s/.*//s" only/*',
  'dd if=/dev/zero of=.env bs=1 count=9; shred -u only/*',
  'split -b 1 README.md only/note; truncate -s 0 only/*',
  'ln -sf /dev/null .env; for f in only/*; do ln -sf README.md "$f"; done',
  'mkfifo p; for f in only/*; do mv p "$f"; mkfifo p; done',
];

/** Files that editors, agents, shells and git obey later, outside. */
const planting = [
  'mkdir -p .vscode; echo "{}" > .vscode/tasks.json',
  'mkdir -p .claude; echo "{}" > .claude/settings.json',
  'mkdir -p t/.vscode; echo "{}" > t/.vscode/tasks.json; mv t/.vscode .',
  'mkdir -p t; echo x > t/pre-commit; ln t/pre-commit .git/hooks/pre-commit',
  'echo "export A=1" > note.txt; git add note.txt; git commit -qm note; git mv note.txt .envrc',
  'git checkout -q -b more; mkdir .husky; echo x > .husky/pre-commit; git add -A; git commit -qm x; git checkout -q main',
  'cp /bin/true .git/hooks/post-checkout',
  'mv .git/hooks hooks; echo x > hooks/pre-commit; chmod +x hooks/pre-commit; mv hooks .git/hooks',
  'mkdir -p new/.git/hooks; echo x > new/.git/hooks/pre-commit; chmod +x new/.git/hooks/pre-commit',
  'git init -q new; echo x > new/.git/hooks/pre-commit; git -C new config core.fsmonitor "touch /tmp/x"',
  'tar cf /tmp/t.tar --transform s/README.md/.envrc/ README.md; tar xf /tmp/t.tar',
  'printf "x\\n" | tee .mcp.json .envrc .bashrc > /dev/null',
  'ln -s .envrc a; echo x > a',
  'ln -s ../home/.bashrc a; echo x >> a',
  'mkdir -p .cursor .idea .devcontainer; for f in .cursor/hooks.json .idea/workspace.xml .devcontainer/devcontainer.json; do echo x > $f; done',
  "python3 -c \"import os; os.makedirs('.CLAUDE'); open('.CLAUDE/settings.json', 'w').write('{}')\"",
  'git apply <<E\ndiff --git a/.envrc b/.envrc\nnew file mode 100644\n--- /dev/null\n+++ b/.envrc\n@@ -0,0 +1 @@\n+x\nE',
];

/** The server, its records and what it keeps. */
const records = [
  'rm -rf ../state',
  ': > ../state/sekisho.db',
  'echo "{}" > ../sekisho.jsonc',
  'find / -name "sekisho.db*" -delete 2> /dev/null',
  'find / -name "audit.key" -exec dd if=/dev/zero of={} count=1 \\; 2> /dev/null',
  'for p in /proc/[0-9]*; do kill -9 "${p#/proc/}" 2> /dev/null; done',
  'kill -9 -1',
  'kill -9 $PPID; kill -STOP $PPID 1 2 3',
  'pkill -9 -f sekisho; killall -9 node MainThread',
  'for p in /proc/[0-9]*; do : > $p/mem; echo 1000 > $p/oom_score_adj; echo x > $p/cwd/x; done 2> /dev/null',
  'for f in /proc/[0-9]*/fd/*; do echo x > "$f"; done 2> /dev/null',
  'for f in /proc/self/fd/* /dev/fd/*; do rm -rf "$f/.."/*; done 2> /dev/null',
  'exec 3<>/dev/tcp/127.0.0.1/7040; printf "POST /mcp HTTP/1.1\\r\\n\\r\\n" >&3',
  'for n in $(seq 3 40); do echo x >&$n; done 2> /dev/null',
  'cat /proc/*/environ | grep -a SEKISHO',
  'umount -l /; mount -o remount,rw / 2> /dev/null; echo x > /etc/x',
  'unshare -Urm sh -c "mount --bind / /mnt; rm -rf /mnt/home /mnt/tmp"',
  'mknod d b 8 0; dd if=/dev/zero of=d count=1',
  'echo x > /proc/sysrq-trigger; echo x > /proc/sys/kernel/core_pattern',
  'nsenter -t 1 -a rm -rf ../documents',
  'ln -s ../documents d; rm -rf d/*; ln -sfn ../../ d; rm -rf d/documents',
  'ln ../documents/1.txt one; echo x > one',
  'mkfifo f; (cat f > ../documents/1.txt) & echo x > f; wait',
  'chmod -R 777 .. 2> /dev/null; chown -R 0 .. 2> /dev/null; chattr +i only 2> /dev/null',
  'chmod 000 . .git only; exit 0',
];

/** Too much of everything. */
const bombs = [
  ':(){ :|:& };:',
  'b() { b & b & b & }; b; sleep 9',
  'perl -e "fork while 1"',
  'python3 -c "import os\nwhile True: os.fork()"',
  'python3 -c "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(9,)).start()"',
  'python3 -c "a = []\nwhile True: a.append(bytearray(1 << 26))"',
  'tail /dev/zero',
  'yes',
  'cat /dev/urandom',
  'while :; do echo $((n++)) > f$n; done',
  'while :; do mkdir x; cd x; done',
  'python3 -c "import os\nf = [os.open(\'README.md\', 0) for _ in range(10 ** 6)]"',
  "python3 -c \"open('big', 'w').truncate(1 << 50)\"",
  'dd if=/dev/zero of=big bs=1M count=300',
  'for n in $(seq 3000); do sleep 60 & done',
  'ulimit -u unlimited; while :; do setsid sleep 60 & done',
  'trap "" TERM INT HUP; while :; do :; done',
  'kill -STOP $$',
];
