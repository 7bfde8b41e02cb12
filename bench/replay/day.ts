import type { Project, Step } from './projects.ts';
import { lastStarted } from './served.ts';

/** Two hundred everyday calls of a developer's agent, over several kinds of project. */
const started = 'git init -q -b main . && git add -A && git commit -q -m "First"';

const read = (path: string, more: object = {}): Step => ({
  tool: 'read_file',
  input: { path, ...more },
  plain: `cat '${path}'`,
});
const write = (path: string, content: string): Step => ({
  tool: 'write_file',
  input: { path, content },
  plain: `mkdir -p "$(dirname '${path}')" && printf '%s' '${content}' > '${path}'`,
});
const edit = (path: string, from: string, to: string): Step => ({
  tool: 'edit_file',
  input: { path, old_string: from, new_string: to },
  plain: `sed -i 's/${from}/${to}/' '${path}'`,
});
const grep = (pattern: string, more: object = {}): Step => ({
  tool: 'grep',
  input: { pattern, ...more },
  plain: `grep -rn '${pattern}' . --exclude-dir=.git --exclude-dir=node_modules`,
});
const glob = (pattern: string): Step => ({
  tool: 'glob',
  input: { pattern },
  plain: `git ls-files -co --exclude-standard`,
});
const service = (command: string, then: string, plain: string): readonly Step[] => [
  { tool: 'bash', input: { command, background: true }, plain: 'true' },
  { tool: 'bash', input: { command: then }, plain },
];

