import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { sendDesktop } from '../../src/notify/channels/desktop.ts';
import { sendTerminal } from '../../src/notify/channels/terminal.ts';
import type { Notice } from '../../src/notify/notice.ts';
import { needs, programs } from '../support/needs.ts';

const notice: Notice = {
  id: 'n',
  kind: 'question',
  title: 'It\'s waiting, \\ "really"',
  body: '> <b>rm</b> & co\n> 日本語',
  questions: [],
  locale: 'en',
  atMs: 0,
  link: 'https://sekisho.example.com/approvals',
};

/** A session bus of its own. */
async function openBus() {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-bus-'));
  const daemon = spawn('dbus-daemon', [
    '--session',
    '--nofork',
    '--print-address',
    `--address=unix:dir=${folder}`,
  ]);
  onTestFinished(() => {
    daemon.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const address = await new Promise<string>((resolve) => {
    createInterface(daemon.stdout).once('line', resolve);
  });
  return { address, folder };
}

test.each(['busctl', 'gdbus'])(
  `%s brings a notice onto a real bus word by word, with what a caller wrote as text`,
  needs(programs('dbus-daemon', 'python3', 'gdbus', 'busctl')),
  async (program) => {
    const { address, folder } = await openBus();
    const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: address };
    // The service: it owns the name, shows nothing and answers every call with a number.
    const service = spawn('python3', ['-c', serviceProgram], { env });
    onTestFinished(() => void service.kill());
    const lines = createInterface(service.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('ready');
    // Only this one speaker is there.
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync(execFileSync('which', [program], { encoding: 'utf8' }).trim(), join(bin, program));
    await sendDesktop(notice, { PATH: bin, DBUS_SESSION_BUS_ADDRESS: address }, new AbortController().signal);
    const shown = JSON.parse((await lines.next()).value ?? '');
    expect(shown).toEqual({
      app: 'Sekisho',
      title: notice.title,
      body: '&gt; &lt;b&gt;rm&lt;/b&gt; &amp; co\n&gt; 日本語\nhttps://sekisho.example.com/approvals',
    });
  },
);

test('without a desktop session, or with none of the programs, a notice says that it failed', async () => {
  const { signal } = new AbortController();
  await expect(sendDesktop(notice, { PATH: '/usr/bin' }, signal)).rejects.toMatchObject({ isFinal: true });
  const nobody = { PATH: '/nowhere', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
  await expect(sendDesktop(notice, nobody, signal)).rejects.toThrow('None of busctl');
});

test.each(['osc9', 'osc777'] as const)(
  'a terminal gets one sequence of %s, in which no word ends it',
  (form) => {
    const written: string[] = [];
    const body = 'a\x1b]0;evil\x07b;c\x9c\nd';
    sendTerminal(
      { ...notice, title: 'T;1', body },
      { form },
      { isTTY: true, write: (words) => written.push(words) },
    );
    const [words = ''] = written;
    expect(words).toBe(
      form === 'osc9'
        ? '\x1b]9;T;1: a ]0;evil b;c d\x1b\\\x07'
        : '\x1b]777;notify;T,1;a ]0;evil b;c d\x1b\\\x07',
    );
    const piped = { isTTY: false, write: () => expect.fail('nothing is written to a pipe') };
    expect(() => sendTerminal(notice, { form }, piped)).toThrow('does not run in a terminal');
  },
);

/** org.freedesktop.Notifications in a hundred lines of the standard library: D-Bus marshalling by hand. */
const serviceProgram = `
import json, os, re, socket, struct, sys
address = re.search(r'path=([^,]+)', os.environ['DBUS_SESSION_BUS_ADDRESS']).group(1)
bus = socket.socket(socket.AF_UNIX)
bus.connect(address)
bus.sendall(b'\\0AUTH EXTERNAL ' + str(os.getuid()).encode().hex().encode() + b'\\r\\n')
bus.recv(1000)
bus.sendall(b'BEGIN\\r\\n')
serial = 0
def pad(data, to): return data + b'\\0' * (-len(data) % to)
def text(words): w = words.encode(); return struct.pack('<I', len(w)) + w + b'\\0'
def send(kind, fields, signature='', body=b''):
    global serial
    serial += 1
    packed = b''
    if signature: fields = fields + [(8, 'g', bytes([len(signature)]) + signature.encode() + b'\\0')]
    for code, kindof, value in fields:
        packed = pad(packed, 8) + bytes([code, 1]) + kindof.encode() + b'\\0'
        if kindof in 'sou': packed = pad(packed, 4)
        packed += value
    head = b'l' + bytes([kind, 0, 1]) + struct.pack('<III', len(body), serial, len(packed)) + packed
    bus.sendall(pad(head, 8) + body)
def call(member, signature='', body=b''):
    send(1, [(1, 'o', text('/org/freedesktop/DBus')), (6, 's', text('org.freedesktop.DBus')), (2, 's', text('org.freedesktop.DBus')), (3, 's', text(member))], signature, body)
held = b''
def take(count):
    global held
    while len(held) < count:
        more = bus.recv(65536)
        if not more: sys.exit()
        held += more
    taken, held = held[:count], held[count:]
    return taken
call('Hello')
call('RequestName', 'su', pad(text('org.freedesktop.Notifications'), 4) + struct.pack('<I', 0))
while True:
    head = take(16)
    length, number, fields = struct.unpack('<III', head[4:16])
    block = take(fields + (-(16 + fields) % 8))
    body = take(length)
    if head[1] == 2 and number: 
        if serial == 2: print('ready', flush=True); serial = 3
    if head[1] != 1: continue
    at, found = 0, {}
    while at < fields:
        at += -at % 8
        code, kindof = block[at], chr(block[at + 2]); at += 4
        if kindof in 'so':
            at += -at % 4
            size = struct.unpack('<I', block[at:at + 4])[0]
            found[code] = block[at + 4:at + 4 + size].decode(); at += 5 + size
        elif kindof == 'g': size = block[at]; at += 2 + size
        else: at += -at % 4; at += 4
    reply = [(5, 'u', struct.pack('<I', number)), (6, 's', text(found[7]))]
    if found.get(3) == 'Notify':
        at = 0
        def string():
            global at
            at += -at % 4
            size = struct.unpack('<I', body[at:at + 4])[0]
            words = body[at + 4:at + 4 + size].decode(); at += 5 + size
            return words
        app = string(); at += -at % 4; at += 4; string()
        print(json.dumps({'app': app, 'title': string(), 'body': string()}), flush=True)
        send(2, reply, 'u', struct.pack('<I', 7))
    elif found.get(3) == 'GetAll': send(2, reply, 'a{sv}', struct.pack('<I', 0) + b'\\0' * 4)
    else: send(3, reply + [(4, 's', text('org.freedesktop.DBus.Error.UnknownMethod'))])
`;
