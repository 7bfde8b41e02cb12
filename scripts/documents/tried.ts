/**
 * `node scripts/documents/tried.ts [003 …]`: tries the points of the five documents on the built server, by `tools/list` and
 * `tools/call`, and prints a table: `works`, `differs` with the reason that the page gives, `FAILS`, or `by its test` where no
 * single call can show it. Exits with 1 if a point fails.
 */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitions, memberOf } from './definitions.ts';
import { listedMember } from './listed.ts';
import { checklist } from './pages.ts';
import type { Point } from './points.ts';
import { openServed, type Served } from './served.ts';
import { type Bench, fails, gives, refuses } from './trials/bench.ts';
import { further } from './trials/further.ts';
import { tryTeam } from './trials/team.ts';

const program = '#!/bin/sh\necho hi\n';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const agentCli: Bench = {
  document: '000',
  serving: {
    args: ['--toolsets', 'agent-cli', '--allow-path', '/etc/hostname'],
    environment: { SECRET_KEY: 'hidden' },
    files: { 'a.txt': 'hello\n', 'p.png': png, 'run.sh': program, 'sub/b.txt': 'b\n' },
  },
  probes: {
    'file_read returns the content of the file at a path': async (s) =>
      (await s.call('file_read', { path: 'a.txt' })).data.content === 'hello\n',
    'Only the start folder and paths allowed with `--allow-path` can be read': async (s) =>
      fails(await s.call('file_read', { path: '/etc/passwd' }), 'out_of_scope'),
    '`--allow-path` takes single files as well as folders': async (s) =>
      !(await s.call('file_read', { path: '/etc/hostname' })).isError,
    'A path is absolute, or relative to a root': async (s) =>
      gives(await s.call('file_read', { path: join(s.root, 'a.txt') }), 'hello'),
    'A symbolic link never leads to a path that is not allowed': async (s) => {
      symlinkSync('/etc/passwd', join(s.root, 'link'));
      return refuses(await s.call('file_read', { path: 'link' }), 'symbolic link that leads outside');
    },
    'Binary files are not read': async (s) =>
      refuses(await s.call('file_read', { path: 'p.png' }), 'image/png; only text files are read'),
    'file_write creates or replaces a file with the given content': async (s) => {
      await s.call('file_write', { path: 'new.txt', content: 'one' });
      await s.call('file_write', { path: 'new.txt', content: 'two', overwrite: true });
      return readFileSync(join(s.root, 'new.txt'), 'utf8') === 'two';
    },
    'Only the start folder and paths allowed with `--allow-path` can be written': async (s) =>
      fails(await s.call('file_write', { path: '/tmp/x.txt', content: 'x' }), 'out_of_scope'),
    'Without `overwrite`, an existing file is an error and stays unchanged': async (s) =>
      fails(await s.call('file_write', { path: 'a.txt', content: 'x' }), 'conflict') === true &&
      readFileSync(join(s.root, 'a.txt'), 'utf8') === 'hello\n',
    'Executables (`.exe`, `.sh` …) are not written': async (s) =>
      refuses(
        await s.call('file_write', { path: 'x.sh', content: program }),
        'programs and scripts are not written',
      ),
    'The content decides, so ordinary files can be written': async (s) =>
      !(await s.call('file_write', { path: 'notes.md', content: '# Notes\n' })).isError,
    'The content of an existing program cannot be replaced either': async (s) =>
      (await s.call('file_write', { path: 'run.sh', content: 'echo', overwrite: true })).isError,
    'shell_exec runs a command and returns stdout, stderr and the exit code': async (s) => {
      const { data } = await s.call('shell_exec', { command: 'echo out; echo err >&2; exit 3' });
      return (data.stdout === 'out\n' && data.stderr === 'err\n' && data.exitCode === 3) || data;
    },
    '`args` are passed to the program unchanged': async (s) =>
      (await s.call('shell_exec', { command: 'printf', args: ['%s|', 'a b', '$HOME', '*'] })).data.stdout ===
      'a b|$HOME|*|',
    '`rm -rf`, `shutdown`, `format` and similar commands are refused': async (s) =>
      fails(await s.call('shell_exec', { command: 'rm -rf /' }), 'denied'),
    'They are refused as well if they are wrapped, quoted or nested': async (s) =>
      fails(await s.call('shell_exec', { command: 'sh -c "env r\\"\\"m -rf /"' }), 'denied'),
    '`cwd` is a folder inside the roots': async (s) =>
      gives(await s.call('shell_exec', { command: 'ls', cwd: 'sub' }), 'b.txt') === true &&
      (await s.call('shell_exec', { command: 'ls', cwd: '/etc' })).isError,
    'Without `cwd`, a command runs in the start folder': async (s) =>
      (await s.call('shell_exec', { command: 'pwd' })).data.stdout === `${s.root}\n`,
    'The environment of a command is built from scratch, so it contains no secrets': async (s) =>
      !(await s.call('shell_exec', { command: 'env' })).text.includes('hidden'),
  },
};

