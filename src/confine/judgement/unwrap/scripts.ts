import { parse } from 'unbash';
import { optionsNamed, readOptions } from '../words/options.ts';
import { literalWord, partOf, type Word } from '../words/word.ts';
import type { Inner } from './inner.ts';

interface ScriptOptions {
  readonly valued: string;
  readonly longValued: readonly string[];
  /** Other letters and names with a value, so that it is not taken for an option. */
  readonly otherValued?: string;
}

/** Programs with an option whose value is a command line. */
const scripts: ReadonlyMap<string, ScriptOptions> = new Map<string, ScriptOptions>([
  [
    'tar',
    {
      valued: 'IF',
      longValued: [
        'use-compress-program',
        'to-command',
        'checkpoint-action',
        'rsh-command',
        'rmt-command',
        'info-script',
        'new-volume-script',
      ],
      otherValued: 'fCTXbKNHgV',
    },
  ],
  ['bsdtar', { valued: '', longValued: ['use-compress-program'], otherValued: 'fCTXb' }],
  ['rsync', { valued: 'e', longValued: ['rsh', 'rsync-path'], otherValued: 'fTBM' }],
  // diff3(1), sdiff(1), install(1), dpkg(1), ctest(1), zip(1), cpio(1), dmsetup(8), slattach(8), wget(1), bugpoint(1)
  ['diff3', { valued: '', longValued: ['diff-program'], otherValued: 'L' }],
  ['sdiff', { valued: '', longValued: ['diff-program'], otherValued: 'Iow' }],
  ['install', { valued: '', longValued: ['strip-program'], otherValued: 'gmotS' }],
  ['dpkg', { valued: '', longValued: ['pre-invoke', 'post-invoke', 'status-logger'], otherValued: 'D' }],
  [
    'ctest',
    { valued: '', longValued: ['test-command', 'build-makeprogram'], otherValued: 'CDEFILMOQRSTjrw' },
  ],
  ['zip', { valued: '', longValued: ['unzip-command'], otherValued: 'bnst' }],
  ['cpio', { valued: '', longValued: ['rsh-command'], otherValued: 'CEFHIMORW' }],
  ['dmsetup', { valued: '', longValued: ['exec'] }],
  ['slattach', { valued: 'c', longValued: [], otherValued: 'ps' }],
  ['make-first-existing-target', { valued: 'c', longValued: [] }],
  ['chokidar', { valued: 'c', longValued: ['command'] }],
  ['nodemon', { valued: 'x', longValued: ['exec'], otherValued: 'ewid' }],
  // gpg(1), gpgsm(1), gpg-agent(1), gpg-connect-agent(1)
  ...['gpg', 'gpg2', 'gpgsm', 'gpg-agent', 'gpg-connect-agent'].map((name): [string, ScriptOptions] => [
    name,
    {
      valued: '',
      longValued: [
        ...['agent-program', 'dirmngr-program', 'keyboxd-program', 'pinentry-program'],
        ...['scdaemon-program', 'photo-viewer', 'protect-tool-program'],
      ],
      otherValued: 'orNu',
    },
  ]),
  ['sg', { valued: 'c', longValued: [] }],
  ['emulate', { valued: 'c', longValued: [] }],
  ['nc', { valued: 'ec', longValued: [], otherValued: 'pswiqx' }],
  ['ncat', { valued: 'ec', longValued: ['exec', 'sh-exec'], otherValued: 'pswid' }],
  ['netcat', { valued: 'ec', longValued: [], otherValued: 'pswiqx' }],
  ['nix-shell', { valued: '', longValued: ['run', 'command'], otherValued: 'pAIE' }],
  ['sort', { valued: '', longValued: ['compress-program'], otherValued: 'kotST' }],
  ['split', { valued: '', longValued: ['filter'], otherValued: 'abCln' }],
  ['rg', { valued: '', longValued: ['pre', 'hostname-bin'], otherValued: 'ABCEefgjmMrtT' }],
  ['man', { valued: 'PH', longValued: ['pager', 'html'], otherValued: 'CLMmSsEp' }],
]);

const quotedScripts = new Set(['hyperfine', 'concurrently']);

/** Command lines that hide in options: `tar --to-command=…`, `rsync -e …`. */
export function optionScripts(program: string, words: readonly Word[]): readonly Inner[] {
  if (quotedScripts.has(program)) {
    const options = readOptions(words, { valued: 'wrmMpncsuNiSDL', longValued: hyperfineValued });
    const around = program === 'hyperfine' ? optionsNamed(options, 'psc', hyperfineScripts) : [];
    return [
      ...options.operands.filter((word) => word.value !== '--'),
      ...around.flatMap(({ value }) => value ?? []),
    ].map((source) => ({ kind: 'script', source, posix: true }));
  }
  if (program === 'tmux') return tmuxCommands(words);
  if (program === 'go') return goRunners(words);
  if (program === 'wget') return wgetPasswords(words);
  const grammar = scripts.get(program);
  if (!grammar) return [];
  const options = readOptions(words, {
    valued: grammar.valued + (grammar.otherValued ?? ''),
    longValued: grammar.longValued,
  });
  // zip's `-TT COMMAND` is one option of two letters.
  const at = program === 'zip' ? words.findIndex(({ value }) => value === '-TT') + 1 : 0;
  const tester = at > 0 ? words[at] : undefined;
  const tested: Inner[] = tester ? [{ kind: 'script', source: tester, posix: true }] : [];
  return options.given
    .flatMap((option): Inner[] => {
      const fits = option.long
        ? option.name.length > 1 && grammar.longValued.some((name) => name.startsWith(option.name))
        : grammar.valued.includes(option.name);
      if (!fits || !option.value) return [];
      const source = option.name.startsWith('checkpoint') ? checkpointAction(option.value) : option.value;
      return source ? [{ kind: 'script', source, posix: true }] : [];
    })
    .concat(tested);
}