export const day: readonly Project[] = [
  {
    name: 'a service in TypeScript',
    needs: ['npm'],
    fetch: `cat > package.json <<'END'
{"name":"service","version":"1.0.0","private":true,"type":"module","scripts":{"test":"vitest run","build":"tsc -p .","lint":"eslint src","format":"prettier --check src","start":"node dist/server.js","ci":"npm run build && npm test"},
"devDependencies":{"typescript":"^5","vitest":"^3","eslint":"^9","typescript-eslint":"^8","prettier":"^3","husky":"^9","@types/node":"^22"}}
END
mkdir src && cat > src/sum.ts <<'END'
export function sum(a: number, b: number): number {
  return a + b;
}
END
cat > src/server.ts <<'END'
import { createServer } from 'node:http';
import { sum } from './sum.js';

const port = Number(process.env.PORT ?? 8331);
createServer((_, response) => response.end(\`sum \${sum(1, 2)}\\n\`)).listen(port, '127.0.0.1', () => {
  console.log('listening');
});
END
cat > src/sum.test.ts <<'END'
import { expect, test } from 'vitest';
import { sum } from './sum.js';

test('adds', () => {
  expect(sum(1, 2)).toBe(3);
});
END
echo '{"compilerOptions":{"module":"nodenext","target":"es2022","strict":true,"outDir":"dist","rootDir":"src","types":["node"]},"include":["src"],"exclude":["src/*.test.ts"]}' > tsconfig.json
echo "import tseslint from 'typescript-eslint'; export default tseslint.config(...tseslint.configs.recommended);" > eslint.config.js
printf 'singleQuote: true\\n' > .prettierrc; printf 'node_modules\\ndist\\ncoverage\\n' > .gitignore; echo '# Service' > README.md; ${started}`,
    steps: [
      'npm install --no-audit --no-fund',
      'git status --short',
      read('package.json'),
      read('src/server.ts', { start_line: 1, end_line: 40 }),
      glob('src/**/*.ts'),
      grep('sum'),
      'npx tsc --noEmit',
      'npm test',
      'npx vitest run src/sum.test.ts --reporter=verbose',
      'npm run build',
      'npm run lint',
      'npm run format',
      edit('src/sum.ts', 'a + b', 'b + a'),
      write('src/product.ts', 'export const product = (a: number, b: number): number => a * b;\n'),
      write(
        'src/product.test.ts',
        'import { expect, test } from "vitest";\nimport { product } from "./product.js";\n\ntest("multiplies", () => {\n  expect(product(2, 3)).toBe(6);\n});\n',
      ),
      'npx vitest run 2>&1 | grep -E "Tests|passed"',
      'npx prettier --write src',
      'npx eslint --fix src && git diff --stat',
      'git diff',
      'git add -A && git commit -m "Add product"',
      'npx husky init',
      'cat .husky/pre-commit && git config core.hooksPath',
      'echo "npx tsc --noEmit" > .husky/pre-commit && git add -A && git commit -m "Check types before a commit"',
      'npm ls --depth 0',
      'npm run ci',
      'npm pkg set description="A small service" && npm pkg get description',
      'npm version patch --no-git-tag-version',
      'npm pack --dry-run 2>&1 | tail -3',
      'npm ci --no-audit --no-fund',
      'node --input-type=module -e "import(\'./dist/sum.js\').then((m) => console.log(m.sum(4, 5)))"',
      'npx tsc -p . && PORT=8341 timeout 20 node dist/server.js & sleep 2; curl -sf http://127.0.0.1:8341/; kill %1; wait',
      ...service(
        'PORT=8342 node dist/server.js',
        'for i in $(seq 50); do curl -sf http://127.0.0.1:8342/ && break; sleep 0.2; done',
        'echo "sum 3"',
      ),
      { tool: 'bash_list', input: {}, plain: 'true' },
      { tool: 'bash_kill', input: { process_id: lastStarted }, plain: 'true' },
      'rm -rf dist && npm run build --silent && ls dist',
      'npx --no-install vitest --version | cut -d/ -f1',
      'rm -rf node_modules/.vite node_modules/.cache; npm test --silent 2>&1 | tail -3',
      'npm uninstall prettier --no-audit --no-fund 2>&1 | tail -1; git checkout package.json package-lock.json',
    ],
  },
  {
    name: 'a page with jest',
    needs: ['npm'],
    fetch: `echo '{"name":"page","version":"1.0.0","private":true,"scripts":{"test":"jest","watch":"node --watch-path=. index.js","prebuild":"rm -rf out","build":"esbuild index.js --bundle --platform=node --outfile=out/page.js"},"devDependencies":{"jest":"^29","esbuild":"^0.25.0"}}' > package.json
echo 'module.exports = (name) => "Hello, " + name + "!"; if (require.main === module) console.log(module.exports("you"));' > index.js
echo 'const hello = require("./index.js"); test("greets", () => expect(hello("Mai")).toBe("Hello, Mai!")); test("shot", () => expect(hello("x")).toMatchSnapshot());' > index.test.js
printf 'node_modules\\nout\\n' > .gitignore; ${started}`,
    steps: [
      'npm install',
      'npx jest',
      'npx jest -u && git status --short',
      'npx jest --coverage --coverageDirectory=out/coverage 2>&1 | grep -c index.js',
      'npm run build && node out/page.js',
      '(timeout 15 npm run watch > out.log 2>&1 &) ; sleep 6; cat out.log | grep -c Hello; rm out.log',
      'node index.js | tee greeting.txt; cat greeting.txt; rm greeting.txt',
      'npm exec -- esbuild --version',
      'git add -A && git commit -qm "Keep the snapshot" && git show --stat --oneline HEAD | cat',
    ],
  },
  {
    name: 'a package in Python',
    needs: ['python3'],
    fetch: `mkdir -p src/notes tests && cat > pyproject.toml <<'END'
[project]
name = "notes"
version = "0.1.0"

[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[tool.setuptools.packages.find]
where = ["src"]

[tool.pytest.ini_options]
pythonpath = ["src"]
END
printf 'def title(text: str) -> str:\\n    return text.splitlines()[0].lstrip("# ")\\n' > src/notes/__init__.py
printf 'from notes import title\\n\\n\\ndef test_title():\\n    assert title("# One\\\\ntwo") == "One"\\n' > tests/test_title.py
printf '__pycache__\\n.venv\\n*.egg-info\\n.*_cache\\nbuild\\n*.db\\n' > .gitignore; ${started}`,
    steps: [
      'python3 -m venv .venv',
      '.venv/bin/pip --version | cut -d" " -f1',
      '.venv/bin/pip install -q pytest ruff mypy',
      '. .venv/bin/activate && which python | grep -c .venv',
      '.venv/bin/python -m pytest -q 2>&1 | tail -1 | cut -d" " -f1,2',
      '.venv/bin/ruff check src',
      '.venv/bin/ruff format --check src tests',
      '.venv/bin/mypy src',
      '.venv/bin/pip install -q --no-deps --no-build-isolation -e . ; .venv/bin/python -c "import notes; print(notes.title(\'# a\'))"',
      '.venv/bin/pip list --format=freeze | grep -c "^pytest="',
      '.venv/bin/pip freeze > requirements.txt && wc -l < requirements.txt; rm requirements.txt',
      read('src/notes/__init__.py'),
      edit('src/notes/__init__.py', 'lstrip', 'removeprefix'),
      'git diff --word-diff | cat',
      'PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=src python3 -c "import notes; print(notes.title(\'# a\'))"',
      `python3 - <<'END'
import json, pathlib
pathlib.Path('data.json').write_text(json.dumps({'名前': 'ノート', 'n': [1, 2]}, ensure_ascii=False))
END
cat data.json`,
      "python3 -c \"import sqlite3; c = sqlite3.connect('n.db'); c.execute('create table n(x)'); c.execute('insert into n values(1)'); c.commit(); print(c.execute('select count(*) from n').fetchall())\"",
      'python3 -m http.server 8343 >/dev/null 2>&1 & sleep 2; curl -sf http://127.0.0.1:8343/pyproject.toml | head -2; kill $!',
      ...service(
        'python3 -m http.server 8344',
        'for i in $(seq 50); do curl -sf http://localhost:8344/data.json && break; sleep 0.2; done',
        'cat data.json',
      ),
      'python3 -m json.tool data.json >/dev/null && python3 -m compileall -q src && find . -name "*.pyc" -path "./src/*" | wc -l',
      'find . -name __pycache__ -not -path "./.venv/*" -exec rm -rf {} +; git status --short',
      'python3 -c "import multiprocessing as m; print(m.get_context(\'spawn\').Pool(2).map(abs, [-1]))"',
      'git checkout -- . && git clean -n',
    ],
  },
  {
    name: 'a library in C',
    needs: ['gcc', 'make'],
    fetch: `printf 'int twice(int x) { return 2 * x; }\\n' > twice.c; printf 'int twice(int);\\n' > twice.h
printf '#include <stdio.h>\\n#include "twice.h"\\nint main(void) { printf("%%d\\\\n", twice(21)); return twice(21) != 42; }\\n' > check.c
printf 'CFLAGS = -Wall\\nlibtwice.a: twice.o\\n\\tar rc $@ $<\\ncheck: check.c libtwice.a\\n\\t$(CC) $(CFLAGS) -o $@ $^ && ./check\\ninstall: libtwice.a\\n\\tinstall -D -m 644 libtwice.a $(DESTDIR)/usr/lib/libtwice.a\\nclean:\\n\\trm -f *.o *.a check\\n.PHONY: clean install\\n' > Makefile
printf '*.o\\n*.a\\ncheck\\nbuild\\ndest\\n' > .gitignore
printf 'cmake_minimum_required(VERSION 3.10)\\nproject(twice C)\\nadd_library(twice twice.c)\\nadd_executable(tried check.c)\\ntarget_link_libraries(tried twice)\\nenable_testing()\\nadd_test(NAME tried COMMAND tried)\\n' > CMakeLists.txt; ${started}`,
    steps: [
      'make',
      'make check',
      'make clean && ls',
      'make -j4 check CFLAGS="-Wall -Wextra -O2"',
      'make install DESTDIR=dest && find dest -type f',
      'gcc -g -fsanitize=address -o check check.c twice.c && ./check',
      'gdb -q -batch -ex "break twice" -ex run -ex "info args" ./check 2>&1 | grep -c "x = 21"',
      'cmake -S . -B build >/dev/null && cmake --build build >/dev/null && ctest --test-dir build 2>&1 | grep "tests passed"; rm -rf build/Testing',
      'objdump -d twice.o 2>/dev/null | head -3; nm libtwice.a | grep -c twice; file check | cut -d, -f1',
      edit('twice.c', 'return 2', 'return 1 + 1'),
      'gcc -E check.c | wc -l | awk "{print (\\$1 > 100)}"',
      'strace -c -o /dev/null ./check; echo $?',
      'rm -rf build dest && make clean && git status --short',
    ],
  },
  {
    name: 'a crate, and a module in Go',
    needs: ['cargo', 'go'],
    fetch: `cargo init -q --vcs none --name day . && mkdir -p go && cd go && printf 'package main\\n\\nimport "fmt"\\n\\nfunc main() {\\n\\tfmt.Println("go")\\n}\\n' > main.go && printf 'package main\\n\\nimport "testing"\\n\\nfunc TestOne(t *testing.T) {}\\n' > main_test.go && go mod init day/go 2>/dev/null; cd .. && printf 'target\\n' > .gitignore && ${started}`,
    steps: [
      'cargo build 2>&1 | grep -c Finished',
      'cargo run -q',
      'cargo test -q 2>&1 | grep "test result" | cut -d. -f1',
      'cargo fmt && git diff --stat',
      'cargo clippy -q; true',
      'cargo metadata --format-version 1 --no-deps | jq -r ".packages[0].name"',
      'cargo doc -q --no-deps && ls target/doc/day/index.html',
      'cargo clean 2>&1 | cut -d" " -f6; ls',
      '(cd go && go build -o /tmp/gone . && /tmp/gone)',
      '(cd go && go vet ./... && go test ./... | cut -f1)',
      '(cd go && gofmt -l . && go run .)',
    ],
  },
  {
    name: 'git at length',
    needs: ['git'],
    fetch: `mkdir app lib && cd lib && git init -q -b main . && git config user.name Mai && git config user.email mai@example.com && echo one > lib.txt && git add -A && git commit -qm "Library" && cd .. && git clone -q --bare lib hub.git && mv lib/.git lib/dot && rm -rf lib && cd app && for i in 1 2 3 4 5 6; do echo "line $i" >> list.txt; [ $i != 1 ] || git init -q -b main .; git config user.name Mai; git config user.email mai@example.com; git add -A; GIT_COMMITTER_DATE="2026-01-0$i 00:00" GIT_AUTHOR_DATE="2026-01-0$i 00:00" git commit -qm "Line $i"; done; cd .. && mv app/.git app/list.txt . && rmdir app && printf 'hub.git\\nother\\n*.patch\\n*.bundle\\n' > .gitignore && git add -A && git commit -qm "Leave what is beside"`,
    steps: [
      'git log --oneline --decorate --graph --all | wc -l',
      'git show HEAD~2 --stat | tail -1',
      'git blame list.txt | cut -c1-8 | sort -u | wc -l',
      'git checkout -b feature && echo feature >> feature.txt && git add . && git commit -qm "Feature" && git branch',
      'git checkout main && sed -i "s/line 3/line three/" list.txt && git commit -qam "Third line in a word"',
      'git rebase main feature && git log --oneline -3 --format=%s',
      'git checkout main && git merge --no-ff -m "Merge the feature" feature && git log -1 --format=%s',
      'git checkout -b conflict HEAD~1 && sed -i "s/line 3/line 3!/" list.txt && git commit -qam "Other" ; git merge main; git status --short',
      'git checkout --ours list.txt 2>/dev/null; git checkout main -- list.txt; git add -A; git commit -qm "Merged" ; git log -1 --format=%s',
      'git checkout main && git cherry-pick conflict -m 1 --allow-empty 2>&1 | tail -1; git status | head -1',
      'git cherry-pick --abort 2>/dev/null; git revert --no-edit HEAD~1 2>&1 | tail -1; git revert --abort 2>/dev/null; git status --short',
      'git stash push -u -m "nothing" ; echo change >> list.txt && git stash && git stash show -p | tail -1 && git stash pop',
      'git reset --hard HEAD && git status --short',
      'git tag -a v1 -m "One" && git describe --tags',
      'git worktree add -q ../$(basename $PWD)-other 2>/dev/null || git worktree add -q other main~1 && git -C other log -1 --format=%s && git worktree list | wc -l',
      'git worktree remove other --force && git worktree prune && git branch',
      'git -c protocol.file.allow=always submodule add -q ./hub.git sub && git commit -qm "Take the library" && cat .gitmodules',
      'git submodule status | cut -c43- && git submodule foreach -q "git log -1 --format=%s"',
      'git remote add hub ./hub.git && git fetch -q hub && git branch -r',
      'git push -q hub HEAD:refs/heads/app && git ls-remote --heads hub | wc -l',
      'git format-patch -1 HEAD~3 --stdout > one.patch; git apply --check --reverse one.patch; echo $?; rm one.patch',
      'git bundle create -q all.bundle main && git bundle verify -q all.bundle; rm all.bundle',
      'git archive --format=tar HEAD | tar t | sort | head -3',
      'git bisect start -q HEAD HEAD~3 >/dev/null && git bisect run true 2>&1 | grep -c "first bad"; git bisect reset -q; git branch --show-current',
      'git rm -q --cached feature.txt && git status --short && git reset -q && git status --short',
      'git mv list.txt items.txt && git commit -qm "Rename" && git log --follow --oneline items.txt | wc -l',
      'git commit --allow-empty -qm "fixup! Rename" && GIT_SEQUENCE_EDITOR=true git rebase -q -i --autosquash HEAD~2 ; git log -1 --format=%s',
      "printf '#!/bin/sh\\necho hook >&2\\nexit 1\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && git commit --allow-empty -m Refused; echo $?; rm .git/hooks/pre-commit",
      'git config --get user.name && git config alias.st "status -sb" && git st',
      'git clean -nd && echo x > junk.txt && git clean -fq && ls',
      'git diff HEAD~3 --name-status && git shortlog -sn HEAD | cat',
      'git gc -q && git fsck 2>&1 | grep -c error; git count-objects',
      'git sparse-checkout list 2>/dev/null; git notes add -m "Seen" && git notes show',
      'git branch -D conflict && git reflog | wc -l | awk "{print (\\$1 > 5)}"',
      'git grep -n "line" HEAD -- items.txt | wc -l',
    ],
  },
  {
    name: 'data and files',
    needs: ['jq', 'sqlite3', 'zip', 'unzip', 'openssl', 'ssh-keygen', 'gpg'],
    fetch: `mkdir -p src données && printf 'name,team,n\\nMai,a,3\\nKen,b,5\\nAoi,a,2\\n' > people.csv && echo '{"items":[{"id":1,"tags":["x","y"]},{"id":2,"tags":[]}]}' > items.json && for i in $(seq 40); do echo "TODO $i" > "src/f $i.txt"; done && echo été > 'données/été 日本.txt' && printf 'junk/\\n' > .gitignore && ${started}`,
    steps: [
      'ls -la | wc -l && pwd | xargs basename >/dev/null && du -sh src | cut -f2',
      'jq -r ".items[] | select(.tags | length > 0) | .id" items.json',
      'jq ".items[0].id = 9" items.json > new.json && mv new.json items.json && cat items.json',
      "awk -F, 'NR > 1 { n[$2] += $3 } END { for (t in n) print t, n[t] }' people.csv | sort",
      'sed -n "2,3p" people.csv; sed -i.bak "s/Mai/Rin/" people.csv && diff people.csv people.csv.bak; rm people.csv.bak',
      'sort -t, -k3 -n people.csv | cut -d, -f1 | tail -n +2 | paste -sd" "',
      'find src -name "*.txt" -print0 | xargs -0 grep -l "TODO 1" | wc -l',
      'find . -type f -newer items.json -not -path "./.git/*"; find . -maxdepth 1 -type d | sort',
      'for f in src/*.txt; do mv "$f" "$(echo "$f" | tr " " _)"; done && ls src | head -3',
      'cat > script.sh <<\'END\'\n#!/usr/bin/env bash\nset -euo pipefail\necho "$# arguments: $*"\nEND\nchmod +x script.sh && ./script.sh a "b c"',
      'chmod 600 items.json && stat -c %a items.json && chmod 644 items.json',
      'ln -s people.csv link.csv && readlink link.csv && cat link.csv | head -1; ln people.csv hard.csv && stat -c %h people.csv; rm link.csv hard.csv',
      read('données/été 日本.txt'),
      write('données/新しい ファイル.md', '# 見出し 🎉\n'),
      edit('données/新しい ファイル.md', '見出し', '表題'),
      grep('TODO 4'),
      glob('**/*.csv'),
      { tool: 'list_files', input: { path: '.' }, plain: 'ls' },
      'tar czf /tmp/all.tgz src && tar tzf /tmp/all.tgz | wc -l && mkdir junk && tar xzf /tmp/all.tgz -C junk && ls junk/src | wc -l',
      'zip -qr /tmp/all.zip src && unzip -l /tmp/all.zip | tail -1 | awk "{print \\$2}"; unzip -q /tmp/all.zip -d junk/two && rm -rf junk',
      'gzip -k people.csv && zcat people.csv.gz | wc -l && rm people.csv.gz; xz --version | head -1 | cut -d" " -f1',
      'rm -f /tmp/p.db; sqlite3 /tmp/p.db "create table p(name, team, n);" && sqlite3 /tmp/p.db ".mode csv" ".import --skip 1 people.csv p" "select team, sum(n) from p group by team order by 1"',
      'sqlite3 people.db "create table t(x); insert into t values (1),(2); select sum(x) from t;" && rm people.db',
      'seq 200000 | tail -1; seq 100000',
      'yes | head -c 3000000 | wc -c; head -c 100000 /dev/urandom | base64 | wc -l',
      'sha256sum people.csv | cut -c1-8; md5sum < items.json | cut -c1-8; echo hi | base64; uuidgen | wc -c',
      'openssl rand -hex 8 | wc -c; openssl req -x509 -newkey rsa:2048 -nodes -keyout /tmp/k.pem -out /tmp/c.pem -days 1 -subj /CN=localhost 2>/dev/null && openssl x509 -in /tmp/c.pem -noout -subject',
      'ssh-keygen -q -t ed25519 -N "" -f /tmp/id_day && ssh-keygen -lf /tmp/id_day.pub | cut -d" " -f1; rm /tmp/id_day*',
      'gpg --version | head -1 && echo secret | gpg --batch --yes --passphrase x --pinentry-mode loopback -c -o /tmp/s.gpg && gpg --batch -q --passphrase x --pinentry-mode loopback -d /tmp/s.gpg',
      'date +%Y | wc -c; TZ=Asia/Tokyo date +%Z; cal 2>/dev/null | wc -l; LC_ALL=C.UTF-8 printf "%s\\n" "日本" | wc -m',
      'head -3 items.json; tail -n 2 people.csv; wc -l people.csv; nl people.csv | tail -1; rev people.csv | head -1',
      'comm -12 <(sort people.csv) <(sort people.csv) | wc -l; diff -u people.csv items.json | head -3; cmp people.csv items.json; true',
      'touch -d "2026-01-01" old.txt && find . -name old.txt -mtime +10 -delete; ls old.txt 2>&1; true',
      'perl -pi -e "s/Rin/Mai/" people.csv && grep -c Mai people.csv; perl -e "print 6*7, qq{\\n}"',
      'trap "echo bye" EXIT; (exit 3); echo $?; false || echo handled; test -f nope || exit 4',
      'mktemp -d > where && test -d "$(cat where)" && echo made; rm where',
      'split -l 2 people.csv part_ && ls part_* && rm part_*; xxd -l 4 items.json; od -c items.json | head -1',
      'rsync -a src/ copy/ 2>/dev/null || cp -r src copy; ls copy | wc -l; rm -rf copy',
      'tree -L 1 2>/dev/null | tail -1; file people.csv; numfmt --to=iec 1048576; expr 3 + 4; bc <<< "2^10"',
      'python3 -c "import os; print(os.cpu_count() > 0)"; nproc | grep -c .; ulimit -n | grep -c .',
    ],
  },
  {
    name: 'the machine around it',
    needs: ['git', 'curl', 'python3'],
    fetch: `mkdir web && echo '<h1>Hello</h1>' > web/index.html && printf 'terraform {}\\nvariable "name" {\\n  default = "x"\\n}\\noutput "name" { value = var.name }\\n' > main.tf && printf 'services:\\n  web:\\n    image: nginx\\n' > compose.yaml && printf 'FROM scratch\\n' > Dockerfile && printf '.terraform\\n' > .gitignore && ${started}`,
    steps: [
      'ps aux | head -1; ps -ef | wc -l | awk "{print (\\$1 > 1)}"',
      'df -h . | head -1; free -m | head -1; uname -s; whoami; id -u; hostname >/dev/null',
      'env | grep -c PATH; echo $HOME | grep -c /; printenv SHELL >/dev/null; locale 2>/dev/null | head -1',
      'crontab -l; true',
      'systemctl --user status --no-pager 2>&1 | head -1 | grep -c .',
      'docker --version 2>&1 | grep -c version; docker ps; true',
      'docker compose config -q; true',
      'podman --version | cut -d" " -f1',
      'gh --version | head -1 | cut -d" " -f1; gh auth status; true',
      'aws --version | cut -d/ -f1; aws configure list 2>&1 | head -1; true',
      'terraform fmt -check; terraform fmt; git diff --stat',
      'terraform init -input=false -no-color | tail -1 >/dev/null; terraform validate -no-color',
      'terraform plan -no-color -input=false | grep -c name; rm -rf .terraform',
      'sleep 30 & P=$!; kill $P; wait $P; echo $?',
      'sleep 60 & jobs | wc -l; kill %1',
      'pgrep -x nothing-of-it; pkill -x nothing-of-it; echo $?',
      'python3 -m http.server 8345 -d web >/dev/null 2>&1 & sleep 2; curl -s -o /dev/null -w "%{http_code}\\n" http://127.0.0.1:8345/; curl -s http://localhost:8345/none -o /dev/null -w "%{http_code}\\n"; kill $!',
      ...service(
        'cd web && python3 -m http.server 8346',
        'for i in $(seq 50); do curl -sf http://127.0.0.1:8346/ && break; sleep 0.2; done',
        'cat web/index.html',
      ),
      'timeout 2 tail -f web/index.html; echo $?',
      'nohup sleep 1 >/dev/null 2>&1 & wait; echo done',
      'time true 2>/dev/null; for i in 1 2 3; do echo $i; sleep 0.1; done',
      'ss -ltn | head -1; lsof -v >/dev/null 2>&1; nc -h >/dev/null 2>&1; true',
      'which node npm python3 git | wc -l; command -v node >/dev/null; type cd | head -1',
      'curl -sS --max-time 5 http://127.0.0.1:9/; echo $?',
      'script -qc "tty" /dev/null | grep -c /dev/',
      'tmux -V | cut -d" " -f1; tmux -L day new-session -d -s d "sleep 5" && tmux -L day ls | cut -d: -f1; tmux -L day kill-server',
      'rm -f /tmp/day.*; flock /tmp/day.lock echo locked; mkfifo /tmp/day.fifo && (echo through > /tmp/day.fifo &) && cat /tmp/day.fifo',
      'xargs -P4 -I{} sh -c "echo {}" <<< "$(seq 4)" | sort | paste -sd,',
    ],
  },
];
