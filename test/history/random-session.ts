/** Calls of every toolset that writes, drawn from a seed: what an agent on a bad day might do. */
export function* randomCalls(seed: number, count: number): Generator<readonly [tool: string, input: object]> {
  const draw = generator(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(draw() * from.length)] as T;
  const file = () => pick(files);
  const folder = () => pick(folders);
  const words = () =>
    `${pick(['alpha', 'beta', '漢字', 'γ'])} ${Math.floor(draw() * 1000)}\n`.repeat(
      1 + Math.floor(draw() * 20),
    );
  const quoted = (path: string) => `'${path}'`;
  const commands = [
    () => `rm -f ${quoted(file())}`,
    () => `rm -f ${quoted(file())} ${quoted(file())}; rmdir ${quoted(folder())}`,
    () => `mv ${quoted(file())} ${quoted(file())}`,
    () => `mv ${quoted(folder())} ${quoted(folder())}`,
    () => `mv ${quoted(folder())} ${quoted(file())}`,
    () => `cp ${quoted(file())} ${quoted(file())}`,
    () => `cp -r ${quoted(folder())} ${quoted(`${folder()}/copy`)}`,
    () => `chmod ${pick(['600', '644', '755', '400', '2750'])} ${quoted(pick([file(), folder()]))}`,
    () => `ln -s ${quoted(file())} ${quoted(file())}`,
    () => `ln -sfn ${quoted(folder())} ${quoted(file())}`,
    () => `mkdir -p ${quoted(`${folder()}/new/${Math.floor(draw() * 5)}`)}`,
    () => `echo ${Math.floor(draw() * 1000)} >> ${quoted(file())}`,
    () => `echo ${Math.floor(draw() * 1000)} > ${quoted(file())}`,
    () => `: > ${quoted(file())}`,
    () => `touch ${quoted(file())}`,
    () => `rm -f ${quoted(file())}; mkdir ${quoted(file())}`,
    () => `sed -i 's/o/0/' ${quoted(file())}`,
    () => `touch -d 2001-01-01 ${quoted(file())}; mv ${quoted(file())} ${quoted(`${folder()}/moved`)}`,
  ];
  const calls: (() => readonly [string, object])[] = [
    () => ['file_write', { path: file(), content: words(), overwrite: draw() < 0.7 }],
    () => ['write_file', { path: file(), content: words() }],
    () => [
      'edit_file',
      {
        path: pick(['a.txt', 'src/main.ts', 'b.txt']),
        old_string: 'o',
        new_string: words().trim(),
        replace_all: true,
      },
    ],
    () => ['vault_create', { path: `n${Math.floor(draw() * 9)}.md`, content: words() }],
    () => ['vault_append', { path: pick(['note.md', 'n1.md', 'daily/x.md']), content: words() }],
    () => ['vault_replace', { path: 'note.md', find: 'one', replace: 'two' }],
    () => [
      'shelpa_write',
      { path: pick(files), content: words(), mode: pick(['create', 'overwrite', 'append']) },
    ],
    () => ['shelpa_write', { path: 'large.log', content: words(), mode: 'append' }],
    () => ['shelpa_pipe', { command: `head -n 2 a.txt | tee ${pick(['', '-a '])}src/teed.txt` }],
  ];
  const shell = (): readonly [string, object] => [
    pick(['shell_exec', 'bash']),
    { command: `${pick(commands)()}; ${pick(commands)()}; true` },
  ];
  yield* oneOfEach;
  for (let made = oneOfEach.length; made < count; made += 1) yield draw() < 0.5 ? shell() : pick(calls)();
}

/** Calls that work on a fresh tree, so that no session is one of refusals. */
const oneOfEach = [
  ['file_write', { path: 'a.txt', content: 'one\nmore\n', overwrite: true }],
  ['write_file', { path: 'src/deep/er/new.txt', content: 'new\n' }],
  ['edit_file', { path: 'a.txt', old_string: 'more', new_string: 'less' }],
  ['vault_create', { path: 'n1.md', content: '# N\n' }],
  ['vault_append', { path: 'note.md', content: '- two\n' }],
  ['vault_replace', { path: 'note.md', find: 'one', replace: 'three' }],
  ['shelpa_write', { path: 'large.log', content: 'end\n', mode: 'append' }],
  ['shelpa_pipe', { command: 'head -n 2 a.txt | tee src/teed.txt' }],
  ['shell_exec', { command: 'mv src/run.sh run.sh; chmod 600 run.sh' }],
  ['bash', { command: 'rm dangling; ln -s a.txt dangling' }],
] as const;

const files = [
  'a.txt',
  'b.txt',
  'src/main.ts',
  'src/run.sh',
  'src/deep/er/bytes.bin',
  'src/deep/er/new.txt',
  '空 の/メモ.md',
  'empty/first',
  'fresh/one/two.txt',
  'vault/note.md',
  'src/link',
  'dangling',
];
const folders = ['src', 'src/deep', 'src/deep/er', 'empty', '空 の', 'fresh', 'other'];

function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
