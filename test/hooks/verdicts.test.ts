import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import type { ToolOutput } from '../../src/contract/call.ts';
import type { Fields, HookAnswer } from '../../src/hooks/event.ts';
import { asked, dataPositions, denied, fill, positions, wrappers } from '../judgement/corpus.ts';
import { some } from '../support/some.ts';
import { claudeEvent, codexEvent, cursorEvent, geminiEvent } from './events.ts';
import { openHooks } from './open-hooks.ts';

/** How each client tells of a command, and of a file that is read or written whole. */
const clients: Readonly<Record<string, Client>> = {
  claude: {
    command: (root, command, use) =>
      claudeEvent('PreToolUse', root, 'Bash', { command }, { tool_use_id: use }),
    read: (root, path, use) =>
      claudeEvent('PreToolUse', root, 'Read', { file_path: path }, { tool_use_id: use }),
    write: (root, path, use) =>
      claudeEvent('PreToolUse', root, 'Write', { file_path: path, content: 'x\n' }, { tool_use_id: use }),
    over: (root) => claudeEvent('Stop', root, '', {}),
    asks: true,
  },
  codex: {
    command: (root, command, use) =>
      codexEvent('PreToolUse', root, 'Bash', { command }, { tool_use_id: use }),
    read: (root, path, use) => codexEvent('PreToolUse', root, 'view_image', { path }, { tool_use_id: use }),
    write: (root, path, use) => {
      const command = `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`;
      return codexEvent('PreToolUse', root, 'apply_patch', { command }, { tool_use_id: use });
    },
    over: (root) => codexEvent('Stop', root, '', {}),
    asks: false,
  },
  gemini: {
    command: (root, command) => geminiEvent('BeforeTool', root, 'run_shell_command', { command }),
    read: (root, path) => geminiEvent('BeforeTool', root, 'read_file', { file_path: path }),
    write: (root, path) => geminiEvent('BeforeTool', root, 'write_file', { file_path: path, content: 'x\n' }),
    over: (root) => geminiEvent('AfterAgent', root, '', {}),
    asks: false,
  },
  cursor: {
    command: (root, command, use) =>
      cursorEvent('preToolUse', root, 'Shell', { command, cwd: '', timeout: 30_000 }, { tool_use_id: use }),
    read: (root, path, use) =>
      cursorEvent('preToolUse', root, 'Read', { file_path: path }, { tool_use_id: use }),
    write: (root, path, use) =>
      cursorEvent('preToolUse', root, 'Write', { path, contents: 'x\n' }, { tool_use_id: use }),
    over: (root) => cursorEvent('stop', root, '', {}),
    asks: false,
  },
};

interface Client {
  command(root: string, command: string, use: string): Fields;
  read(root: string, path: string, use: string): Fields;
  write(root: string, path: string, use: string): Fields;
  over(root: string): Fields;
  /** Has it a way to ask its person in our words? Where not, the question waits elsewhere, as for an MCP client without. */
  readonly asks: boolean;
}

/** Every command of the judge's corpus, and every place and wrapper of it around one of them. */
const commands = [
  ...[
    'ls -l',
    'git status',
    'echo hi > a.txt',
    'npm test',
    'node -e 1',
    'cat a.txt | wc -l',
    'exit 3',
    "echo '",
  ],
  ...denied,
  ...asked,
  ...[...wrappers, ...positions, ...dataPositions].map((template, at) => {
    const all = [...denied, ...asked];
    return fill(template, all[at % all.length] ?? '');
  }),
];

const paths = [
  ...['a.txt', 'sub/b.txt', './a.txt', 'missing.txt', 'sub', '.', 'a..b', 'é.txt', '日本.txt', 'a b.txt'],
  ...[
    '../x',
    'sub/../a.txt',
    '/etc/passwd',
    '/proc/self/environ',
    '~/.ssh/id_rsa',
    '/',
    '//etc/hosts',
    'a.txt/b',
  ],
  ...[
    '.git/hooks/pre-commit',
    '.git/config',
    '.GIT/config',
    '.vscode/tasks.json',
    '.bashrc',
    '.env',
    'CLAUDE.md',
  ],
  ...['package.json', 'Makefile', '.envrc', '.github/workflows/ci.yml', 'x\0y', 'x'.repeat(300), '.mcp.json'],
];

const nothing: ToolOutput = { content: () => [] };

/** Each question has a name of its own. */
function withoutId({ kind, words }: Verdict): Verdict {
  // The second of two questions alike has the first among the calls that an answer would have covered.
  const alike = words?.replace(/^Allowing similar calls would have allowed .*\n/m, '');
  return { kind, words: alike?.replace(/approve \S+/, 'approve ID') };
}

/** Allowed, asked with these words, or refused with these. */
type Verdict = { readonly kind: HookAnswer['kind']; readonly words?: string | undefined };

