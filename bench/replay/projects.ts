/** A command line, or a call of another tool with what does the same in bash alone. */
export type Step =
  | string
  | { readonly tool: string; readonly input: Record<string, unknown>; readonly plain: string };

/** A day's work on one project. */
export interface Project {
  readonly name: string;
  /** Programs that this machine must have; without them the project is left out, visibly. */
  readonly needs: readonly string[];
  /** Run once, by bash alone, in an empty folder: brings the sources. */
  readonly fetch: string;
  /** Run beside bash, one each. */
  readonly steps: readonly Step[];
}

/** What every project goes through around its own build and tests. */
function day(own: {
  readonly setUp: readonly string[];
  readonly check: readonly string[];
  readonly edit: string;
}): readonly string[] {
  return [
    'git status --short | head',
    'git log --oneline | head -5',
    'ls -la && find . -name "*.md" -not -path "./node_modules/*" | head',
    ...own.setUp,
    ...own.check,
    'git checkout -b feature',
    own.edit,
    'git diff --stat',
    'git add -A && git commit -m "Change a line"',
    'git commit --amend -m "$(cat <<\'END\'\nChange a line\n\nIt was another one.\nEND\n)"',
    'git checkout main 2>/dev/null || git checkout master',
    'echo "A note." >> NOTES.txt && git add NOTES.txt && git commit -m "Take a note"',
    'git checkout feature && git rebase -',
    'echo "half done" >> NOTES.txt && git stash',
    'git stash list && git stash pop',
    'git checkout -- NOTES.txt',
    ...own.check,
    'git tag v0.0.1 && git tag --list',
    'git branch -a && git log --oneline --graph | head -8',
    'git clone -q . "$TMPDIR/copy" && git -C "$TMPDIR/copy" log --oneline | head -3',
    'mkdir -p build/tmp && touch build/tmp/x && rm -r build/tmp',
    'sed -i "s/A note/Two notes/" NOTES.txt && grep -n notes NOTES.txt',
    'git reset --soft HEAD && git restore NOTES.txt',
  ];
}

const started = 'git init -q -b main . && git add -A && git commit -q -m "As it was published"';
const npm = (spec: string) =>
  `npm pack --silent ${spec} | xargs -I{} tar xzf {} --strip-components 1 && rm -f *.tgz`;

