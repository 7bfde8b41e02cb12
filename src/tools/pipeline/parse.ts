import { guardError, type StagePlan } from '../../contract/capabilities/pipeline.ts';
import { limits } from '../../contract/limits.ts';
import { text, verbatim } from '../../contract/text/text.ts';
import { shellQuote } from '../../ground/shell-quote.ts';
import { findGrammar } from './commands.ts';
import { GuardViolation, type Remedy } from './guard.ts';
import { type Reading, readsNothing, staysInside } from './inside.ts';
import { behindXargs, onFiles } from './lessons/per-file.ts';
import { changesFiles } from './lessons/reasons.ts';
import { isCommandName, refuseCommand } from './neighbours.ts';
import { parseOptions } from './options.ts';
import { splitStages, type WrittenStage } from './stages.ts';
import { tokenize, type Word } from './words.ts';

/** The facts of the workspace that reading a pipeline needs. */
export interface ReadingContext {
  /** Names that a glob matches, sorted. */
  expand(pattern: string): readonly string[];
  readProgram(path: string): string;
  readonly extended: boolean;
  /** The working folder, relative to the root. */
  readonly cwd: string;
}

/** Parses a command line. Throws a GUARD_VIOLATION; a suggested command has passed the same parser. */
export function readPipeline(line: string, context: ReadingContext): Reading {
  try {
    return read(line, context);
  } catch (error) {
    if (!(error instanceof GuardViolation)) throw error;
    const found = settle([...plainSigns(line), ...error.remedies], context, 0);
    if (found !== undefined) throw guardError(error.reason, error.detail, verbatim(found), true);
    const words = error.remedies.find((remedy) => typeof remedy !== 'string') ?? noSuggestion;
    throw guardError(error.reason, error.detail, words, false);
  }
}

const noSuggestion = text(
  'Send one pipeline of the allowed commands, e.g. tail -n 100 app.log | rg ERROR',
  '使えるコマンドだけをつないで送ってください。例: tail -n 100 app.log | rg ERROR',
);

const typeset = /[\u2018\u2019\u201c\u201d\uff5c]/g;

/** Replaces typographic quotes and pipes by plain ones. */
function plainSigns(line: string): Remedy[] {
  const plain = line.replace(typeset, (sign) => (sign === '\uff5c' ? '|' : sign < '\u201c' ? "'" : '"'));
  return plain === line ? [] : [plain];
}