const exact = (names: readonly string[]) => async (s: Served) => {
  const shown = (await s.tools()).map(({ name }) => name).filter((name) => name !== 'help');
  return JSON.stringify(shown.toSorted()) === JSON.stringify(names.toSorted()) || shown;
};

const ten = Array.from({ length: 10 }, (_, line) => `line ${line + 1}`).join('\n');
const part = (more: object) => ({ path: 'ten.md', ...more });
const range = (start_line: unknown, end_line?: unknown) =>
  part({ range: { start_line, ...(end_line !== undefined && { end_line }) } });
const reason = async (s: Served, tool: string, input: object, expected: string) => {
  const { data } = await s.call(tool, input);
  return data.truncated_reason === expected || data;
};

const vault: Bench = {
  document: '003',
  serving: {
    args: ['--toolsets', 'vault'],
    config: { vault: { extras: false, hardMaxChars: 300, defaultChunkLines: 5, maxChunkLines: 8 } },
    files: {
      'vault/ten.md': `${ten}\n`,
      'vault/long.md': `${'x'.repeat(120)}\n${'y'.repeat(120)}\n${'z'.repeat(120)}\n`,
      'vault/daily/2026-02-11.md': 'day\n',
      'vault/.system/a.md': 'system\n',
      'vault/r.md': 'a a a a\n',
    },
  },
  probes: {
    'The vault has these four tools': exact(['vault_create', 'vault_read', 'vault_scan', 'vault_replace']),
    'vault_create requires a non-empty path and content': async (s) =>
      fails(await s.call('vault_create', { path: 'e.md', content: '' }), 'invalid_parameter') === true &&
      refuses(await s.call('vault_create', { path: '', content: 'x' }), 'The path is empty'),
    'If the note exists, the error is `conflict`': async (s) =>
      fails(await s.call('vault_create', { path: 'ten.md', content: 'x' }), 'conflict'),
    'Creating a note below `.system/` is `forbidden`, however the path is spelled': async (s) =>
      fails(await s.call('vault_create', { path: '.SYSTEM/x.md', content: 'x' }), 'forbidden') === true &&
      fails(await s.call('vault_create', { path: './.system/x.md', content: 'x' }), 'forbidden'),
    'Notes below `daily/` are named after a day: `daily/YYYY-MM-DD.md`': async (s) =>
      (await s.call('vault_create', { path: 'daily/today.md', content: 'x' })).isError &&
      !(await s.call('vault_create', { path: 'daily/2026-02-12.md', content: 'x' })).isError,
    'A date that does not exist is refused': async (s) =>
      (await s.call('vault_create', { path: 'daily/2026-02-30.md', content: 'x' })).isError,
    'vault_create returns the path and the number of bytes written': async (s) => {
      const { data } = await s.call('vault_create', { path: 'new.md', content: '日本\n' });
      return (data.written_path === 'new.md' && data.written_bytes === 7) || data;
    },
    '`full` is false by default': async (s) =>
      fails(await s.call('vault_read', part({})), 'invalid_parameter'),
    'Without `full`, `range` is required': async (s) =>
      fails(await s.call('vault_read', part({ full: false })), 'invalid_parameter'),
    '`range.start_line` is an integer of 1 or more': async (s) =>
      fails(await s.call('vault_read', range(0)), 'invalid_parameter') === true &&
      fails(await s.call('vault_read', range(1.5)), 'invalid_parameter'),
    '`range.end_line` is an integer of 1 or more': async (s) =>
      fails(await s.call('vault_read', range(1, 0)), 'invalid_parameter'),
    '`range.start_line` is not after `range.end_line`': async (s) =>
      fails(await s.call('vault_read', range(3, 2)), 'invalid_parameter'),
    '`range.start_line` is within the note': async (s) =>
      fails(await s.call('vault_read', range(99)), 'invalid_parameter'),
    '`limits.max_chars` is an integer of 1 or more': async (s) =>
      fails(await s.call('vault_read', part({ full: true, limits: { max_chars: 0 } })), 'invalid_parameter'),
    '`limits.max_chars` is capped by `HARD_MAX_CHARS`': async (s) =>
      Number(
        (await s.call('vault_read', { path: 'long.md', full: true, limits: { max_chars: 10_000 } })).data
          .returned_chars,
      ) <= 300,
    'Reading on from `next_offset` continues without losing a character': async (s) => {
      const first = await s.call('vault_read', { path: 'long.md', full: true });
      const rest = await s.call('vault_read', { path: 'long.md', range: first.data.next_offset });
      const whole = readFileSync(join(s.root, 'vault/long.md'), 'utf8');
      // A line that was read whole ends where the next begins.
      const joint = Object.hasOwn(Object(first.data.next_offset), 'char_offset') ? '' : '\n';
      return (
        `${first.data.text}${joint}${rest.data.text}`.trimEnd() === whole.trimEnd() || [first.data, rest.data]
      );
    },
    '`applied_range` shows which lines were returned': async (s) => {
      const { data } = await s.call('vault_read', range(2, 4));
      return JSON.stringify(data.applied_range) === '{"start_line":2,"end_line":4}' || data;
    },
    'vault_read: `truncated_reason` is `none` where that is so': (s) =>
      reason(s, 'vault_read', part({ full: true }), 'none'),
    'vault_read: `truncated_reason` is `range_end` where that is so': (s) =>
      reason(s, 'vault_read', range(1, 2), 'range_end'),
    'vault_read: `truncated_reason` is `max_chars` where that is so': (s) =>
      reason(s, 'vault_read', part({ full: true, limits: { max_chars: 10 } }), 'max_chars'),
    'vault_read: `truncated_reason` is `hard_limit` where that is so': (s) =>
      reason(s, 'vault_read', { path: 'long.md', full: true }, 'hard_limit'),
    'vault_scan starts at line 1 if no cursor is given': async (s) =>
      gives(await s.call('vault_scan', part({})), 'line 1'),
    '`cursor.start_line` is an integer within the note': async (s) =>
      fails(await s.call('vault_scan', part({ cursor: { start_line: 99 } })), 'invalid_parameter'),
    '`chunk_lines` defaults to `VAULT_SCAN_DEFAULT_CHUNK_LINES`': async (s) => {
      const { data } = await s.call('vault_scan', part({}));
      return JSON.stringify(data.applied_range) === '{"start_line":1,"end_line":5}' || data;
    },
    '`chunk_lines` is an integer from 1 to `VAULT_SCAN_MAX_CHUNK_LINES`': async (s) =>
      fails(await s.call('vault_scan', part({ chunk_lines: 9 })), 'invalid_parameter') === true &&
      fails(await s.call('vault_scan', part({ chunk_lines: 0 })), 'invalid_parameter'),
    'vault_scan: `truncated_reason` is `none` where that is so': (s) =>
      reason(s, 'vault_scan', part({ cursor: { start_line: 8 } }), 'none'),
    'vault_scan: `truncated_reason` is `chunk_end` where that is so': (s) =>
      reason(s, 'vault_scan', part({}), 'chunk_end'),
    'vault_scan: `truncated_reason` is `max_chars` where that is so': (s) =>
      reason(s, 'vault_scan', part({ limits: { max_chars: 10 } }), 'max_chars'),
    'vault_scan: `truncated_reason` is `hard_limit` where that is so': (s) =>
      reason(s, 'vault_scan', { path: 'long.md' }, 'hard_limit'),
    '`eof` marks the end of the note': async (s) =>
      (await s.call('vault_scan', part({ cursor: { start_line: 8 } }))).data.eof === true &&
      (await s.call('vault_scan', part({}))).data.eof === false,
    'vault_replace requires a non-empty `find`': async (s) =>
      fails(await s.call('vault_replace', { path: 'r.md', find: '', replace: 'x' }), 'invalid_parameter'),
    'Replacing text below `.system/` is `forbidden`': async (s) =>
      fails(await s.call('vault_replace', { path: '.system/a.md', find: 's', replace: 'x' }), 'forbidden'),
    'Replacing text below `daily/` is `forbidden`': async (s) =>
      fails(
        await s.call('vault_replace', { path: 'daily/2026-02-11.md', find: 'd', replace: 'x' }),
        'forbidden',
      ),
    'One occurrence is replaced if `max_replacements` is not given': async (s) =>
      (await s.call('vault_replace', { path: 'r.md', find: 'a', replace: 'b' })).data.replacements === 1,
    '`max_replacements` is an integer of 0 or more': async (s) =>
      fails(
        await s.call('vault_replace', { path: 'r.md', find: 'a', replace: 'b', max_replacements: -1 }),
        'invalid_parameter',
      ),
    'vault_replace returns the path and the number of replacements': async (s) => {
      const { data } = await s.call('vault_replace', {
        path: 'r.md',
        find: 'a',
        replace: 'c',
        max_replacements: 2,
      });
      return (data.written_path === 'r.md' && data.replacements === 2) || data;
    },
  },
};

