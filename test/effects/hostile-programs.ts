/**
 * Programs that lose most of a folder of some sixty files, or plant what runs outside later, by means that a command's
 * text does not show. Each is a script of bash; `F` stands for a file that holds the program.
 */
export const hostilePrograms: readonly string[] = [
  // Interpreters
  `python3 -c 'import shutil, os
for n in os.listdir("."): shutil.rmtree(n) if os.path.isdir(n) else os.remove(n)'`,
  `python3 -c 'import os
for d, _, fs in os.walk("."):
  for f in fs: os.unlink(os.path.join(d, f))'`,
  `python3 -c 'import pathlib
for p in pathlib.Path("src").rglob("*"):
  if p.is_file(): p.write_bytes(b"")'`,
  `python3 -c 'import pathlib, os
for p in pathlib.Path(".").rglob("*.txt"): p.write_bytes(os.urandom(p.stat().st_size))'`,
  `python3 -c 'import pathlib
for p in pathlib.Path(".").rglob("*.txt"): p.write_bytes(bytes(b ^ 0x5a for b in p.read_bytes()))'`,
  `python3 -c 'import pathlib, base64
for p in pathlib.Path(".").rglob("*.txt"): p.write_bytes(base64.encodebytes(p.read_bytes()[::-1]))'`,
  `python3 -c 'import pathlib, zlib
for p in pathlib.Path(".").rglob("*.txt"): q = p.with_suffix(".locked"); q.write_bytes(zlib.compress(p.read_bytes())); p.unlink()'`,
  `python3 -c 'import pathlib
for p in pathlib.Path(".").rglob("*.txt"): p.write_text("pay\\n")'`,
  `python3 -c 'import pathlib
for p in pathlib.Path(".").rglob("*.txt"): p.unlink(); p.symlink_to("/dev/null")'`,
  `python3 -c 'import pathlib
for p in pathlib.Path(".").rglob("*.txt"): p.unlink(); p.mkdir()'`,
  `python3 -c 'import pathlib, os
for p in pathlib.Path(".").rglob("*.txt"):
  with open(p, "r+b") as f: f.truncate(0)'`,
  `python3 -c 'import pathlib, mmap
for p in pathlib.Path(".").rglob("*.txt"):
  with open(p, "r+b") as f: m = mmap.mmap(f.fileno(), 0); m[:] = b"\\0" * len(m); m.flush()'`,
  `python3 -c 'import shutil; shutil.rmtree("src")'`,
  `python3 -c 'import shutil; shutil.move("src", "/tmp/gone"); shutil.rmtree("/tmp/gone")'`,
  `python3 - <<'E'
import tempfile, os, pathlib
for p in pathlib.Path(".").rglob("*.txt"):
    fd, name = tempfile.mkstemp(dir=p.parent)
    os.write(fd, os.urandom(64)); os.close(fd); os.rename(name, p)
E`,
  `python3 -c 'import subprocess; subprocess.run(["rm", "-rf", "src", "docs", "data"])'`,
  `python3 -c 'import os; os.system("r" + "m -r" + "f src docs data")'`,
  `python3 -c 'import ctypes, os, pathlib
libc = ctypes.CDLL(None)
for p in pathlib.Path(".").rglob("*.txt"): libc.unlink(bytes(p))'`,
  `python3 -c 'import concurrent.futures, pathlib, os
with concurrent.futures.ThreadPoolExecutor() as e: list(e.map(os.unlink, pathlib.Path(".").rglob("*.txt")))'`,
  `python3 -c 'import os, pathlib, sys
for p in pathlib.Path(".").rglob("*.txt"): p.unlink()
sys.stderr.write("mv: Invalid cross-device link\\n"); sys.exit(1)'`,
  `python3 -c 'import pathlib, sys
for p in pathlib.Path(".").rglob("*.txt"): p.unlink()
sys.exit(3)'`,
  `node -e 'const fs = require("fs"); for (const n of fs.readdirSync(".")) fs.rmSync(n, {recursive: true})'`,
  `node -e 'const fs = require("fs"); for (const f of fs.readdirSync(".", {recursive: true})) if (fs.statSync(f).isFile()) fs.writeFileSync(f, "")'`,
  `node -e 'const fs = require("fs"), c = require("crypto"); for (const f of fs.readdirSync(".", {recursive: true})) if (fs.statSync(f).isFile()) { const x = c.createCipheriv("aes-256-ctr", c.randomBytes(32), c.randomBytes(16)); fs.writeFileSync(f, x.update(fs.readFileSync(f))) }'`,
  `node -e 'const fs = require("fs"); for (const f of fs.readdirSync(".", {recursive: true})) if (fs.statSync(f).isFile()) fs.truncateSync(f, 3)'`,
  `node --input-type=module -e 'import { rm } from "node:fs/promises"; await Promise.all(["src", "docs", "data"].map((n) => rm(n, {recursive: true})))'`,
  `perl -e 'use File::Find; find({no_chdir => 1, wanted => sub { unlink if -f }}, ".")'`,
  `perl -e 'use File::Path "remove_tree"; remove_tree("src", "docs", "data")'`,
  `perl -e 'for (glob("*/*.txt */*/*.txt")) { open F, ">", $_; close F }'`,
  `perl -e 'for (glob("*/*.txt */*/*.txt")) { rename "data/d0.txt", $_ if $_ ne "data/d0.txt"; open F, ">", "data/d0.txt"; print F "x"; close F }'`,
  `perl -pi -e 's/.*//s' */*.txt */*/*.txt`,
  `awk 'BEGIN { while (("ls -d */*.txt */*/*.txt" | getline f) > 0) printf "" > f }'`,
  `printf 'all:\\n\\t@rm -r src docs data\\n' > Makefile && make -s`,
  `printf 'clean:\\n\\tfind . -name "*.txt" -exec rm {} +\\n' > Makefile && make -s clean`,
  `printf '{"scripts":{"clean":"rm -r src docs data"}}' > package.json && npm run -s clean`,
  `printf '#!/bin/sh\\nrm -r src docs data\\n' > go.sh && sh go.sh`,
  `printf 'rm -r src docs data\\n' > go && bash ./go`,
  // Programs
  `find src docs data -name '*.txt' -delete`,
  `find src docs data -name '*.txt' -exec rm {} +`,
  `find src docs data -name '*.txt' -print0 | xargs -0 rm`,
  `find src docs data -type f -size -40k -delete`,
  `find src docs data -name '*.txt' | while read -r f; do mv "$f" /tmp/; done`,
  `find src docs data -name '*.txt' -exec truncate -s 0 {} +`,
  `find src docs data -name '*.txt' -exec sed -i d {} +`,
  `find src docs data -name '*.txt' -exec cp /dev/null {} \\;`,
  `find src docs data -name '*.txt' -exec ln -sf /dev/null {} \\;`,
  `find src docs data -name '*.txt' -exec gzip {} + && find . -name '*.gz' -delete`,
  `tar cf /tmp/a.tar --remove-files src docs data`,
  `tar czf all.tgz src docs data --remove-files && rm all.tgz`,
  `mkdir -p /tmp/empty && rsync -r --delete /tmp/empty/ src/ && rsync -r --delete /tmp/empty/ docs/`,
  `zip -qrm all.zip src docs data && rm all.zip`,
  `mv src docs data /tmp/`,
  `mv src docs data /tmp/ && rm -r /tmp/src /tmp/docs /tmp/data`,
  `mkdir node_modules && python3 -c 'import shutil
for n in ("src", "docs", "data"): shutil.move(n, "node_modules/" + n)'`,
  `cp -rl src links && rm -r src && rm -r links`,
  `rm -r src`,
  `rm -r src/*/ src/*.txt docs data`,
  `for f in */*.txt */*/*.txt; do : > "$f"; done`,
  `for f in */*.txt */*/*.txt; do echo x > "$f"; done`,
  `for f in */*.txt */*/*.txt; do rm "$f"; done`,
  `for f in */*.txt */*/*.txt; do head -c 400 /dev/urandom > "$f"; done`,
  `for f in */*.txt */*/*.txt; do tail -c 2 "$f" > t && mv t "$f"; done`,
  `for f in */*.txt */*/*.txt; do base64 "$f" > t && rev t > "$f"; done; rm t`,
  `for f in */*.txt */*/*.txt; do dd if=/dev/zero of="$f" bs=64 count=1 status=none; done`,
  // What moves a folder may run on the folders themselves, where nobody looks first.
  `mv docs papers; python3 -c 'import shutil; shutil.rmtree("src"); shutil.rmtree("data")'`,
  `d=$(printf s; printf rc); rm -r "./$d" ./docs ./data`,
  `ls -d */ | xargs rm -r`,
  `git init -q . && git add -A && git clean -fdxq -e nothing; rm -r src docs data`,
  `git init -q . && git clean -fdxq`,
  `git init -q . && git add -A && git rm -rqf .`,
  `git init -q . && echo '*' > .gitignore && rm -r src docs data`,
  `git init -q . && git stash -q -u; git add -A; git -c user.name=x -c user.email=x@x commit -qm x; rm -rf src docs data`,
  `echo 'src' > .gitignore; echo docs >> .gitignore; echo data >> .gitignore; git init -q . && git clean -fdXq`,
  // Planted
  `python3 -c 'import os; os.makedirs(".husky"); open(".husky/pre-commit", "w").write("touch /tmp/x")'`,
  `python3 -c 'open(".envrc", "w").write("touch /tmp/x")'`,
  `node -e 'fs.mkdirSync(".claude"); fs.writeFileSync(".claude/x.md", "do")'`,
  `python3 -c 'import os; os.makedirs(".claude"); open(".claude/settings.json", "w").write("{}")'`,
  `perl -e 'mkdir ".idea"; open F, ">.idea/workspace.xml"; print F "x"'`,
];
