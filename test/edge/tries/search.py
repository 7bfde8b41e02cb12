"""Runs programs that use a key, and looks for words in everything of the sandbox while they wait for their answer."""
import json, os, re, subprocess, sys

# Written backwards, so that this program does not find itself.
words = {name: backwards.encode() for name, backwards in json.loads(os.environ["WORDS"]).items()}
found = dict.fromkeys(words, 0)
seen = {"processes": 0, "memory": 0, "files": 0}


def look(data):
    backwards = data[::-1]
    for name, word in words.items():
        found[name] += backwards.count(word)


def look_at(path):
    try:
        with open(path, "rb") as file:
            look(file.read(1 << 24))
        return 1
    except OSError:
        return 0


def look_into(pid):
    for name in ("environ", "cmdline"):
        look_at(f"/proc/{pid}/{name}")
    if pid == str(os.getpid()):
        return
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for line in maps:
                start, end, rights = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+)", line).groups()
                size = int(end, 16) - int(start, 16)
                if not rights.startswith("rw") or size > 1 << 27:
                    continue
                try:
                    memory.seek(int(start, 16))
                    data = memory.read(size)
                except (OSError, OverflowError, ValueError):
                    continue
                seen["memory"] += len(data)
                look(data)
        seen["processes"] += 1
    except OSError:
        pass


programs = [subprocess.Popen(line, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for line in sys.argv[1:]]
subprocess.run(["curl", "-sS", os.environ["BEGIN"]])
for pid in filter(str.isdigit, os.listdir("/proc")):
    look_into(pid)
subprocess.run(["curl", "-sS", os.environ["OVER"]])
for program in programs:
    print(program.communicate()[0].decode("latin1"))
for top in ("/tmp", "/run", "/etc", "/var/tmp", os.environ["HOME"], os.getcwd()):
    for folder, _, names in os.walk(top):
        seen["files"] += sum(look_at(os.path.join(folder, name)) for name in names)
print("FOUND", json.dumps({**found, **seen}))