const pipe = (command: string, stdout: string) => async (s: Served) => {
  const { data, text } = await s.call('shelpa_pipe', { command });
  return data.stdout === stdout || text.slice(0, 200);
};
const guarded = (command: string, expected: string) => async (s: Served) => {
  const { isError, error, text } = await s.call('shelpa_pipe', { command });
  return (isError && error.reason === expected) || [error.reason, text.slice(0, 200)];
};
const step = (name: string) => async (s: Served) => {
  const { data } = await s.call('shelpa_pipe', { command: 'sort a.txt | wc -l' });
  const steps = (data.meta as { readonly steps?: readonly object[] } | undefined)?.steps ?? [];
  return (steps.length > 0 && steps.every((each) => Object.hasOwn(each, name))) || steps;
};
const mirror = (s: Served) => readFileSync(join(s.root, '.shelpa/out.txt'), 'utf8');
const tee = async (s: Served, command: string) =>
  (await s.call('shelpa_pipe', { command })).data.meta as { readonly tee?: { readonly record_id?: string } };

const pipeline: Bench = {
  document: '004',
  serving: {
    args: ['--toolsets', 'pipeline'],
    files: {
      'a.txt': 'b 2\na 1\n',
      'j.json': '{"k": 7}\n',
      'src/x.ts': 'export function fn() {\n  return 1;\n}\n',
    },
  },
  probes: {
    '`tail` is a command of pipelines': pipe('tail -n 1 a.txt', 'a 1\n'),
    '`rg` is a command of pipelines': pipe('rg --no-filename --no-line-number a a.txt', 'a 1\n'),
    '`awk` is a command of pipelines': pipe("awk '{ print $2 }' a.txt", '2\n1\n'),
    '`sed` is a command of pipelines': pipe('sed s/a/c/ a.txt', 'b 2\nc 1\n'),
    '`tr` is a command of pipelines': pipe('head -n 1 a.txt | tr b c', 'c 2\n'),
    '`jq` is a command of pipelines': pipe('jq .k j.json', '7\n'),
    '`wc` is a command of pipelines': pipe('head -n 2 a.txt | wc -l', '2\n'),
    '`tee` is a command of pipelines': pipe('head -n 1 a.txt | tee t.txt', 'b 2\n'),
    '`fd` is a command of pipelines': pipe('fd x.ts src', 'src/x.ts\n'),
    '`ls` is a command of pipelines': pipe('ls src | head -n 1', 'x.ts\n'),
    '`head` is a command of pipelines': pipe('head -n 1 a.txt', 'b 2\n'),
    '`sort` is a command of pipelines': pipe('sort a.txt', 'a 1\nb 2\n'),
    '`ctree_generate` is a command of pipelines': async (s) =>
      gives(await s.call('shelpa_pipe', { command: 'ctree_generate src' }), 'fn'),
    '`serena_find_symbol` is a command of pipelines': async (s) =>
      gives(await s.call('shelpa_pipe', { command: 'serena_find_symbol fn' }), 'x.ts'),
    'No other commands can run: `DISALLOWED_CMD`': guarded('python3 -c 1', 'DISALLOWED_CMD'),
    'Commands are joined by `|`': pipe('sort a.txt | head -n 1', 'a 1\n'),
    'Nothing outside the workspace can be reached': async (s) =>
      (await s.call('shelpa_pipe', { command: 'head /etc/passwd' })).isError,
    '`pwd` and `cd` can only be used alone, not in a pipeline': async (s) =>
      (await s.call('shelpa_pipe', { command: 'pwd | head' })).isError &&
      !(await s.call('shelpa_pipe', { command: 'pwd' })).isError,
    '`ls` can be part of a pipeline: `ls src | rg fn`': async (s) =>
      !(await s.call('shelpa_pipe', { command: 'ls src | rg x' })).isError,
    '`ls` alone is built in and limited to the workspace': async (s) =>
      !(await s.call('shelpa_pipe', { command: 'ls' })).isError &&
      (await s.call('shelpa_pipe', { command: 'ls /etc' })).isError,
    'Words are quoted as in a shell': pipe("rg -N 'a 1' a.txt", 'a 1\n'),
    'Each stage’s command and arguments are checked before anything runs': async (s) =>
      (await s.call('shelpa_pipe', { command: 'head -n 1 a.txt | tee early.txt | python3' })).isError &&
      !existsSync(join(s.root, 'early.txt')),
    'Redirects (`>`, `>>`) are refused': async (s) =>
      (await s.call('shelpa_pipe', { command: 'sort a.txt > b.txt' })).isError &&
      (await s.call('shelpa_pipe', { command: 'sort a.txt >> b.txt' })).isError,
    '`sed -i` is refused': async (s) =>
      (await s.call('shelpa_pipe', { command: 'sed -i s/a/b/ a.txt' })).isError,
    'awk writes no files': async (s) =>
      (await s.call('shelpa_pipe', { command: `awk '{ print > "w.txt" }' a.txt` })).isError &&
      !existsSync(join(s.root, 'w.txt')),
    'A pipeline gives the same result as a shell': pipe(
      "sort a.txt | awk '{ print $1 }' | tr ab xy",
      'x\ny\n',
    ),
    'Each step tells its `command`': step('command'),
    'Each step tells its `output_size`': step('output_size'),
    'Each step tells its `truncated`': step('truncated'),
    'Each step tells its `execution_time_ms`': step('execution_time_ms'),
    '`cd` changes the folder for the following calls': async (s) => {
      await s.call('shelpa_pipe', { command: 'cd src' });
      const shown = await s.call('shelpa_pipe', { command: 'ls' });
      await s.call('shelpa_pipe', { command: 'cd' });
      return gives(shown, 'x.ts');
    },
    '`cwd` takes precedence for its call': async (s) =>
      gives(await s.call('shelpa_pipe', { command: 'ls', cwd: 'src' }), 'x.ts'),
    'Without `cwd` and before any `cd`, the folder is the root': async (s) =>
      gives(await s.call('shelpa_pipe', { command: 'ls' }), 'a.txt'),
    '`tee` writes the file and its mirror below `.shelpa/`': async (s) => {
      await tee(s, 'head -n 1 a.txt | tee out.txt');
      return readFileSync(join(s.root, 'out.txt'), 'utf8') === 'b 2\n' && mirror(s).endsWith('b 2\n');
    },
    '`tee -a` appends to both': async (s) => {
      await tee(s, 'tail -n 1 a.txt | tee -a out.txt');
      return readFileSync(join(s.root, 'out.txt'), 'utf8') === 'b 2\na 1\n' && mirror(s).endsWith('a 1\n');
    },
    'The mirror is only appended to': async (s) => {
      const before = mirror(s);
      await tee(s, 'tail -n 1 a.txt | tee out.txt');
      return mirror(s).startsWith(before);
    },
    'Before an overwrite, a separator with time and record id is added to the mirror': async (s) =>
      /shelpa:overwrite ts=\S+ record_id=\d+/.test(mirror(s)) || mirror(s),
    'Record ids increase and never repeat': async (s) => {
      const ids: bigint[] = [];
      for (let round = 0; round < 3; round++)
        ids.push(BigInt((await tee(s, 'head -n 1 a.txt | tee out.txt')).tee?.record_id ?? 0));
      return ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? 0n)) || ids;
    },
    'Large writes need `confirm_oversize`': async (s) => {
      const content = 'x'.repeat(2 * 1024 * 1024);
      writeFileSync(join(s.root, 'large.txt'), content);
      const refused = await s.call('shelpa_pipe', { command: 'tail -n 1 large.txt | tee copy.txt' });
      const agreed = await s.call('shelpa_pipe', {
        command: 'tail -n 1 large.txt | tee copy.txt',
        confirm_oversize: true,
      });
      return (refused.isError && !agreed.isError) || [refused.text.slice(0, 200), agreed.text.slice(0, 200)];
    },
    'An error has code, reason, detail and suggestion': async (s) => {
      const { error } = await s.call('shelpa_pipe', { command: 'sort a.txt > b.txt' });
      return ['code', 'reason', 'detail', 'suggestion'].every((name) => Object.hasOwn(error, name)) || error;
    },
    '`--root` names the workspace': async (s) =>
      gives(await s.call('shelpa_pipe', { command: 'ls' }), 'a.txt'),
    'It serves MCP over stdio': async (s) => (await s.tools()).length > 0,
  },
};

