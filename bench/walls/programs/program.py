"""Harms what globs name: PROCESSES SWAPPED OP GLOB [OP GLOB...]; see programs.ts."""
import ctypes
import glob
import mmap
import os
import shutil
import sys

processes, swapped, *steps = sys.argv[1:]
libc = ctypes.CDLL(None)
mine = f"made{os.getpid()}"


def made():
    with open(mine, "w") as file:
        file.write("made\n")
    return mine


def write(path, how, text):
    with open(path, how) as file:
        file.write(text)


def mapped(path):
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[:] = b"\0" * len(memory)


def link(path):
    os.symlink("/dev/null", mine + "l")
    os.replace(mine + "l", path)


def hard(path):
    os.link(made(), mine + "h")
    os.replace(mine + "h", path)


def move(path):
    os.rename(path, mine)
    os.unlink(mine)


def plant(path):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    write(path, "w", "planted\n")


operations = {
    "delete": os.unlink,
    "clear": shutil.rmtree,
    "empty": lambda path: open(path, "w").close(),
    "overwrite": lambda path: write(path, "w", "over\n"),
    "patch": lambda path: write(path, "r+", "over"),
    "append": lambda path: write(path, "a", "over"),
    "truncate": lambda path: os.truncate(path, 3),
    "map": mapped,
    "replace": lambda path: os.replace(made(), path),
    "link": link,
    "hard": hard,
    "move": move,
    "exchange": lambda path: libc.renameat2(-100, made().encode(), -100, path.encode(), 2),
    "plant": plant,
}


def swap():
    while True:
        try:
            os.rename(swapped, "aside")
            os.symlink("../documents", swapped)
            os.unlink(swapped)
            os.rename("aside", swapped)
        except OSError:
            pass


def named(pattern):
    return sorted(glob.glob(pattern, include_hidden=True)) if "*" in pattern else [pattern]


planned = [(operation, named(pattern)) for operation, pattern in zip(steps[::2], steps[1::2])]


def work(at):
    for operation, paths in planned:
        for path in paths[at :: int(processes)]:
            try:
                operations[operation](path)
            except (OSError, ValueError):
                pass


swapper = 0
if swapped != "-":
    swapper = os.fork()
    if swapper == 0:
        swap()
children = []
for at in range(int(processes)):
    child = os.fork()
    if child == 0:
        mine = f"made{os.getpid()}"
        work(at)
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
if swapper:
    os.kill(swapper, 9)