const hyperfineScripts = ['prepare', 'setup', 'cleanup', 'conclude', 'reference'];

const hyperfineValued = [
  ...hyperfineScripts,
  ...['warmup', 'runs', 'min-runs', 'max-runs', 'parameter-list', 'parameter-scan', 'export-json', 'shell'],
  ...['export-csv', 'export-markdown', 'names', 'prefix-colors', 'kill-others-on', 'style', 'time-unit'],
];

/** Subcommands of tmux(1) that start a program, or commands of its own which may; the short ones have names of their own. */
const tmuxStarts = [
  ...['new-session', 'new-window', 'split-window', 'respawn-pane', 'respawn-window', 'run-shell', 'if-shell'],
  ...['pipe-pane', 'display-popup', 'popup', 'display-menu', 'confirm-before', 'command-prompt', 'bind-key'],
  ...['set-hook', 'copy-pipe', 'source-file', 'choose-tree', 'new', 'neww', 'splitw', 'respawnp', 'respawnw'],
  ...['run', 'if', 'pipep', 'menu', 'confirm', 'bind'],
];

/** tmux runs words in several of its subcommands: there, whatever could be such words is judged. */
function tmuxCommands(words: readonly Word[]): readonly Inner[] {
  if (words.length > 40) return [{ kind: 'unread', rule: 'wrapper-unread', word: literalWord('tmux') }];
  const end = words.findIndex(({ value }) => value === ';' || value === '\\;');
  const own = end < 0 ? words : words.slice(0, end);
  const after = end < 0 ? [] : tmuxCommands(words.slice(end + 1));
  const at = words.findIndex(
    ({ prefix }, index) => !prefix.startsWith('-') && !isTmuxValue(words[index - 1]),
  );
  const name = own[at]?.value ?? '';
  const rest = own.slice(at + 1);
  const formats = own.flatMap(({ value }) =>
    [...(value ?? '').matchAll(/#\((.*)\)/gs)].map(([, source = '']) => asScript(literalWord(source))),
  );
  const isOption = name.startsWith('set') && rest.some(({ value }) => /-(command|shell)$/.test(value ?? ''));
  const isStart =
    own[at]?.value === undefined || (name !== 'set' && tmuxStarts.some((each) => each.startsWith(name)));
  if (/^send/.test(name) && 'send-keys'.startsWith(name))
    return [...rest.flatMap((word) => typedText(word)), ...formats, ...after];
  if (!isOption && !isStart) return [...formats, ...after];
  return [...rest.flatMap(tmuxWord), ...formats, ...after];
}

/** tmux(1): `tmux -L NAME -f FILE new …`. */
function isTmuxValue(before: Word | undefined): boolean {
  return /^-[cfLST]$/.test(before?.value ?? '');
}

function tmuxWord(word: Word, at: number, words: readonly Word[]): readonly Inner[] {
  if (word.value === undefined || word.prefix.startsWith('-') || tmuxFormat.test(word.value)) return [];
  // `if-shell true 'run-shell "make"'`
  if (tmuxStarts.includes(word.value.split(' ', 1)[0] ?? ''))
    return [asScript(literalWord(`tmux ${word.value}`))];
  if (/[^\w./:=-]/.test(word.value)) return [asScript(word)];
  return [{ kind: 'command', words: words.slice(at) }];
}

/** What is typed into a terminal is a script where a shell could read it; else another program reads it there. */
export function typedText(word: Word): readonly Inner[] {
  const line = word.value?.replace(/(\^M|\\[nr]|\\0?1[25]|[\r\n])+$/, '');
  if (line === undefined || parse(line).errors?.length) return [];
  return [asScript(literalWord(line))];
}

function asScript(source: Word): Inner {
  return { kind: 'script', source, posix: true };
}

/** `#S`, `#{session_name}: #W`: to a shell it is a comment, and tmux fills it in; `#(…)` would run. */
const tmuxFormat = /^#(?:\w|\{\w+\})(?:[\s\w.,:/=-]|#\w|#\{\w+\})*$/;

/** `go run -exec 'CMD'`, `go build -toolexec=CMD`. */
function goRunners(words: readonly Word[]): readonly Inner[] {
  return words.flatMap((word, at): Inner[] => {
    const [, equals] = /^--?(?:(?:tool)?exec|vettool)(=?)/.exec(word.prefix) ?? [];
    if (equals === undefined) return [];
    const source = equals === '=' ? partOf(word, word.prefix.indexOf('=') + 1) : words[at + 1];
    return source ? [{ kind: 'script', source, posix: true }] : [];
  });
}

/** `wget --use-askpass=COMMAND`, and the same as a line of its configuration: `-e use_askpass=COMMAND` (wget(1)). */
function wgetPasswords(words: readonly Word[]): readonly Inner[] {
  const { given } = readOptions(words, {
    valued: 'aBDeIlnoOPQRtTUwX',
    longValued: ['use-askpass', 'execute'],
  });
  return given.flatMap(({ name, long, value }): Inner[] => {
    if (!value) return [];
    if (long && name.length > 4 && 'use-askpass'.startsWith(name))
      return [{ kind: 'script', source: value, posix: true }];
    const line = /^\s*use_?askpass\s*=\s*(.*)$/is.exec(value.value ?? '')?.[1];
    return line === undefined ? [] : [{ kind: 'script', source: literalWord(line), posix: true }];
  });
}

/** tar's `exec=COMMAND` among its other, harmless actions. */
function checkpointAction(value: Word): Word | undefined {
  if (value.value === undefined) return value;
  if (!value.value.startsWith('exec=')) return undefined;
  return partOf(literalWord(value.value), 5);
}