const chat: Bench = {
  document: '001',
  serving: {
    args: ['--toolsets', 'assistant'],
    config: { assistant: { layout: 'output' } },
    files: { 'a.txt': 'one\ntwo\n', 'src/x.rs': 'fn main() {}\n', 'b.txt': 'three\n' },
  },
  probes: {
    'read_file reads a file': async (s) => gives(await s.call('read_file', { path: 'a.txt' }), 'one'),
    'Paths are relative; absolute paths are refused': async (s) =>
      (await s.call('read_file', { path: join(s.root, 'a.txt') })).isError,
    '`..` in a path is refused': async (s) => (await s.call('read_file', { path: '../a.txt' })).isError,
    'Symbolic links are refused': async (s) => {
      symlinkSync('a.txt', join(s.root, 'link.txt'));
      return (await s.call('read_file', { path: 'link.txt' })).isError;
    },
    'write_file writes to output/DATE/user_ID/PATH': async (s) => {
      const { text, isError } = await s.call('write_file', { path: 'new.txt', content: 'x\nx\n' });
      return (!isError && /output\/\d{4}-\d\d-\d\d\/user_\S+\/new\.txt/.test(text)) || text.slice(0, 200);
    },
    'edit_file replaces part of a file': async (s) => {
      await s.call('write_file', { path: 'edit.txt', content: 'a b\n' });
      await s.call('edit_file', { path: 'edit.txt', old_string: 'b', new_string: 'c' });
      return gives(await s.call('read_file', { path: 'edit.txt' }), 'a c');
    },
    'Without `replace_all`, `old_string` must occur exactly once': async (s) =>
      (await s.call('edit_file', { path: 'new.txt', old_string: 'x', new_string: 'y' })).isError,
    'With `replace_all`, every occurrence is replaced': async (s) => {
      await s.call('edit_file', { path: 'new.txt', old_string: 'x', new_string: 'y', replace_all: true });
      return gives(await s.call('read_file', { path: 'new.txt' }), 'y\ny');
    },
    'The output of list_files has the form in the document: `Directories:`, then `Files:`': async (s) => {
      const { text } = await s.call('list_files', {});
      return (
        (text.indexOf('Directories:') >= 0 && text.indexOf('Files:') > text.indexOf('Directories:')) || text
      );
    },
    'Without a path, list_files lists the workspace': async (s) =>
      gives(await s.call('list_files', {}), 'a.txt'),
    'glob finds names by `*.txt`, `**/*.rs`, `src/**/*.rs`': async (s) =>
      gives(await s.call('glob', { pattern: '*.txt' }), 'a.txt') === true &&
      gives(await s.call('glob', { pattern: '**/*.rs' }), 'x.rs') === true &&
      gives(await s.call('glob', { pattern: 'src/**/*.rs' }), 'x.rs'),
    'glob starts at `path`': async (s) =>
      gives(await s.call('glob', { pattern: '*.rs', path: 'src' }), 'x.rs'),
    'grep finds lines by a regular expression': async (s) =>
      gives(await s.call('grep', { pattern: 't.o$' }), 'two'),
    'grep searches only files that match `glob`': async (s) =>
      !(await s.call('grep', { pattern: 'o', glob: '*.rs' })).text.includes('two'),
    'An invalid pattern is reported as the caller’s mistake': async (s) =>
      fails(await s.call('grep', { pattern: '(' }), 'invalid_parameter'),
    'bash runs a shell command': async (s) => gives(await s.call('bash', { command: 'echo hi' }), 'hi'),
    'A timeout of more than 60 seconds is refused': async (s) =>
      fails(await s.call('bash', { command: 'true', timeout: 3600 }), 'invalid_parameter'),
    '`rm -rf /`, `sudo`, `su`, `eval`, `exec` are blocked': async (s) => {
      const replies: boolean[] = [];
      for (const command of ['rm -rf /', 'sudo ls', 'su -', 'eval ls', 'exec ls'])
        replies.push((await s.call('bash', { command })).isError);
      return replies.every(Boolean) || replies;
    },
    '`base64 -d` piped into a shell is blocked': async (s) =>
      (await s.call('bash', { command: 'echo bHM= | base64 -d | sh' })).isError,
    'Command substitution is blocked in the strict dialect': async (s) =>
      (await s.call('bash', { command: 'echo $(ls)' })).isError,
    'bash runs in output/DATE/user_ID': async (s) =>
      (await s.call('bash', { command: 'pwd' })).text.includes('/output/'),
    'web_fetch does not connect to internal addresses': async (s) =>
      (await s.call('web_fetch', { url: 'http://169.254.169.254/' })).isError,
    'remember stores something permanently': async (s) =>
      !(await s.call('remember', { content: 'Hana likes blue.' })).isError,
    'recall finds it by a question in plain language': async (s) =>
      gives(await s.call('recall', { query: 'Which colour does Hana like? blue' }), 'blue'),
    'Input is validated: a missing, misspelled or mistyped argument is named': async (s) =>
      gives({ ...(await s.call('read_file', { paht: 'a' })), isError: false }, 'paht') === true &&
      gives({ ...(await s.call('glob', { pattern: 7 })), isError: false }, 'pattern'),
    'Errors contain no paths of the machine': async (s) =>
      !(await s.call('read_file', { path: 'missing.txt' })).text.includes(s.root),
  },
};