export const projects: readonly Project[] = [
  ...['minimist@1.2.8', 'left-pad@1.3.0'].map((spec) => ({
    name: spec,
    needs: ['npm'],
    fetch: `${npm(spec)}; npm pkg delete devDependencies; echo node_modules > .gitignore; ${started}`,
    steps: day({
      setUp: ['npm install --no-audit --no-fund --ignore-scripts tape@5', 'npm ls --depth 0; node --version'],
      check: [
        'npx tape "test/*.js" test.js 2>&1 | tail -5',
        'node --check index.js || node --check lib/index.js',
      ],
      edit: 'echo "// edited" >> "$(git ls-files | grep "[.]js$" | head -1)"',
    }),
  })),
  {
    name: 'mitt@3.0.1 (TypeScript)',
    needs: ['npm'],
    fetch: `${npm('mitt@3.0.1')}; npm pkg delete devDependencies; printf "node_modules\\nout\\n" > .gitignore; ${started}`,
    steps: day({
      setUp: ['npm install --no-audit --no-fund --ignore-scripts --save-dev typescript@5 tsx@4'],
      check: [
        'npx tsc --version',
        'ls dist && npx tsc --noEmit index.d.ts',
        'echo "console.log(1 + 1)" > "$TMPDIR/a.ts" && npx tsx "$TMPDIR/a.ts"',
      ],
      edit: 'echo "export type Edited = true;" >> index.d.ts',
    }),
  },
  {
    name: 'gyp of node-gyp@10.2.0 (Python)',
    needs: ['npm', 'python3'],
    fetch: `${npm('node-gyp@10.2.0')}; printf "__pycache__\\n.venv\\n" > .gitignore; ${started}`,
    steps: day({
      setUp: [
        'python3 -m venv --without-pip .venv',
        '.venv/bin/python -c "import sys; print(sys.version_info[:2])"',
      ],
      check: [
        '(cd gyp/pylib && python3 -m unittest gyp.common_test gyp.easy_xml_test gyp.input_test 2>&1 | tail -3)',
        'python3 -m compileall -q gyp/pylib/gyp/common.py',
        'python3 -c "from multiprocessing import Pool; print(sum(Pool(2).map(abs, [-1, -2])))"',
        'python3 -c "from multiprocessing import Manager; print(Manager().list([1]))"',
      ],
      edit: 'sed -i "1i # edited" gyp/pylib/gyp/common.py',
    }),
  },
  {
    name: 'tree-sitter-json@0.24.8 (C)',
    needs: ['npm', 'gcc', 'make'],
    fetch: `${npm('tree-sitter-json@0.24.8')}; rm -rf prebuilds; printf "*.o\\n*.so\\n" > .gitignore
printf 'libjson.so: src/parser.c\\n\\tgcc -shared -fPIC -O1 -Isrc -o $@ $<\\ncheck: libjson.so\\n\\tnm -D $< | grep -c tree_sitter_json\\nclean:\\n\\trm -f *.so\\n' > Makefile; ${started}`,
    steps: day({
      setUp: ['make', 'make -j2 -B'],
      check: [
        'make check',
        'gcc -fsyntax-only -Wall -Isrc src/parser.c',
        'make clean && make 2>&1 | tail -1',
      ],
      edit: 'echo "/* edited */" >> src/parser.c',
    }),
  },
  {
    name: 'lz4 of lz4@0.6.5 (C)',
    needs: ['npm', 'gcc', 'make'],
    fetch: `${npm('lz4@0.6.5')}; mv deps/lz4/lib .lib; find . -mindepth 1 -maxdepth 1 ! -name .lib -exec rm -rf {} +; mv .lib/* .; rmdir .lib
printf "*.o\\n*.a\\n*.so*\\n*.pc\\ntried\\n" > .gitignore
printf '#include "lz4.h"\\n#include <string.h>\\nint main(void){char in[]="aaaaaaaaaaaaaaaaaaaaaaaa",z[99],out[99];int n=LZ4_compress_default(in,z,sizeof in,sizeof z);return LZ4_decompress_safe(z,out,n,sizeof out)!=(int)sizeof in||strcmp(in,out);}\\n' > tried.c; ${started}`,
    steps: day({
      setUp: ['make liblz4.a 2>&1 | tail -1', 'make -j2 -B liblz4.a >/dev/null 2>&1'],
      check: [
        'gcc -o tried tried.c liblz4.a && ./tried',
        'gcc -fsyntax-only -Wall -Wextra lz4.c lz4hc.c',
        'nm liblz4.a | grep -c " T LZ4_"',
      ],
      edit: 'echo "/* edited */" >> lz4.c',
    }),
  },
  {
    name: 'idna (Python)',
    needs: ['python3', 'unzip'],
    fetch: `python3 -m pip download -q --no-deps --only-binary :all: idna && unzip -q idna-*.whl && rm idna-*.whl
printf 'import unittest, idna\\nclass Names(unittest.TestCase):\\n    def test_both_ways(self):\\n        self.assertEqual(idna.decode(idna.encode("bücher.example")), "bücher.example")\\n' > test_idna.py
printf "__pycache__\\n.venv\\n" > .gitignore; ${started}`,
    steps: day({
      setUp: [
        'python3 -m venv --without-pip .venv',
        '. .venv/bin/activate && python -c "import sys; print(sys.prefix)"',
      ],
      check: [
        'python3 -B -m unittest -q 2>&1 | tail -1',
        '.venv/bin/python -B -c "import idna; print(idna.__version__)"',
        "python3 -B -c \"import ast, pathlib; [ast.parse(p.read_text()) for p in pathlib.Path('idna').glob('*.py')]\"",
      ],
      edit: 'sed -i "1i # edited" idna/core.py',
    }),
  },
  {
    name: 'container, of the language itself (Go)',
    needs: ['go'],
    fetch: `cp -rL "$(go env GOROOT)"/src/container/. . && go mod init day 2>/dev/null && ${started}`,
    steps: day({
      setUp: ['go version', 'go build ./...'],
      check: ['go test ./... 2>&1 | cut -f1,2', 'go vet ./...', 'gofmt -l .'],
      edit: 'echo "// edited" >> list/list.go',
    }),
  },
  {
    name: 'optparse, of the language itself (Ruby)',
    needs: ['ruby'],
    fetch: `mkdir lib && cp -r "$(ruby -e 'puts RbConfig::CONFIG["rubylibdir"]')"/optparse* lib
printf 'require "optparse"\\nrequire "minitest/autorun" rescue LoadError\\nseen = nil\\nOptionParser.new { |o| o.on("-n", "--name NAME") { |n| seen = n } }.parse(%%w[--name x])\\nabort "lost" unless seen == "x"\\nputs "ok"\\n' > tried.rb; ${started}`,
    steps: day({
      setUp: ['ruby --version', 'ruby -Ilib -e "puts OptionParser rescue puts 1"'],
      check: [
        'ruby -Ilib tried.rb',
        'ruby -wc lib/optparse.rb',
        'find lib -name "*.rb" | sort | xargs -n1 ruby -c',
      ],
      edit: 'echo "# edited" >> lib/optparse.rb',
    }),
  },
  {
    name: 'Optional, of the language itself (Java)',
    needs: ['javac', 'unzip'],
    fetch: `mkdir -p src/day && for name in Optional OptionalInt OptionalLong OptionalDouble; do
unzip -p "$(find -L /usr/lib/jvm -name src.zip -size +1M | head -1)" java.base/java/util/$name.java | sed "s/^package java.util;/package day; import java.util.*;/; /ValueBased/d" > src/day/$name.java; done
printf 'package day;\\npublic class Tried { public static void main(String[] a) { if (Optional.of(1).map(x -> x + 1).orElse(0) != 2) System.exit(1); System.out.println("ok"); } }\\n' > src/day/Tried.java
echo out > .gitignore; ${started}`,
    steps: day({
      setUp: ['javac -version', 'javac -d out src/day/*.java'],
      check: [
        'java -cp out day.Tried',
        'javac -Xlint:all -d out src/day/*.java 2>&1 | tail -1',
        'ls out/day',
      ],
      edit: 'echo "// edited" >> src/day/Optional.java',
    }),
  },
  {
    name: 'a crate without dependencies (Rust)',
    needs: ['cargo'],
    fetch: `cargo init -q --lib --vcs none --name day . && echo target > .gitignore && ${started}`,
    steps: day({
      setUp: ['cargo --version', 'cargo build 2>&1 | tail -1'],
      check: ['cargo test -q 2>&1 | grep "test result" | head -1', 'cargo fmt --check || true'],
      edit: 'echo "// edited" >> src/lib.rs',
    }),
  },
  {
    name: 'shell-quote@1.8.1',
    needs: ['npm'],
    fetch: `${npm('shell-quote@1.8.1')}; npm pkg delete devDependencies scripts; npm pkg set devDependencies.tape=^5; echo node_modules > .gitignore; ${started}`,
    steps: day({
      setUp: ['npm install --no-audit --no-fund', 'npm ls --depth 0'],
      check: [
        'npx tape "test/*.js" 2>&1 | tail -5',
        'node -p "require(\'./\').parse(\'a \\"b c\\"\').length"',
      ],
      edit: 'sed -i "1i // edited" index.js',
    }),
  },
  {
    name: 'workspaces of npm',
    needs: ['npm'],
    fetch: `for name in one two; do mkdir -p packages/$name && printf '{"name":"@day/%s","version":"1.0.0","main":"index.js","scripts":{"test":"node --test","build":"node index.js > built.txt"}}' $name > packages/$name/package.json
printf 'exports.name = "%s"; console.log(exports.name);\\n' $name > packages/$name/index.js; printf 'require("node:test")("is named", () => require("node:assert").equal(require("@day/%s").name, "%s"));\\n' $name $name > packages/$name/index.test.js; done
printf '{"name":"day","private":true,"workspaces":["packages/*"]}' > package.json; printf 'node_modules\\nbuilt.txt\\n' > .gitignore; ${started}`,
    steps: day({
      setUp: ['npm install --no-audit --no-fund', 'npm query .workspace | head -3; npm ls'],
      check: [
        'npm test -ws --silent 2>&1 | grep -E "^(# |ℹ )(pass|fail)"',
        'npm run build -w @day/one && cat packages/one/built.txt',
      ],
      edit: 'echo "// edited" >> packages/two/index.js',
    }),
  },
  {
    name: 'a program in C++ (CMake)',
    needs: ['cmake', 'g++'],
    fetch: `printf 'cmake_minimum_required(VERSION 3.16)\\nproject(day CXX)\\nset(CMAKE_CXX_STANDARD 17)\\nadd_library(words words.cpp)\\nadd_executable(day main.cpp)\\ntarget_link_libraries(day words)\\nenable_testing()\\nadd_test(NAME day COMMAND day one two)\\n' > CMakeLists.txt
printf '#include <string>\\n#include <vector>\\nstd::string joined(const std::vector<std::string>& words) { std::string all; for (auto& word : words) all += word; return all; }\\n' > words.cpp
printf '#include <iostream>\\n#include <string>\\n#include <vector>\\nstd::string joined(const std::vector<std::string>&);\\nint main(int n, char** words) { std::cout << joined({words + 1, words + n}) << std::endl; }\\n' > main.cpp
printf 'build\\n' > .gitignore; ${started}`,
    steps: day({
      setUp: ['cmake -S . -B build > /dev/null', 'cmake --build build -j2 2>&1 | tail -1'],
      check: [
        'cmake --build build 2>&1 | tail -1 && ctest --test-dir build 2>&1 | grep "tests passed"; rm -rf build/Testing',
        './build/day one two',
        'g++ -fsyntax-only -Wall -std=c++17 words.cpp',
      ],
      edit: 'echo "// edited" >> words.cpp',
    }),
  },
  {
    name: 'scripts of a shell',
    needs: ['make'],
    fetch: `mkdir bin lib test && printf '#!/usr/bin/env bash\\nset -euo pipefail\\n. "$(dirname "$0")/../lib/words.sh"\\nupper "$*"\\n' > bin/shout && chmod +x bin/shout
printf 'upper() { tr "[:lower:]" "[:upper:]" <<< "$1"; }\\n' > lib/words.sh; printf '#!/bin/sh\\n[ "$(bin/shout a b)" = "A B" ] && echo ok\\n' > test/shout && chmod +x test/shout
printf 'check:\\n\tfor each in test/*; do $$each || exit 1; done\\nlint:\\n\tbash -n bin/* lib/*\\n' > Makefile; touch .gitignore; ${started}`,
    steps: day({
      setUp: ['make lint', 'bash --version | head -1'],
      check: ['make check', 'bin/shout one two | tee >(wc -c >&2)', 'bash -x bin/shout x 2>&1 | tail -1'],
      edit: 'echo "# edited" >> lib/words.sh',
    }),
  },
];
