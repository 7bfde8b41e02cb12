/** Points that need a server of their own: other options, several people, a model, a page or another server beside it. */
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CallAnswer, openServed, type Served } from '../served.ts';
import { type Bench, command, commandBeside, gives, openHttp, openLoopback } from './bench.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const names = async (s: Served) =>
  (await s.tools())
    .map(({ name }) => name)
    .filter((name) => name !== 'help')
    .toSorted();

/** The output of a server that is started with these arguments, until it ends. */
const startOf = (s: Served, args: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
  const { status, stderr } = command(s.folder, ['serve', ...args], environment);
  return { ended: status !== 0, stderr };
};

const kinds: Bench = {
  document: '000',
  serving: {
    args: ['--toolsets', 'agent-cli', '--allow-mime', 'image/png'],
    files: { 'p.png': png, 'z.zip': Buffer.from('UEsDBAoAAAAAAA==', 'base64'), 'sub/a.txt': 'a\n' },
  },
  probes: {
    'A type of binary file can be allowed by its MIME type, which is checked strictly': async (s) => {
      const wrong = command(s.folder, ['tools', '--toolsets', 'agent-cli', '--allow-mime', 'pictures']);
      return (
        !(await s.call('file_read', { path: 'p.png' })).isError &&
        (await s.call('file_read', { path: 'z.zip' })).isError &&
        ((wrong.status !== 0 && wrong.stderr.includes('pictures')) || wrong.stderr)
      );
    },
    'A person is asked before a risky command runs': async (s) => {
      const { isError, error, text } = await s.call('shell_exec', { command: 'npm install left-pad' });
      return (isError && error.code === 'approval_pending') || [error.code, text.slice(0, 200)];
    },
    'A command that takes too long is stopped, along with everything that it started': async (s) => {
      const sleeps = () =>
        readdirSync('/proc').filter((pid) => {
          try {
            return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('61.2502');
          } catch {
            return false;
          }
        });
      const call = s.call('shell_exec', { command: 'sleep 61.2502 & sleep 61.2502', timeout_ms: 3000 });
      while (sleeps().length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      await call;
      return sleeps().length === 0 || sleeps();
    },
    'A timeout is reported as a timeout': async (s) =>
      (await s.call('shell_exec', { command: 'sleep 20', timeout_ms: 500 })).text.includes(
        'it ran out of time',
      ),
    'A server can be selected by the name in the document: `--only mcp-server/file-read`': async () => {
      const seen: unknown[] = [];
      for (const [only, tool] of [
        ['mcp-server/file-read', 'file_read'],
        ['mcp-server/file-write', 'file_write'],
        ['mcp-server/shell-exec', 'shell_exec'],
      ] as const) {
        const served = await openServed({ args: ['--only', only] });
        const shown = await names(served);
        await served.close();
        if (JSON.stringify(shown) !== JSON.stringify([tool])) seen.push([only, shown]);
      }
      return seen.length === 0 || seen;
    },
  },
};

const roots: Bench = {
  document: '000',
  serving: {
    args: ['--toolsets', 'agent-cli', '--allow-path', '../further'],
    files: { '../further/sub/f.txt': 'f\n' },
  },
  probes: {
    'A relative path is looked for in every root': async (s) =>
      gives(await s.call('file_read', { path: 'sub/f.txt' }), 'f') === true &&
      gives(await s.call('shell_exec', { command: 'ls', cwd: 'sub' }), 'f.txt'),
  },
};

const page = `<!doctype html><title>Ports</title><meta name="description" content="Which ports are open.">
<nav><a href="/">Home</a> Imprint</nav><article><h1>Ports</h1>${'<p>The keeper opens the gate at dawn, and closes it when the sun is down, as every keeper did before.</p>'.repeat(6)}</article><aside>Buy now</aside>`;

const people: Bench = {
  document: '001',
  serving: {
    args: ['--toolsets', 'assistant'],
    files: { 'config.txt': 'port=8080\n', 'src/a.rs': '// TODO: x\n' },
  },
  probes: {
    'The model chooses the tools for a request in plain language': async (s) => {
      const turns = [
        [
          {
            tool_calls: [
              {
                index: 0,
                id: 'c',
                type: 'function',
                function: { name: 'read_file', arguments: '{"path":"config.txt"}' },
              },
            ],
          },
          'tool_calls',
        ],
        [{ content: '8080' }, 'stop'],
      ] as const;
      const bodies: string[] = [];
      const model = await openLoopback((body) => {
        bodies.push(body);
        const [delta, finish_reason] = turns[Math.min(bodies.length, turns.length) - 1] ?? turns[1];
        const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
        const lines = [
          { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] },
          { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
        ];
        return [
          'text/event-stream',
          `${lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join('')}data: [DONE]\n\n`,
        ];
      });
      writeFileSync(
        join(s.folder, 'sekisho.jsonc'),
        JSON.stringify({
          models: { m: { model: 'm', url: `http://127.0.0.1:${model.port}/v1` } },
          ask: { model: 'm' },
        }),
      );
      const { stdout, stderr } = await commandBeside(s.folder, ['ask', 'config.txtの内容を表示して']);
      model.close();
      writeFileSync(join(s.folder, 'sekisho.jsonc'), '{}');
      return (stdout === '8080\n' && bodies[1]?.includes('port=8080')) || [stdout, stderr];
    },
    'The model is glm-4.7 unless another one is configured': async (s) => {
      const { stderr } = command(s.folder, ['ask', 'hello']);
      return stderr.includes('glm-4.7') || stderr;
    },
    'The default timeout is 30 seconds': async (s) => {
      const { data } = await s.call('bash', { command: 'sleep 45' });
      return (data.timed_out === true && Math.round(Number(data.duration_ms) / 5000) === 6) || data;
    },
    'The document’s example of grep finds TODO comments in `*.rs`': async (s) =>
      gives(await s.call('grep', { pattern: 'TODO', glob: '*.rs' }), 'TODO'),
    'The document’s example is remembered with its tag, and recalled': async (s) =>
      !(await s.call('remember', { content: '好きな色は青', tags: ['preference'] })).isError &&
      gives(await s.call('recall', { query: '好きな色' }), '好きな色は青'),
    'Control characters are removed': async (s) => {
      const { text } = await s.call('bash', { command: "printf 'a\\033[31mb\\007c'" });
      return (
        (text.includes('ab') && ![...text].some((char) => char === '\u001b' || char === '\u0007')) || text
      );
    },
    'write_file and edit_file refuse absolute paths, `..` and symbolic links': async (s) => {
      await s.call('write_file', { path: 'mine.txt', content: 'x' });
      const [day = ''] = readdirSync(join(s.root, 'output'));
      const own = join(s.root, 'output', day, 'user_local');
      symlinkSync('mine.txt', join(own, 'link.txt'));
      const seen: unknown[] = [];
      for (const path of [join(s.root, 'x.txt'), '../x.txt', 'a/../../x.txt', 'link.txt']) {
        const wrote = await s.call('write_file', { path, content: 'y' });
        const edited = await s.call('edit_file', { path, old_string: 'x', new_string: 'y' });
        if (!wrote.isError || !edited.isError) seen.push([path, wrote.text, edited.text]);
      }
      return seen.length === 0 || seen;
    },
  },
};

const many: Bench = {
  document: '001',
  serving: { args: ['--toolsets', 'pipeline'] },
  probes: {
    'Each user has a separate folder': withPeople(async ({ call }, root) => {
      for (const name of ['hana', 'ken']) await call(name, 'write_file', { path: 'same.txt', content: name });
      const [day = ''] = readdirSync(join(root, 'output'));
      const folders = readdirSync(join(root, 'output', day)).toSorted();
      return folders.join() === 'user_hana,user_ken' || folders;
    }),
    'Nobody can see another user’s files': withPeople(async ({ call }) => {
      await call('hana', 'write_file', { path: 'secret.txt', content: 'needle' });
      const seen = [
        (await call('ken', 'read_file', { path: 'secret.txt' })).isError,
        !(await call('ken', 'glob', { pattern: '**/secret.txt' })).text.includes('user_hana'),
        !(await call('ken', 'grep', { pattern: 'needle' })).text.includes('secret.txt:'),
        !(await call('ken', 'bash', { command: 'find .. ../.. -name "secret*"' })).text.includes(
          'secret.txt',
        ),
      ];
      return seen.every(Boolean) || seen;
    }),
    'A memory belongs to its user alone': withPeople(async ({ call }) => {
      await call('hana', 'remember', { content: 'The gate code is 4711.' });
      const own = await call('hana', 'recall', { query: 'gate code' });
      const others = await call('ken', 'recall', { query: 'gate code' });
      return (own.text.includes('4711') && !others.text.includes('4711')) || [own.text, others.text];
    }),
    'Each user can make ten requests a minute': withPeople(async ({ call }) => {
      const seen: boolean[] = [];
      for (let round = 0; round < 11; round++) seen.push((await call('hana', 'list_files', {})).isError);
      return (seen.slice(0, 10).every((one) => !one) && seen[10] === true) || seen;
    }),
    'When the limit is exceeded, the reply says when to try again': withPeople(async ({ call }) => {
      for (let round = 0; round < 10; round++) await call('hana', 'list_files', {});
      const { error } = await call('hana', 'list_files', {});
      return (error.code === 'rate_limited' && JSON.stringify(error).includes('retry_after_ms')) || error;
    }),
  },
};

/** A server over HTTP of its own, with two people. */
function withPeople(probe: (http: Awaited<ReturnType<typeof openHttp>>, root: string) => Promise<unknown>) {
  return async () => {
    const served = await openServed({ args: ['--toolsets', 'pipeline'] });
    const http = await openHttp(served.folder, ['hana', 'ken'], ['--toolsets', 'assistant']);
    try {
      return await probe(http, served.root);
    } finally {
      await http.close();
      await served.close();
    }
  };
}

const web: Bench = {
  document: '001',
  serving: { args: ['--toolsets', 'assistant'] },
  probes: {
    'web_fetch extracts the main content of a page, without navigation and ads': withPage(
      (text) =>
        (text.includes('The keeper opens') && !/Imprint|Buy now/.test(text.split('\n[')[0] ?? '')) || text,
    ),
    'web_fetch returns title, URL and date, then the content, as Markdown': withPage(
      (text) =>
        /# Ports\n\n> URL: http\S+\n> \S+.*\d{4}-\d\d-\d\d[\s\S]*The keeper/.test(text) || text.slice(0, 400),
    ),
    'web_fetch returns the page’s description': withPage(
      (_, { description }) => description === 'Which ports are open.' || description,
    ),
  },
};

function withPage(look: (text: string, data: CallAnswer['data']) => unknown) {
  return async () => {
    const server = await openLoopback(() => ['text/html; charset=utf-8', page]);
    const served = await openServed({
      args: ['--toolsets', 'assistant'],
      config: { web: { allowPrivate: [`127.0.0.1:${server.port}`] } },
    });
    const { text, data } = await served.call('web_fetch', { url: `http://127.0.0.1:${server.port}/` });
    await served.close();
    server.close();
    return look(text, data);
  };
}

const proxied = `let rest = '';
process.stdin.on('data', (chunk) => {
  rest += chunk;
  for (let at; (at = rest.indexOf('\\n')) >= 0; rest = rest.slice(at + 1)) {
    const { id, method, params } = JSON.parse(rest.slice(0, at));
    const tool = { name: 'list', description: 'Lists a folder.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } };
    const result = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'filesystem', version: '1' } },
      'tools/list': { tools: [tool] },
      'tools/call': { content: [{ type: 'text', text: 'listed ' + params?.arguments?.path }] },
    }[method];
    if (id !== undefined)
      console.log(JSON.stringify(result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
  }
});`;

/** The document's `mcp-config.json`, named by a variable or by its `.env`. */
function withConfig(byFile: boolean, look: (served: Served) => Promise<unknown>) {
  return async (s: Served) => {
    const config = join(s.folder, 'mcp-config.json');
    writeFileSync(
      config,
      JSON.stringify({ servers: [{ name: 'filesystem', command: process.execPath, args: ['-e', proxied] }] }),
    );
    const env = join(s.folder, '.env');
    writeFileSync(env, `MCP_CONFIG_PATH=${config}\n`);
    const served = await openServed({
      args: ['--toolsets', 'pipeline', ...(byFile ? ['--env-file', env] : [])],
      ...(byFile ? {} : { environment: { MCP_CONFIG_PATH: config } }),
    });
    try {
      return await look(served);
    } finally {
      await served.close();
    }
  };
}

const servers: Bench = {
  document: '001',
  serving: { args: ['--toolsets', 'pipeline'] },
  probes: {
    'Servers with other tools are listed in `mcp-config.json`, in the form given in the document': withConfig(
      false,
      async (s) => (await names(s)).includes('filesystem__list') || (await names(s)),
    ),
    'MCP_CONFIG_PATH can be set in a `.env` file': withConfig(
      true,
      async (s) => (await names(s)).includes('filesystem__list') || (await names(s)),
    ),
    'Tools of such a server are called like any others': withConfig(false, async (s) => {
      const { text } = await s.call('filesystem__list', { path: 'src' });
      return /listed src|approval|asked|person/.test(text) || text;
    }),
  },
};

const notes: Bench = {
  document: '003',
  serving: { args: ['--toolsets', 'vault'], files: { 'vault/a.md': 'a a\n', 'vault/.system/s.md': 's\n' } },
  probes: {
    'An invalid limit stops start-up, naming its variable': async (s) => {
      const seen = ['HARD_MAX_CHARS', 'VAULT_SCAN_DEFAULT_CHUNK_LINES', 'VAULT_SCAN_MAX_CHUNK_LINES'].map(
        (name) => {
          const { ended, stderr } = startOf(s, ['--toolsets', 'vault'], { [name]: '0' });
          return ended && stderr.includes(name);
        },
      );
      return seen.every(Boolean) || seen;
    },
  },
};

const pipe = async (s: Served, input: string) => (await s.call('shelpa_pipe', { command: input })).data;

const examples: Bench = {
  document: '004',
  serving: {
    args: ['--toolsets', 'pipeline'],
    files: {
      'app.log': 'x ERROR b\nx ERROR a\nx INFO c\nx ERROR a\n',
      'src/lib.rs': 'fn main() {}\n',
      'src/x.ts': 'export function fn() {\n  return 1;\n}\n',
      'Cargo.toml': '',
    },
  },
  probes: {
    '`ctree_check` is a command of pipelines': async (s) => {
      await pipe(s, 'ctree_generate src | tee .ctree');
      writeFileSync(join(s.root, 'src/y.ts'), 'export function added() {}\n');
      const { stdout } = await pipe(s, 'ctree_check');
      return String(stdout).includes('+ src/y.ts') || stdout;
    },
    'Each session has its own current folder': async (s) => {
      const other = await openServed({ folder: s.folder, args: ['--toolsets', 'pipeline'] });
      await pipe(s, 'cd src');
      const { stdout } = await pipe(other, 'pwd');
      const own = await pipe(s, 'pwd');
      await pipe(s, 'cd /');
      await pipe(s, 'cd');
      await other.close(true);
      return (stdout !== own.stdout && String(own.stdout).includes('src')) || [stdout, own.stdout];
    },
    'shelpa_write writes with the same guard and keeps what was overwritten': async (s) => {
      const write = (content: string) =>
        s.call('shelpa_write', { path: 'w.txt', content, mode: 'overwrite' });
      const first = await write('one\n');
      const second = await write('two\n');
      const outside = await s.call('shelpa_write', { path: '../w.txt', content: 'x' });
      const mirror = existsSync(join(s.root, '.shelpa/w.txt'))
        ? readFileSync(join(s.root, '.shelpa/w.txt'), 'utf8')
        : '';
      return (
        (readFileSync(join(s.root, 'w.txt'), 'utf8') === 'two\n' &&
          /one\n[\s\S]*two\n/.test(mirror) &&
          outside.isError) || [first.text, second.text, outside.text, mirror]
      );
    },
    'A suggested command works as written': async (s) => {
      const { error } = await s.call('shelpa_pipe', { command: 'cat app.log' });
      const { isError, text } = await s.call('shelpa_pipe', { command: String(error.suggestion) });
      return !isError || [error.suggestion, text];
    },
    'The help lists the commands for pipelines': async (s) => {
      const { stdout } = command(s.folder, ['serve', '--help']);
      const expected = [
        'tail rg awk sed tr jq wc tee fd ls head sort',
        'pwd, cd PATH',
        'shelpa_write',
        'sed -i',
      ];
      return expected.every((words) => stdout.includes(words)) || stdout;
    },
    'The document’s pipelines give what its text says': async (s) => {
      const first = await pipe(s, `tail -n 100 app.log | rg "ERROR" | awk '{print $3}' | sort -u`);
      const second = await pipe(s, 'ls src | rg "\\.rs$"');
      const third = await pipe(s, 'fd "\\.toml$" | head -5');
      const seen = [first.stdout, second.stdout, third.stdout].map(String);
      return (seen[0] === 'a\nb\n' && seen[1] === 'lib.rs\n' && seen[2]?.includes('Cargo.toml')) || seen;
    },
    'A disallowed command is answered as in the document: code, reason and detail': async (s) => {
      const { error } = await s.call('shelpa_pipe', { command: 'rm app.log' });
      return (
        (error.code === 'GUARD_VIOLATION' &&
          error.reason === 'DISALLOWED_CMD' &&
          String(error.detail).startsWith("'rm' is not allowed")) ||
        error
      );
    },
    '`cwd` outside the workspace is refused': async (s) =>
      (await s.call('shelpa_pipe', { command: 'ls', cwd: '/etc' })).isError &&
      (await s.call('shelpa_pipe', { command: 'ls', cwd: '..' })).isError,
    '`meta.tee` is null without `tee`': async (s) => {
      const { meta } = await pipe(s, 'head -n 1 app.log');
      return (meta as { readonly tee?: unknown }).tee === null || meta;
    },
    'The document’s `rg --version | tee out/ver.txt` writes the file and its mirror': async (s) => {
      await pipe(s, 'rg --version | tee out/ver.txt');
      return ['out/ver.txt', '.shelpa/out/ver.txt'].every((path) =>
        readFileSync(join(s.root, path), 'utf8').includes('ripgrep'),
      );
    },
  },
};

export const further: readonly Bench[] = [kinds, roots, people, many, web, servers, notes, examples];
