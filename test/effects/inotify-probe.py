# Prints what inotify answers and reports, with the watches numbered as they come: the same on a layer as without one.
import ctypes, errno, os, select, struct, time
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    result = getattr(libc, name)(*args)
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]
numbers = {}
def number(wd):
    return numbers.setdefault(wd, len(numbers) + 1) if isinstance(wd, int) else wd
def events(fd, ms=300):
    found = []
    while select.select([fd], [], [], ms / 1000)[0]:
        data = os.read(fd, 4096); at = 0
        while at < len(data):
            wd, mask, cookie, size = struct.unpack_from('iIII', data, at)
            name = data[at + 16:at + 16 + size].rstrip(b'\0').decode()
            found.append((number(wd), hex(mask), bool(cookie), name)); at += 16 + size
    return found
def write(path, text='x'):
    with open(path, 'w') as file: file.write(text)
ALL = 0xfff & ~(1 | 0x10 | 0x20)
fd = call('inotify_init1', 0o2004000)
print('flags', os.get_inheritable(fd), os.get_blocking(fd))
d = call('inotify_add_watch', fd, b'd', ALL); f = call('inotify_add_watch', fd, b'd/f', ALL)
print('again', call('inotify_add_watch', fd, os.path.abspath('d').encode(), ALL) == d, number(d), number(f))
write('d/f'); print('write', events(fd))
write('d/new'); os.rename('d/new', 'd/f'); print('replace', events(fd))
f = call('inotify_add_watch', fd, b'd/f', ALL); os.chmod('d/f', 0o600); print('mode', number(f), events(fd))
os.mkdir('d/e'); os.rmdir('d/e'); os.unlink('d/f'); print('gone', events(fd))
print('link', number(call('inotify_add_watch', fd, b'l', 0x2000100)), call('inotify_add_watch', fd, b'l/../d', ALL) == d)
print('remove', call('inotify_rm_watch', fd, d), events(fd), call('inotify_rm_watch', fd, d), call('inotify_rm_watch', fd, 999))
print('once', number(call('inotify_add_watch', fd, b'd', 0x80000100))); write('d/1'); write('d/2'); print(events(fd))
print('new', call('inotify_add_watch', fd, b'd', 0x10000100) > 0, call('inotify_add_watch', fd, b'd', 0x10000100))
print('errors', call('inotify_add_watch', fd, b'none', ALL), call('inotify_add_watch', 77, b'd', ALL),
      call('inotify_add_watch', 1, b'd', ALL), call('inotify_add_watch', fd, b'g', 0x1000100), call('inotify_add_watch', fd, 16, ALL),
      call('inotify_add_watch', fd, b'', ALL), call('inotify_add_watch', fd, b'x' * 5000, ALL), call('inotify_add_watch', fd, b'd', 0),
      call('inotify_init1', 1), call('inotify_add_watch', fd, b'/root/secret', ALL) in ('ENOENT', 'EACCES'))
slow = call('inotify_init'); print('init', os.get_inheritable(slow), os.get_blocking(slow))
m = call('inotify_add_watch', slow, b'many', 0x100)
for i in range(300): write(f'many/{i}')
time.sleep(.2)
print('many', len({name for *_, name in events(slow)}))
