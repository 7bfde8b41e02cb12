import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSmall } from '../../src/confine/git/small-file.ts';
import { createCommandJudge } from '../../src/confine/judgement/judge.ts';

const judge = createCommandJudge({ read: (path) => readSmall(path) });

function decide(script: string, root = '/workspace', network: readonly string[] = []) {
  const context = { dialect: 'plain', roots: [root], workingFolder: root, confinement: { network } } as const;
  const { decision, lack } = judge.judge(
    { kind: 'script', script, shell: 'bash' },
    { ...context, onLayer: true },
  );
  return lack ? 'deny' : decision;
}

const x = 'kubectl delete ns p';
describe('what a shell runs is what was judged', () => {
  test.each([
    `bash +c '${x}'`,
    `bash +ec '${x}'`,
    `dash +c '${x}'`,
    `zsh +c '${x}'`,
    `busybox sh +c '${x}'`,
    `env bash +c '${x}'`,
    `timeout 5 bash +c '${x}'`,
    `echo x | xargs bash +c '${x}'`,
    `find . -exec bash +c '${x}' \\;`,
    `bash +s <<< '${x}'`,
    `bash -l +xc '${x}'`,
    `declare -n r=x; x='${x}'; $r`,
    `typeset -gn r=x; x='${x}'; $r`,
    `declare -n r; r=x; x='${x}'; $r`,
    `x=ls; declare -n r=x; r='${x}'; $x`,
    `f() { local -n q=x; eval "$q"; }; x='${x}'; f`,
    `PS1='$(${x})' bash --norc -i <<< true`,
    `PS0='$(${x})' bash -i -c true`,
    `export PS2='\`${x}\`'; bash -i <<< true`,
    `x='$(${x})'; PS1=$x bash -i <<< true`,
    `script -q /dev/null <<< '${x}'`,
    `echo '${x}' | script -q f`,
    `unshare -r <<< '${x}'`,
    `fakeroot <<< '${x}'`,
    `linux64 <<< '${x}'`,
    `setarch -R ${x}`,
    `setarch --addr-no-randomize ${x}`,
    `setarch x86_64 -R ${x}`,
    `setarch $(uname -m) -R ${x}`,
    `uname26 ${x}`,
    `strace -o '|${x}' true`,
    `strace -fo '! ${x}' true`,
    `env strace --output='|${x}' true`,
    `tmux new -d \\; send-keys '${x}' Enter`,
    `tmux set -g status-right '#(${x})'`,
    `tmux set -g default-command '${x}'`,
    `tmux if-shell true 'run-shell "${x}"'`,
    `screen -S s -X stuff '${x}^M'`,
    `screen -S s -X exec ${x}`,
    `awk 'BEGIN { c = "${x}"; c | getline }'`,
    `awk '{ c | getline }' c='${x}' f`,
    `awk -v c='${x}' 'BEGIN { system(c) }'`,
    `awk 'BEGIN { c = "ls"; c = $1; c | getline }'`,
    `bash <<'E'\n[[ -f x ]] && ${x}\nE`,
  ])('%s', (line) => {
    expect(decide(line)).toBe('deny');
  });
});

describe('what a day of work needs is not refused', () => {
  test.each([
    `awk 'BEGIN { cmd = "date +%s"; cmd | getline t; close(cmd); print t }'`,
    `awk -v cmd=date 'BEGIN { cmd | getline d; print d }'`,
    'NODE_OPTIONS=--inspect npm test',
    'NODE_OPTIONS="--inspect-brk=0.0.0.0:9229 --max-old-space-size=4096" node x.js',
    'NODE_OPTIONS="--expose-gc --disable-warning=ExperimentalWarning" npx vitest',
    "sed -i 's/source ~\\/.bashrc/source ~\\/.profile/' docs/install.md",
    "sed -i '/.git\\/hooks/d' README.md",
    "tmux send-keys -t repl 'for i in range(3): print(i)' Enter",
    'tmux set -g status-left "[#S] (x)"',
    'tmux wait-for done',
    'screen -S srv -X quit',
    'screen -S srv -X stuff "print(\'hi\')^M"',
    'bash <<\'E\'\n[[ -f x ]] && echo y\na=(1 2)\necho "${a[@]}"\nE',
    'setarch $(uname -m) -R ./a.out',
    'strace -f -o out.txt ls',
    'declare -n ref=list; ref+=(x); echo "${list[@]}"',
    'export PS1="(venv) $PS1"',
    "PS1='\\u@\\h:\\w\\$ ' bash -c ls",
  ])('%s', (line) => {
    expect(decide(line)).toBe('allow');
  });
});

test.each([
  'NODE_OPTIONS=--require=./evil.js npm test',
  'NODE_OPTIONS="--inspect --import ./evil.mjs" npm test',
  'NODE_OPTIONS=--experimental-loader=./x.mjs npm test',
  "sed -i.save 's/a/b/' .git/config",
  'sed -i -e s/a/b/ .git/hooks/pre-commit',
])('%s is still refused', (line) => {
  expect(decide(line)).toBe('deny');
});

test('a runner of packages asks about what the project does not have, where it could download it', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-held-')));
  try {
    const held = { typescript: { version: '5.4.2', bin: { tsc: 'bin/tsc' } }, vite: { version: '6.0.1' } };
    writeFileSync(join(root, 'package.json'), '{ "devDependencies": { "typescript": "^5", "eslint": "9" } }');
    for (const [name, manifest] of Object.entries(held)) {
      mkdirSync(join(root, 'node_modules', name), { recursive: true });
      writeFileSync(join(root, 'node_modules', name, 'package.json'), JSON.stringify(manifest));
    }
    const hosts = ['registry.npmjs.org', 'pypi.org'];
    for (const line of ['npx tsc', 'npx vite build', 'npx vite@6 build', 'npm exec -- eslint .', 'npm test'])
      expect(decide(line, root, hosts), line).toBe('allow');
    for (const line of [
      'npx cowsay',
      'npx vite@7',
      'npx vite@latest',
      'npx github:a/b',
      'uvx ruff',
      'pnpm dlx vite',
    ])
      expect(decide(line, root, hosts), line).toBe('ask');
    // With no host to download from, only what is here can run.
    expect(decide('npx cowsay', root)).toBe('allow');
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