test.each(Object.entries(clients))(
  '%s: the corpus gets the verdict, the words and the record of the MCP tool',
  async (name, client) => {
    const world = {
      files: { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' },
      config: {
        rateLimits: [],
        approval: { waitMs: 1 },
        process: { network: [{ host: 'github', tls: 'tunnel' as const }] },
      },
    };
    await using hooks = await openHooks(name, world);
    const { root } = hooks;

    /** The MCP call up to its run, which is another test's. */
    async function ours(tool: string, input: Fields, runs: boolean): Promise<Verdict> {
      let question: string | undefined;
      const reply = await hooks.call(tool, input, {
        arrival: { transport: 'cli', connectionId: 'mcp' },
        elicit: client.asks
          ? async ({ message }) => {
              question = message;
              return { action: 'cancel' };
            }
          : undefined,
        ...(!runs && { carry: async () => nothing }),
      });
      if (question !== undefined) return { kind: 'ask', words: question };
      return reply.kind === 'error' ? { kind: 'deny', words: reply.text } : { kind: 'allow' };
    }

    async function theirs(event: Fields): Promise<Verdict> {
      const answer = await hooks.tell(event);
      await hooks.tell(client.over(root));
      return { kind: answer.kind, words: 'words' in answer ? answer.words : undefined };
    }

    const cases = [
      ...commands.map((command) => ({
        tool: 'bash',
        input: { command },
        event: (use: string) => client.command(root, command, use),
        runs: false,
      })),
      ...paths.flatMap((path) => {
        const whole = path.startsWith('/') || path.startsWith('~') ? path : `${root}/${path}`;
        // A client means the person's home by it; our tools take the path.
        const inHome = whole.replace(/^~(?=\/)/, homedir());
        return [
          {
            tool: 'read_file',
            input: { path: inHome },
            event: (use: string) => client.read(root, whole, use),
            runs: true,
          },
          {
            tool: 'write_file',
            input: { path: inHome, content: 'x\n' },
            event: (use: string) => client.write(root, whole, use),
            runs: true,
          },
        ];
      }),
    ];
    const seen = { allow: 0, ask: 0, deny: 0, nothing: 0 };
    for (const [at, { tool, input, event, runs }] of some(name === 'claude' ? 1 : 3, cases).entries()) {
      // First as the client tells it: a write of ours would leave the file there.
      const theirVerdict = await theirs(event(`use-${at}`));
      const theirEntry = await hooks.newest();
      const verdict = await ours(tool, input, runs);
      const entry = await hooks.newest();
      const shown = JSON.stringify(input);
      seen[theirVerdict.kind] += 1;
      if (verdict.kind === 'deny' && theirVerdict.kind === 'allow') {
        // What our tool cannot do, not what it may not: the client's own may.
        expect(['not_found', 'unsupported_type', 'conflict'], shown).toContain(entry.code);
        continue;
      }
      expect(withoutId(theirVerdict), shown).toEqual(withoutId({ words: undefined, ...verdict }));
      // Nobody ran what was allowed here, and then it is a call that was withdrawn.
      const { outcome: _, code: __, ...rest } = theirEntry;
      const { outcome: ___, code: ____, ...expected } = entry;
      if (verdict.kind === 'allow') expect(rest, shown).toEqual(expected);
      else expect({ ...theirEntry, approver: undefined }, shown).toEqual({ ...entry, approver: undefined });
    }
    expect(seen.allow).toBeGreaterThan(3);
    expect(seen.ask).toBeGreaterThan(client.asks ? 3 : -1);
    expect(seen.deny).toBeGreaterThan(16);
  },
  240_000,
);

test.each(Object.entries(clients))(
  '%s: commands that run leave the output, the record and the history of the MCP tool',
  async (name, client) => {
    const files = { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' };
    await using mcp = await openHooks(name, { files });
    await using native = await openHooks(name, { files });
    const running = [
      ...[
        'echo new > a.txt',
        'mkdir -p x/y && touch x/y/z',
        'rm sub/b.txt',
        'mv a.txt c.txt',
        'cd sub',
        'pwd | wc -l >> log',
      ],
      ...[
        'cat missing',
        'exit 3',
        'printf "a\\tb\\n" | tee t.txt',
        'for i in 1 2 3; do echo $i; done > n.txt',
      ],
      ...['export A=1', 'echo $A', 'ln -s c.txt link', 'chmod 600 ../c.txt'],
    ];
    for (const [at, command] of running.entries()) {
      const reply = await mcp.call('bash', { command });
      const answer = await native.tell(client.command(native.root, command, `use-${at}`));
      expect(answer.kind, command).toBe('allow');
      const came = await native.run(command);
      const shown = (one: typeof came, root: string) =>
        JSON.stringify(one)
          .replaceAll(root, '/root')
          .replace(/"duration_ms":\d+/, '');
      expect(shown(came, native.root), command).toBe(shown(reply, mcp.root));
      expect(await native.newest(), command).toEqual(await mcp.newest());
    }
    expect(await native.changes()).toEqual(await mcp.changes());
  },
);
