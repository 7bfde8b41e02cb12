import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hostsOf } from '../../src/config/network-sets.ts';
import { createCommandJudge } from '../../src/judgement/judge.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';

const manifests: Readonly<Record<string, string>> = {
  '/workspace/package.json': JSON.stringify({
    description: 'evil',
    scripts: { evil: 'true' },
    dependencies: { lodash: '^4.17.0', '@types/node': '*' },
    devDependencies: { typescript: '6' },
  }),
  '/workspace/web/package.json': '{"peerDependencies": {"react": "*"}}',
  '/workspace/broken/package.json': '{"dependencies": {"evil"',
  '/workspace/pyproject.toml':
    '[project]\nname = "x"\ndependencies = ["Flask-Login>=0.6", "requests[socks] ~= 2.0",\n  "numpy"]\n# evil\n[tool.poetry.dependencies]\npendulum = "^3"\n',
  '/workspace/requirements.txt': '-r base.txt\npytest==8.0\nPyYAML\ngit+https://x.example/evil.git\n',
  '/workspace/go.mod':
    'module x\n\nrequire (\n\tgithub.com/a/b v1.2.3 // indirect\n)\nrequire golang.org/x/net v0.1.0\n',
  '/workspace/Cargo.toml':
    '[package]\nname = "x"\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\n',
  '/workspace/Gemfile': "source 'https://rubygems.org'\ngem 'rails'\n",
};
const judge = createCommandJudge({ read: (path) => manifests[path] });
const hosts = hostsOf([
  'npm',
  'pypi',
  'crates',
  'go',
  'rubygems.org',
  'index.rubygems.org',
  'repo.packagist.org',
]);

function decide(script: string, network: readonly string[] = hosts): string {
  return judge.judge(
    { kind: 'script', script, shell: 'bash' },
    { dialect: 'plain', roots: ['/workspace'], workingFolder: '/workspace', confinement: { network } },
  ).decision;
}

