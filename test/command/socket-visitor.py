"""Runs inside the sandbox and knocks at every socket of Unix that is not the session's own. Prints what each came to."""
import array, ctypes, errno, json, os, socket, sys, threading, time

told = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)


def knock(path, kind=socket.SOCK_STREAM):
    door = socket.socket(socket.AF_UNIX, kind)
    try:
        door.connect(path)
        return 'connected'
    finally:
        door.close()


def raw(fd, path, length=None):
    address = bytes([1, 0]) + path
    if libc.connect(fd, address, length or len(address)) != 0:
        raise OSError(ctypes.get_errno(), 'connect')
    return 'connected'


def elsewhere(work):
    """In another process, which was handed the socket."""
    ours, theirs = socket.socketpair()
    door = socket.socket(socket.AF_UNIX)
    ours.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [door.fileno()]))])
    if os.fork() == 0:
        _, [[_, _, data]], _, _ = theirs.recvmsg(1, 100)
        code = 1
        try:
            work(array.array('i', data)[0])
            code = 0
        finally:
            os._exit(code)
    return 'connected' if os.wait()[1] == 0 else 'refused'


def own_listener(path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    return server


def swapped_file():
    """The path of a listener of ours, which becomes the name of theirs."""
    server = own_listener('own')
    knock('own')
    os.link(told['inRoot'], 'taken')
    os.rename('taken', 'own')
    try:
        return knock('own')
    finally:
        server.close()


def swapped_memory():
    """The address changes between the look of whoever checks it and the call."""
    server = own_listener('mine.sock')
    server.setblocking(False)
    harmless, wanted = b'mine.sock\0', os.path.basename(told['inRoot']).encode() + b'\0'
    size = 2 + max(len(harmless), len(wanted))
    memory = ctypes.create_string_buffer(bytes([1, 0]) + harmless, size)
    over = threading.Event()

    def swap():
        while not over.is_set():
            memory[2:2 + len(wanted)] = wanted
            memory[2:2 + len(harmless)] = harmless

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(100):
            door = socket.socket(socket.AF_UNIX)
            libc.connect(door.fileno(), memory, size)
            door.close()
            try:
                server.accept()[0].close()
            except BlockingIOError:
                pass
    finally:
        over.set()
        thread.join()
        server.close()
    return 'refused'  # whoever listens there says whether it came


def swapped_descriptor():
    """A socket of the internet becomes one of Unix while the connection is made."""
    wanted = bytes([1, 0]) + told['inRoot'].encode() + b'\0'
    over = threading.Event()
    place = socket.socket(socket.AF_INET).detach()
    doors = [socket.socket(socket.AF_INET), socket.socket(socket.AF_UNIX)]

    def swap():
        while not over.is_set():
            for door in doors:
                os.dup2(door.fileno(), place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(100):
            libc.connect(place, wanted, len(wanted))
    finally:
        over.set()
        thread.join()
    return 'refused'


def later():
    """A listener that somebody outside starts when we are at it."""
    open('ready-for-later', 'w').close()
    until = time.monotonic() + 20
    last = None
    while time.monotonic() < until:
        try:
            return knock(told['later'])
        except OSError as error:
            last = error
            if error.errno != errno.ENOENT:
                raise
        time.sleep(0.01)
    raise last


def datagram_from_pair():
    ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.sendto(b'leak', told['datagram'])
    return 'sent'


short = os.path.basename(told['inRoot']).encode()
attempts = {
    'in the root': lambda: knock(told['inRoot']),
    'by a short name, in the bytes of an internet address': lambda: raw(socket.socket(socket.AF_UNIX).detach(), short.ljust(14, b'\0'), 16),
    'by a name without an end': lambda: raw(socket.socket(socket.AF_UNIX).detach(), short, 2 + len(short)),
    'through a link': lambda: os.symlink(told['inRoot'], 'link') or knock('link'),
    'through /proc': lambda: knock('/proc/self/cwd/' + short.decode()),
    'through the root of a process': lambda: knock('/proc/self/root' + told['inRoot']),
    'by another name of it': lambda: os.link(told['inRoot'], 'hard') or knock('hard'),
    'in the place of one of ours': swapped_file,
    'by an address that changes': swapped_memory,
    'by a descriptor that changes': swapped_descriptor,
    'by packets': lambda: knock(told['packets'], socket.SOCK_SEQPACKET),
    'by a datagram': lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'leak', told['datagram']),
    'by a datagram from a pair': datagram_from_pair,
    'by a socket of another process': lambda: elsewhere(lambda fd: raw(fd, told['inRoot'].encode() + b'\0')),
    'made after the start': later,
    'in a folder of tools': lambda: knock(told['readable']),
    'outside': lambda: knock(told['outside']),
    'outside, through a link in the root': lambda: os.symlink(told['outside'], 'out') or knock('out'),
    'an abstract one': lambda: knock('\0' + told['abstract']),
    'of another session': lambda: knock(told['otherSession']),
}

report = {}
for name, attempt in attempts.items():
    try:
        report[name] = attempt() or 'sent'
    except OSError as error:
        report[name] = errno.errorcode[error.errno]
print(json.dumps(report))