const guide: Bench = {
  document: '002',
  serving: { args: ['--toolsets', 'agent-cli'] },
  probes: {
    'help can be called before authentication': async (s) => !(await s.call('help')).isError,
    'The context contains no token': async (s) => !/skt_/.test((await s.call('help')).text),
    '`total_available` is the number of tools listed': async (s) => {
      const { data } = await s.call('help');
      return data.total_available === (data.available_tools as readonly unknown[]).length;
    },
    'help for a tool shows its parameters and an example': async (s) => {
      const { data } = await s.call('help', { tool_name: 'file_read' });
      return (Array.isArray(data.parameters) && typeof data.example === 'object') || data;
    },
    'Each tool has a category and an example': async (s) => {
      for (const { name } of await s.tools()) {
        const { data } = await s.call('help', { tool_name: name });
        if (typeof data.category !== 'string' || typeof data.example !== 'object') return name;
      }
      return true;
    },
  },
};

const wanted = process.argv.slice(2);
const results = new Map<string, unknown>();
for (const { document, serving, probes } of [agentCli, chat, guide, vault, pipeline, ...further]) {
  if (wanted.length > 0 && !wanted.includes(document)) continue;
  const served = await openServed(serving);
  for (const [point, probe] of Object.entries(probes)) {
    results.set(`${document} ${point}`, await probe(served).catch((error: unknown) => String(error)));
  }
  await served.close();
}
if (wanted.length === 0 || wanted.includes('002'))
  for (const [point, result] of await tryTeam()) results.set(`002 ${point}`, result);