const fromManifest = [
  ...['npm install', 'npm i', 'npm ci --no-audit --no-fund', 'npm install --omit=dev', 'npm --prefix web ci'],
  ...[
    'npm install -D typescript',
    'npm install -g lodash',
    'npm ci --an-option-of-next-year',
    'npm i lodash@^4.17.21 @types/node',
    'npm update',
    'npm update lodash',
    'npm prune',
  ],
  ...[
    'cd web && npm i react@latest',
    'npm -w web install',
    'CI=1 npm ci 2>&1 | tail -5',
    'yarn',
    'yarn install --frozen-lockfile',
  ],
  ...[
    'pnpm install --frozen-lockfile',
    'pnpm -r install',
    'pnpm --filter web install',
    'bun install',
    'bun install --frozen-lockfile',
  ],
  ...[
    'pip install -r requirements.txt',
    'pip3 install -q -r requirements-dev.txt -c constraints.txt',
    'pip install -e .',
  ],
  ...[
    "pip install -e '.[dev,test]'",
    'pip install pytest',
    'pip install -rrequirements.txt',
    'pip install pyyaml==6.0.1 Flask_Login',
    "pip install 'requests>=2.0'",
  ],
  ...[
    'python3 -m pip install -r requirements.txt',
    'python -m pip install --upgrade numpy',
    'pip install . -r requirements.txt',
  ],
  ...[
    'uv sync',
    'uv sync --all-extras --frozen',
    'uv pip install -r requirements.txt',
    'uv pip install -e .',
    'uv add pendulum',
  ],
  ...[
    'uv lock --upgrade',
    'poetry install --no-root',
    'poetry install --with dev --no-interaction',
    'pdm sync',
    'pipenv install --dev',
  ],
  ...[
    'go mod download',
    'go get ./...',
    'go get golang.org/x/net@latest',
    'go get -u github.com/a/b',
    'go install ./cmd/x',
  ],
  ...[
    'cargo fetch',
    'cargo build --release',
    'cargo update',
    'cargo update -p serde',
    'cargo add serde --features derive',
  ],
  ...['bundle install --jobs 4', 'bundle update rails', 'composer install --no-dev --no-interaction'],
  ...['for d in a b; do npm ci; done', 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt'],
];

test.each(fromManifest)(
  'what the manifest names is installed from a listed registry without a question: %s',
  (line) => {
    expect(decide(line)).toBe('allow');
  },
);

test.each([
  ...[
    'npm install evil',
    'npm i lodash evil',
    'npm install lodash@npm:evil',
    'npm install lodash@evil/lodash',
    'npm install evil/lodash',
  ],
  ...['npm install https://evil.example/x.tgz', 'npm install git+ssh://x/lodash', 'npm install description'],
  ...[
    'npm install --registry=https://evil.example',
    'npm install --registry https://evil.example lodash',
    'pip install -rhttps://evil.example/r.txt',
  ],
  ...[
    'npm install $x',
    'npm install "$(cat names)"',
    'npm ci $OPTIONS',
    'npm link',
    'npm install --globalconfig x',
  ],
  ...[
    'cd broken && npm install evil',
    'npm install react',
    'npm install __proto__',
    'npm install constructor',
    'npm exec evil; npm install evil',
  ],
  ...[
    'yarn add evil',
    'yarn global add lodash',
    'yarn --registry=https://x.example',
    'yarn config set a b && yarn add evil',
    'pnpm add evil',
  ],
  ...[
    'pip install evil',
    'pip install -r https://evil.example/r.txt',
    'pip install --index-url https://evil.example -r requirements.txt',
  ],
  ...[
    'pip install -i https://evil.example flask',
    'pip install git+https://x.example/evil.git',
    'pip install pytest evil',
  ],
  ...[
    'pip install --extra-index-url=https://evil.example numpy',
    'pip install -e git+https://evil.example/x',
    'pip install x @ https://evil.example',
  ],
  ...[
    'python3 -m pip install evil',
    'uv add evil',
    'uv pip install evil',
    'uv tool install pendulum',
    'uv sync --index https://evil.example',
  ],
  ...[
    'uv self update',
    'poetry add evil',
    'poetry self add evil',
    'pipenv install evil',
    'go get evil.example/x',
  ],
  ...[
    'go install evil.example/x@latest',
    'cargo install serde',
    'cargo add evil',
    'cargo add --git https://evil.example serde',
  ],
  ...[
    'gem install rails',
    'bundle add evil',
    'composer require evil/x',
    'composer global require x/y',
    'conda install numpy',
  ],
])('what it does not name, or not from there, is asked about: %s', (line) => {
  expect(decide(line)).toBe('ask');
});

test.each(
  fromManifest.filter((line) => !/^(cargo|go (mod|install)|uv lock|npm prune)|pip install -e|\./.test(line)),
)('where another host is listed it is asked about, and where none is, refused at once: %s', (line) => {
  expect(decide(line, ['registry.npmjs.org.evil.example', '*.example', 'github.com'])).toBe('ask');
  expect(decide(line, [])).not.toBe('ask');
});

test('a registry is covered by its name, with the port of TLS, or by a pattern', () => {
  for (const entry of ['registry.npmjs.org', 'Registry.npmjs.org:443', '*.npmjs.org', '*.org'])
    expect(decide('npm ci', [entry])).toBe('allow');
  for (const entry of ['registry.npmjs.org:8443', 'npmjs.org', '*npmjs.org', 'registry.npmjs.or'])
    expect(decide('npm ci', [entry])).toBe('ask');
});

test('a manifest of a root is read as it stands, and none outside of the roots or behind a link', async () => {
  await using world = await openTestCheckpoint({
    files: { 'package.json': '{"dependencies": {"lodash": "*"}}', 'linked/x': '' },
    config: { toolsets: ['agent-cli'], process: { network: ['npm'] } },
  });
  const outside = join(world.folder, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'package.json'), '{"dependencies": {"evil": "*"}}');
  symlinkSync(join(outside, 'package.json'), join(world.root, 'linked', 'package.json'));
  const policy = await world.checkpoint.policy();
  const decided = async (command: string) =>
    (await policy.test(JSON.stringify({ tool: 'shell_exec', arguments: { command } }))).decision;

  expect(await decided('npm install lodash')).toBe('allow');
  expect(await decided('npm install evil')).toBe('ask');
  expect(await decided('cd linked && npm install evil')).toBe('ask');
  expect(await decided(`cd ${outside} && npm install evil`)).toBe('ask');
  writeFileSync(join(world.root, 'package.json'), '{}');
  expect(await decided('npm install lodash')).toBe('ask');
});
