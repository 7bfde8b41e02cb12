import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { changesOf, withChanges } from './config-changes.ts';
import { nameOf, readConfig } from './config-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'sekisho-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What git reads: names with their values. Undefined where it gives the file up. */
function readByGit(content: string): readonly string[] | undefined {
  const path = join(folder, 'config');
  writeFileSync(path, content, 'latin1');
  try {
    const listed = execFileSync('git', ['config', '--list', '--null', '--file', path], {
      cwd: folder,
      encoding: 'latin1',
      stdio: 'pipe',
    });
    // A variable without a value has no line of its own.
    return listed
      .split('\0')
      .slice(0, -1)
      .map((each) => (each.includes('\n') ? each : `${each}\ntrue`));
  } catch {
    return undefined;
  }
}

function readByUs(content: string): readonly string[] | undefined {
  const { entries, isReadable } = readConfig(content);
  return isReadable ? entries.map((entry) => `${nameOf(entry)}\n${entry.value}`) : undefined;
}

const piece = fc.constantFrom(
  ...[
    '[core]',
    '[Remote "Or\\"i.g\\\\in"]',
    '[a.b]',
    '[a.b "c"]',
    '[ "x"]',
    '[alias',
    ']',
    '"',
    '\\',
    '\\n',
    '\\q',
  ],
  ...[
    '\n',
    '\r\n',
    '\r',
    ' ',
    '\t',
    '=',
    ' = ',
    '#',
    ';',
    'a',
    'URL',
    'x-1',
    '1',
    '\\\n',
    '\\"',
    '\\t',
    '\\b',
  ],
  ...[
    '\v',
    '\xff',
    '\xef\xbb\xbf',
    '[branch "a"]\n\tmerge = refs/heads/a\n',
    '\tk = "v # w"  x ; c\n',
    'bare\n',
  ],
);
const configText = fc.array(piece, { maxLength: 14 }).map((pieces) => `[core]\n${pieces.join('')}`);

test('a configuration is read as git reads it', () => {
  fc.assert(
    fc.property(configText, (content) => {
      expect(readByUs(content)).toEqual(readByGit(content));
    }),
    { numRuns: process.env.SEKISHO_HAMMER === undefined ? 120 : 20_000 },
  );
});

test('a variable before any section, and bytes that end a text for some readers, are not read', () => {
  expect(readConfig('a = b\n').isReadable).toBe(false);
  expect(readConfig('[core]\n\tbare = true\n\tx = a\0b\n').isReadable).toBe(false);
});

test.each([
  ['a carriage return', '[a]\r\n\tb = c\r\n'],
  ['a line that goes on', '[a]\n\tb = c\\\nd\n'],
  ['a section in the old form', '[a.b]\n\tc = d\n'],
  ['a tab between words', '[a]\n\tb = c \t d\n'],
  ['a mark of the byte order', '\xef\xbb\xbf[a]\n\tb = c\n'],
])('%s is none of what git writes by itself', (_what, content) => {
  expect(readConfig(content)).toMatchObject({ isReadable: true, isPlain: false });
});

const line = fc.constantFrom(
  ...[
    '[core]\n',
    '[branch "main"]\n',
    '[branch "a \\"b"] # c\n',
    '[remote "o"]\n',
    '[user]\n',
    '[core] bare = true\n',
  ],
  ...['\tname = a\n', '\tname = b # c\n', '  remote = o\n', '\tmerge = refs/heads/x\n', '# note\n', '\n'],
  ...[
    '\turl = https://example.com\n',
    '\tdescription = "a\\n;b"\n',
    '\tfsmonitor = x\n',
    '\tbare\n',
    '\tmerge = y',
  ],
);
const lines = fc.array(line, { maxLength: 8 }).map((each) => `[user]\n\temail = e\n${each.join('')}`);

