/** A step of everyday work. `PORT` stands for the registries' port. */
export interface Step {
  readonly line: string;
  /** It publishes or pushes, which a person is asked about. */
  readonly asks?: boolean;
  readonly program: string;
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const git = 'git -c user.name=a -c user.email=a@b.example';
const reads = (program: string, ...lines: readonly string[]): readonly Step[] =>
  lines.map((line) => ({ program, line }));
const asks = (program: string, ...lines: readonly string[]): readonly Step[] =>
  lines.map((line) => ({ program, line, asks: true }));

const repositories = upTo(8).flatMap((n) => {
  const url = `https://github.com:PORT/ours/app${n}.git`;
  const commit = `echo ${n} > file${n}.txt && ${git} add . && ${git} commit -q -m 'step ${n}'`;
  return [
    ...reads('git', `git clone -q ${url} app${n}`),
    ...asks('git', `cd app${n} && git checkout -q -B main && ${commit} && git push -q origin main`),
    ...reads(
      'git',
      `git clone -q --depth 1 ${url} again${n}`,
      `git -C again${n} fetch -q origin`,
      `git ls-remote ${url} > refs${n}.txt`,
    ),
    ...asks('git', `cd app${n} && git tag v${n} && git push -q origin v${n}`),
    ...reads('git', `git -C again${n} pull -q --tags`, `git -C again${n} tag > tags${n}.txt`),
    ...reads('git', `git clone -q https://github.com:PORT/ours/none${n}.git`),
  ];
});

const npm = '--registry https://registry.npmjs.org:PORT/ --no-fund --loglevel error';
const token = '--//registry.npmjs.org:PORT/:_authToken=npm_abc';
const packages = upTo(8).flatMap((n) => {
  const dependencies = n > 1 ? `,"dependencies":{"note${n - 1}":"^1.0.0"}` : '';
  return [
    ...asks(
      'npm',
      `mkdir -p note${n} && cd note${n} && echo '{"name":"note${n}","version":"1.0.0"${dependencies}}' > package.json && echo ${n} > index.js && npm publish ${npm} ${token}`,
    ),
    ...reads(
      'npm',
      `npm view note${n} version ${npm} > view${n}.txt`,
      `mkdir -p user${n} && cd user${n} && npm init -y --loglevel error > /dev/null && npm install note${n} ${npm} --cache ../.cache/user${n}`,
      `cd user${n} && rm -rf node_modules && npm ci ${npm} --cache ../.cache/again${n}`,
      `npm pack note${n} ${npm} > /dev/null`,
      `npm view nothing${n} ${npm}`,
    ),
  ];
});

const wheels = upTo(7).flatMap((n) => [
  ...asks('python3', `python3 work.py ${n} https://upload.pypi.org:PORT/legacy/`),
  ...reads(
    'pip3',
    `pip3 download -q --disable-pip-version-check --no-cache-dir --no-deps -d wheels${n} --index-url https://pypi.org:PORT/simple plan${n}`,
    `pip3 install -q --disable-pip-version-check --no-cache-dir --no-compile --target site${n} --index-url https://pypi.org:PORT/simple plan${n}`,
    `pip3 download -q --disable-pip-version-check --no-cache-dir --index-url https://pypi.org:PORT/simple nothing${n}`,
  ),
]);

const config = `printf '[registries.own]\\nindex = "sparse+https://index.crates.io:PORT/"\\n' > .cargo/config.toml`;
const crate = (name: string, rest: string) =>
  `printf '[package]\\nname = "${name}"\\nversion = "0.1.0"\\nedition = "2021"\\ndescription = "x"\\nlicense = "MIT"\\n${rest}' > ${name}/Cargo.toml && echo > ${name}/src/lib.rs`;
const cargo = (line: string) => `CARGO_REGISTRIES_OWN_TOKEN=abc CARGO ${line}`;
const rust = upTo(6).flatMap((n) => [
  ...asks(
    'cargo',
    `mkdir -p .cargo deed${n}/src && ${config} && ${crate(`deed${n}`, '')} && cd deed${n} && ${cargo('publish -q --registry own --allow-dirty --no-verify')}`,
  ),
  ...reads(
    'cargo',
    `mkdir -p use${n}/src && ${crate(`use${n}`, `[dependencies]\\ndeed${n} = { version = "0.1", registry = "own" }\\n`)}`,
    `cd use${n} && ${cargo('fetch -q')}`,
    `cd use${n} && ${cargo('metadata -q --format-version 1')} > /dev/null`,
  ),
]);

const registry = 'https://ghcr.io:PORT/v2';
const images = upTo(6).flatMap((n) => {
  const blob = `sha256:$(sha256sum < blob${n} | cut -d' ' -f1)`;
  return [
    ...asks(
      'curl',
      `echo 'layer ${n}' > blob${n} && curl -fsS -X POST ${registry}/ours/app${n}/blobs/uploads/ && curl -fsS -X PATCH --data-binary @blob${n} ${registry}/ours/app${n}/blobs/uploads/1 && curl -fsS -X PUT "${registry}/ours/app${n}/blobs/uploads/1?digest=${blob}"`,
      `echo '{"schemaVersion":2}' | curl -fsS -X PUT -H 'Content-Type: application/vnd.oci.image.manifest.v1+json' --data-binary @- ${registry}/ours/app${n}/manifests/latest`,
    ),
    ...reads(
      'curl',
      `curl -fsS ${registry}/ours/app${n}/manifests/latest -o manifest${n}.json`,
      `curl -fsS "${registry}/ours/app${n}/blobs/${blob}" -o layer${n}`,
      `curl -fsS ${registry}/ours/app${n}/manifests/none -o none${n}.json`,
    ),
  ];
});

const modules = upTo(3).flatMap((n) =>
  reads(
    'curl',
    `curl -fsS https://proxy.golang.org:PORT/example.com/notes${n}/@v/list -o list${n}.txt`,
    `curl -fsS https://proxy.golang.org:PORT/example.com/notes${n}/@v/v1.1.0.info -o info${n}.json`,
    `curl -fsS https://proxy.golang.org:PORT/example.com/notes${n}/@v/v1.1.0.mod -o go${n}.mod`,
    `curl -fsS https://proxy.golang.org:PORT/example.com/notes${n}/@v/v9.zip -o go${n}.zip`,
  ),
);

/** Those of a family follow one another. */
export const families: readonly (readonly Step[])[] = [repositories, packages, wheels, rust, images, modules];