/** The first remedy that is accepted, or that leads to one that is. */
function settle(remedies: readonly Remedy[], context: ReadingContext, depth: number): string | undefined {
  for (const remedy of remedies) {
    if (typeof remedy !== 'string') continue;
    try {
      const reading = read(remedy, context);
      if (staysInside(reading, context.cwd) && !readsNothing(reading)) return remedy;
    } catch (error) {
      if (!(error instanceof GuardViolation) || depth >= 6) continue;
      const found = settle(error.remedies, context, depth + 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function read(line: string, context: ReadingContext): Reading {
  if (Buffer.byteLength(line) > limits.commandBytes)
    throw new GuardViolation(
      'PARSE_ERROR',
      `The command is over ${limits.commandBytes} bytes.`,
      `コマンドが ${limits.commandBytes} バイトを超えています。`,
      [
        text(
          'Put long text into a file with shelpa_write and name the file.',
          '長い内容は shelpa_write でファイルに書き、そのファイルを指定してください。',
        ),
      ],
    );
  if (line.includes('\0') || !line.isWellFormed())
    throw new GuardViolation(
      'PARSE_ERROR',
      'The command contains a character that is not allowed.',
      'コマンドに使えない文字が含まれています。',
      [line.replaceAll('\0', '').toWellFormed()],
    );
  const written = splitStages(tokenize(line));
  const alone = written.length === 1;
  const navigation = readNavigation(written, alone);
  if (navigation) return navigation;
  const stages = written.map((stage, index) => {
    try {
      return readStage(stage, index, written.length, context);
    } catch (error) {
      if (!(error instanceof GuardViolation)) throw error;
      // The suggestion replaces its stage; the others stay.
      const remedies = error.remedies.map((remedy) =>
        typeof remedy === 'string' && !alone
          ? joined(written.with(index, { words: [], raw: remedy }))
          : remedy,
      );
      throw new GuardViolation(error.reason, error.detail, [
        ...joinStage(written, index),
        ...onNames(written, index),
        ...remedies,
        ...passStage(written, index),
      ]);
    }
  });
  assertOneTee(stages, written);
  return { kind: 'pipeline', stages };
}

function readStage(stage: WrittenStage, index: number, count: number, context: ReadingContext): StagePlan {
  const [name, ...words] = stage.words;
  const grammar = name && !name.dynamic ? findGrammar(name.text, context.extended) : undefined;
  if (!name || !grammar) throw refuseCommand(name, words, { index, count, extended: context.extended });
  const expanded = words.flatMap((word) => expandWord(word, context));
  if (expanded.length > limits.commandArguments)
    throw new GuardViolation(
      'PARSE_ERROR',
      `${name.text} was given over ${limits.commandArguments} arguments.`,
      `${name.text} の引数が ${limits.commandArguments} 個を超えています。`,
      [text('Name a folder or narrow the glob.', 'フォルダーを指定するか、ワイルドカードを絞ってください。')],
    );
  const args = parseOptions(grammar, expanded);
  const work = grammar.plan(args, {
    readProgram: context.readProgram,
    isFirst: index === 0,
    words: expanded,
  });
  return { shown: stage.raw, work };
}

/** Expands a glob as a shell does; a name that looks like an option is rewritten so that it cannot be one. */
function expandWord(word: Word, context: ReadingContext): Word[] {
  if (word.pattern === undefined) return [word];
  const names = context.expand(word.pattern);
  if (names.length === 0) return [word];
  return names.map((name) => {
    const safe = name.startsWith('-') ? `./${name}` : name;
    return { text: safe, raw: shellQuote(safe), quoted: true, globbed: names.length > 1 };
  });
}

function readNavigation(written: readonly WrittenStage[], alone: boolean): Reading | undefined {
  const at = written.findIndex(({ words }) => words[0]?.text === 'cd' || words[0]?.text === 'pwd');
  const stage = written[at];
  if (!stage) return undefined;
  const [name, ...words] = stage.words;
  const command = name?.text ?? '';
  if (!alone) {
    const others = joined(written.toSpliced(at, 1));
    throw new GuardViolation(
      'NAV_IN_PIPELINE',
      `${command} can only be used alone, not in a pipeline.`,
      `${command} は単独で使います。パイプには入れられません。`,
      at === 0 ? [stage.raw, others] : [others, stage.raw],
    );
  }
  if (command === 'pwd') {
    if (words.length === 0) return { kind: 'pwd' };
    const detail = text('pwd takes no arguments.', 'pwd に引数はありません。');
    throw new GuardViolation('DISALLOWED_FLAG', detail, ['pwd']);
  }
  const [target, ...more] = words[0]?.text === '--' ? words.slice(1) : words;
  if (more.length === 0 && !target?.text.startsWith('-')) return { kind: 'cd', path: target?.text };
  throw new GuardViolation(
    'DISALLOWED_FLAG',
    'cd takes one folder and no options.',
    'cd に指定できるのはフォルダー 1 つだけです。',
    [
      more.length > 0
        ? `cd ${target?.raw ?? ''}`
        : text(
            'Name the folder; cd alone goes to the root.',
            'フォルダーを指定してください (cd だけならルート)。',
          ),
    ],
  );
}

/** `rg a|b` as `rg 'a|b'`, if `b` is no command. */
function joinStage(written: readonly WrittenStage[], index: number): Remedy[] {
  const stage = written[index];
  if (stage?.joined === undefined || isCommandName(stage.words[0]?.text ?? '')) return [];
  const before = written.slice(0, index - 1).map((other) => `${other.raw} | `);
  // The following stages may be parts of the same pattern, so they stay attached to the pipe.
  const after = written
    .slice(index + 1)
    .map((other) => (other.words[0]?.afterPipe ? `|${other.raw}` : ` | ${other.raw}`));
  return [[...before, stage.joined, ...after].join('')];
}

/** `find … | xargs wc -l`: one command that reads the found files; if there is none, the finder. */
function onNames(written: readonly WrittenStage[], index: number): Remedy[] {
  const [name, ...words] = written[index]?.words ?? [];
  if (name?.text !== 'xargs' || index === 0) return [];
  const [finder, ...found] = written[index - 1]?.words ?? [];
  const command = behindXargs(words);
  const same = finder && onFiles({ finder: finder.text, found, command, together: true });
  const before = joined(written.slice(0, index));
  if (same === undefined) return changesFiles(command[0]?.text ?? 'echo') ? [] : [before];
  return [joined(written.toSpliced(index - 1, 2, { words: [], raw: same })), before];
}

/** The pipeline without a stage that only passes its input on; without any other, its meaning would change. */
function passStage(written: readonly WrittenStage[], index: number): Remedy[] {
  const [name, ...words] = written[index]?.words ?? [];
  const passes =
    index > 0 &&
    (/^(cat|less|more|bat|pv)$/.test(name?.text ?? '')
      ? words.every((word) => word.text.startsWith('-') && !/^-\w*[nbAesvtET]/.test(word.text))
      : name?.text === 'tee' && words.every((word) => /^(-|-a|\/dev\/(null|tty|stderr))$/.test(word.text)));
  return passes ? [joined(written.toSpliced(index, 1))] : [];
}

function joined(stages: readonly WrittenStage[]): string {
  return stages.map((stage) => stage.raw).join(' | ');
}

function assertOneTee(stages: readonly StagePlan[], written: readonly WrittenStage[]): void {
  const tees = stages.flatMap((stage, index) => (stage.work.kind === 'tee' ? [index] : []));
  const second = tees[1];
  if (second === undefined) return;
  throw new GuardViolation(
    'TEE_TARGET',
    'A pipeline has one tee.',
    '1 つのパイプラインに tee は 1 つだけです。',
    [joined(written.toSpliced(second, 1))],
  );
}