describe('changes', () => {
  test('what may change is changed and all else stays, as git reads it', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const then = readConfig(before);
        const now = readConfig(after);
        fc.pre(then.isReadable && now.isReadable);
        const { allowed, refused } = changesOf(then, now, () => false);
        const changed = readByGit(withChanges(before, allowed)) ?? [];
        const valuesIn = (listed: readonly string[] | undefined, name: string) =>
          listed?.filter((each) => each.startsWith(`${name}\n`));
        for (const name of new Set([...then.entries, ...now.entries].map(nameOf))) {
          const from = refused.includes(name) ? before : after;
          expect(valuesIn(changed, name)).toEqual(valuesIn(readByGit(from), name));
        }
        expect(changed.length).toBeLessThanOrEqual(then.entries.length + now.entries.length);
      }),
      { numRuns: process.env.SEKISHO_HAMMER === undefined ? 30 : 2000 },
    );
  });

  test('comments and what was written by hand stay', () => {
    const before = '# mine\n[user]\n\tname = a ; me\n[alias]\n\tst = !x\n[branch "b"]\n\tmerge = c\n';
    const after =
      '[user]\n\tname = b\n[remote "o"]\n\turl = https://example.com/o\n[alias]\n\tst = !x\n\ty = !z\n';
    const { allowed, refused } = changesOf(readConfig(before), readConfig(after), () => false);
    expect(refused).toEqual(['alias.y']);
    expect(withChanges(before, allowed)).toBe(
      '# mine\n[user]\n\tname = b\n[alias]\n\tst = !x\n[branch "b"]\n[remote "o"]\n\turl = https://example.com/o\n',
    );
  });

  test.each([
    ...[
      'core.fsmonitor=x',
      'core.hooksPath=h',
      'core.sshCommand=x',
      'core.gitProxy=x',
      'core.attributesFile=x',
    ],
    ...['core.excludesFile=x', 'core.worktree=/', 'core.editor=x', 'core.pager=x', 'core.askPass=x'],
    ...[
      'core.alternateRefsCommand=x',
      'include.path=x',
      'includeIf.gitdir:/.path=x',
      'alias.st=!x',
      'alias.a b.c=x',
    ],
    ...['filter.x.clean=x', 'filter.x.process=x', 'diff.external=x', 'diff.x.textconv=x', 'diff.x.command=x'],
    ...[
      'merge.x.driver=x',
      'credential.helper=x',
      'credential.https://x.helper=!x',
      'url.https://evil/.insteadOf=https://',
    ],
    ...['url.ext::x.pushInsteadOf=x', 'remote.x.uploadpack=x', 'remote.x.receivepack=x', 'remote.x.vcs=x'],
    ...[
      'remote.x.proxy=x',
      'remote.x.url=ext::sh',
      'remote.x.url=-x',
      'remote.x.url=ssh://-oProxyCommand=x',
      'remote.x.url=a::b',
    ],
    ...['remote.origin.url=https://elsewhere.example', 'remote.origin.pushurl=https://elsewhere.example'],
    ...[
      'branch.x.remote=ext::sh',
      'branch.x.remote=https://elsewhere.example',
      'branch.x.merge=-x',
      'branch.x.rebase=!x',
    ],
    ...[
      'gpg.program=x',
      'gpg.ssh.program=x',
      'sequence.editor=x',
      'pager.log=x',
      'protocol.ext.allow=always',
    ],
    ...[
      'submodule.x.update=!x',
      'submodule.x.url=ext::x',
      'http.proxy=x',
      'http.sslVerify=false',
      'http.cookieFile=x',
    ],
    ...[
      'uploadpack.packObjectsHook=x',
      'trailer.x.command=x',
      'sendemail.smtpServer=/x',
      'interactive.diffFilter=x',
    ],
    ...['constructor.name=x', 'branch.x.constructor=y', 'safe.directory=*', 'init.templateDir=x'],
    ...[
      'transfer.credentialsInUrl=allow',
      'man.x.cmd=x',
      'browser.x.cmd=x',
      'difftool.x.cmd=x',
      'color.x.y.z=x\ny',
    ],
  ])('%s is no change that a command may make', (setting) => {
    const [, name = '', value = ''] = /^([^=]+(?:=(?=.*insteadOf))?[^=]*)=(.*)$/s.exec(setting) ?? [];
    const before = '[remote "origin"]\n\turl = https://example.com/o\n';
    const path = join(folder, 'config');
    writeFileSync(path, before);
    execFileSync('git', ['config', '--file', path, name, value]);
    const after = execFileSync('cat', [path], { encoding: 'latin1' });
    const { allowed, refused } = changesOf(readConfig(before), readConfig(after), () => false);
    expect([allowed, refused.length]).toEqual([[], 1]);
  });

  test.each([
    ...[
      'user.name=A "B" \\ C',
      'user.email=a@b.example',
      'branch.main.description=one\ntwo\t# three\n',
      'init.defaultBranch=main',
    ],
    ...[
      'branch.main.remote=origin',
      'branch.main.merge=refs/heads/main',
      'branch.main.rebase=true',
      'branch.a.b/c.remote=.',
    ],
    ...[
      'remote.up.url=git@example.com:a/b.git',
      'remote.up.url=https://example.com/a',
      'remote.up.url=ssh://git@example.com/a',
    ],
    ...[
      'remote.up.fetch=+refs/heads/*:refs/remotes/up/*',
      'pull.rebase=true',
      'push.default=current',
      'color.ui=auto',
    ],
    ...[
      'core.autocrlf=input',
      'core.ignoreCase=true',
      'branch.日本語.remote=origin',
      'color.diff.meta=yellow bold',
    ],
  ])('%s is a change that a command may make, and reads back', (setting) => {
    const at = setting.indexOf('=');
    const path = join(folder, 'config');
    writeFileSync(path, '[remote "origin"]\n\turl = https://example.com/o\n');
    const before = execFileSync('cat', [path], { encoding: 'latin1' });
    execFileSync('git', ['config', '--file', path, setting.slice(0, at), setting.slice(at + 1)]);
    const after = execFileSync('cat', [path], { encoding: 'latin1' });
    const { allowed, refused } = changesOf(readConfig(before), readConfig(after), () => false);
    expect([refused, readConfig(after).isPlain]).toEqual([[], true]);
    expect(readByGit(withChanges(before, allowed))).toEqual(readByGit(after));
  });
});