const all = await openServed({ args: ['--toolsets', 'agent-cli,assistant,vault,pipeline'] });
const tools = await all.tools();
await all.close();
for (const { document, tool, takes, gives: given = {}, hints = {} } of definitions) {
  const listed = tools.find(({ name }) => name === tool);
  const look = (verb: string, schema: object | undefined, members: Readonly<Record<string, string>>) => {
    for (const [name, words] of Object.entries(members)) {
      const { type, isRequired, isNullable, fallback } = memberOf(name, words);
      const found = listedMember((schema ?? {}) as Readonly<Record<string, unknown>>, name);
      const isOfType = type === found?.type || (type === 'number' && found?.type === 'integer');
      const isSo =
        isOfType &&
        (verb === 'takes' ? found.isRequired === isRequired : !isRequired || found.isRequired) &&
        (!isNullable || found.isNullable) &&
        (fallback === undefined || JSON.stringify(found.fallback) === JSON.stringify(fallback));
      results.set(`${document} \`${tool}\` ${verb} \`${name}\``, isSo || found || 'not listed');
    }
  };
  look('takes', listed?.inputSchema, takes);
  look('returns', listed?.outputSchema, given);
  for (const [hint, value] of Object.entries(hints))
    results.set(
      `${document} \`${tool}\` has \`${hint}Hint: ${value}\``,
      listed?.annotations[`${hint}Hint`] === value,
    );
}

const counts = { works: 0, differs: 0, FAILS: 0, 'by its test': 0 };
for (const { id, points } of checklist) {
  if (wanted.length > 0 && !wanted.includes(id)) continue;
  for (const each of points) {
    const { status, more } = outcome(id, each);
    counts[status] += 1;
    console.log(`| ${id} | ${each.en.replaceAll('|', '\\|')} | ${status}${more} |`);
  }
}
console.log(
  Object.entries(counts)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', '),
);
process.exitCode = counts.FAILS > 0 ? 1 : 0;

function outcome(
  id: string,
  { en, differs }: Point,
): { readonly status: keyof typeof counts; readonly more: string } {
  const key = [...results.keys()].find(
    (known) => known === `${id} ${en}` || `${id} ${en}`.startsWith(`${known} (`),
  );
  const result = key === undefined ? undefined : results.get(key);
  if (differs) return { status: 'differs', more: `: ${differs.en}` };
  if (key === undefined) return { status: 'by its test', more: '' };
  return result === true
    ? { status: 'works', more: '' }
    : { status: 'FAILS', more: `: ${JSON.stringify(result)?.slice(0, 300)}` };
}
