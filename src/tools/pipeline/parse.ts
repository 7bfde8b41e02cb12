import { guardError, type StagePlan } from '../../contract/capabilities/pipeline.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import { shellQuote } from '../../ground/shell-quote.ts';
import { findGrammar } from './commands.ts';
import type { Grammar } from './grammar.ts';
import { GuardViolation, pipelineWords, type Remedy } from './guard.ts';
import { readsNothing, staysInside } from './inside.ts';
import { behindXargs, onFiles } from './lessons/per-file.ts';
import { changesFiles } from './lessons/reasons.ts';
import { isCommandName, refuseCommand } from './neighbours.ts';
import { parseOptions } from './options.ts';
import type { Reading } from './reading.ts';
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
    if (found !== undefined) throw guardError(error.reason, error.detail, pipelineWords(found), true);
    const words = error.remedies.find((remedy) => 'words' in remedy)?.words ?? noSuggestion;
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
  return plain === line ? [] : [{ pipeline: plain }];
}

/** The first remedy that is accepted, or that leads to one that is. */
function settle(remedies: readonly Remedy[], context: ReadingContext, depth: number): string | undefined {
  for (const remedy of remedies) {
    if (!('pipeline' in remedy)) continue;
    try {
      const reading = read(remedy.pipeline, context);
      if (staysInside(reading, context.cwd) && !readsNothing(reading)) return remedy.pipeline;
    } catch (error) {
      if (!(error instanceof GuardViolation) || depth >= 6) continue;
      const found = settle(error.remedies, context, depth + 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function read(line: string, context: ReadingContext): Reading {
  if (Buffer.byteLength(line) > limits.commandBytes) {
    throw new GuardViolation(
      'PARSE_ERROR',
      text(
        `The command is over ${limits.commandBytes} bytes.`,
        `コマンドが ${limits.commandBytes} バイトを超えています。`,
      ),
      [
        {
          words: text(
            'Put long text into a file with shelpa_write and name the file.',
            '長い内容は shelpa_write でファイルに書き、そのファイルを指定してください。',
          ),
        },
      ],
    );
  }
  if (line.includes('\0') || !line.isWellFormed()) {
    throw new GuardViolation(
      'PARSE_ERROR',
      text(
        'The command contains a character that is not allowed.',
        'コマンドに使えない文字が含まれています。',
      ),
      [{ pipeline: line.replaceAll('\0', '').toWellFormed() }],
    );
  }
  const written = splitStages(tokenize(line));
  const alone = written.length === 1;
  const navigation = readNavigation(written, alone);
  if (navigation) return navigation;
  const stages = written.map((stage, index) => {
    const rest = (replaced: string): Remedy => ({
      pipeline: written.map((other, at) => (at === index ? replaced : other.raw)).join(' | '),
    });
    try {
      return readStage(stage, index, written.length, context);
    } catch (error) {
      if (!(error instanceof GuardViolation)) throw error;
      // The suggestion replaces its stage; the others stay.
      const remedies = error.remedies.map((remedy) =>
        'pipeline' in remedy ? (alone ? remedy : rest(remedy.pipeline)) : remedy,
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
  const grammar: Grammar | undefined =
    name && !name.dynamic ? findGrammar(name.text, context.extended) : undefined;
  if (!name || !grammar) throw refuseCommand(name, words, { index, count, extended: context.extended });
  const expanded = words.flatMap((word) => expandWord(word, context));
  if (expanded.length > limits.commandArguments) {
    throw new GuardViolation(
      'PARSE_ERROR',
      text(
        `${name.text} was given over ${limits.commandArguments} arguments.`,
        `${name.text} の引数が ${limits.commandArguments} 個を超えています。`,
      ),
      [
        {
          words: text(
            'Name a folder or narrow the glob.',
            'フォルダーを指定するか、ワイルドカードを絞ってください。',
          ),
        },
      ],
    );
  }
  const args = parseOptions(grammar, expanded);
  const work = grammar.plan(args, {
    readProgram: context.readProgram,
    isFirst: index === 0,
    isOnly: count === 1,
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
    const others = written.filter((_, index) => index !== at).map((other) => other.raw);
    throw new GuardViolation(
      'NAV_IN_PIPELINE',
      text(
        `${command} can only be used alone, not in a pipeline.`,
        `${command} は単独で使います。パイプには入れられません。`,
      ),
      at === 0
        ? [{ pipeline: stage.raw }, { pipeline: others.join(' | ') }]
        : [{ pipeline: others.join(' | ') }, { pipeline: stage.raw }],
    );
  }
  const operands = words.filter((word, index) => !(word.text === '--' && index === 0));
  if (command === 'pwd') {
    if (words.length > 0) throw navigationTakes('pwd', 'pwd');
    return { kind: 'pwd' };
  }
  const [target, ...more] = operands;
  if (more.length > 0) throw navigationTakes('cd', `cd ${target?.raw ?? ''}`);
  if (target?.text.startsWith('-')) throw navigationTakes('cd', undefined);
  return { kind: 'cd', path: target?.text };
}

function navigationTakes(command: string, remedy: string | undefined): GuardViolation {
  return new GuardViolation(
    'DISALLOWED_FLAG',
    command === 'cd'
      ? text('cd takes one folder and no options.', 'cd に指定できるのはフォルダー 1 つだけです。')
      : text('pwd takes no arguments.', 'pwd に引数はありません。'),
    remedy === undefined
      ? [
          {
            words: text(
              'Name the folder; cd alone goes to the root.',
              'フォルダーを指定してください (cd だけならルート)。',
            ),
          },
        ]
      : [{ pipeline: remedy }],
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
  return [{ pipeline: [...before, stage.joined, ...after].join('') }];
}

/** `find … | xargs wc -l`: one command that reads the found files; if there is none, the finder. */
function onNames(written: readonly WrittenStage[], index: number): Remedy[] {
  const [name, ...words] = written[index]?.words ?? [];
  if (name?.text !== 'xargs' || index === 0) return [];
  const [finder, ...found] = written[index - 1]?.words ?? [];
  const command = behindXargs(words);
  const same = finder && onFiles({ finder: finder.text, found, command, together: true });
  const raw = (stages: readonly WrittenStage[]) => stages.map((stage) => stage.raw);
  const before = { pipeline: raw(written.slice(0, index)).join(' | ') };
  if (same === undefined) return changesFiles(command[0]?.text ?? 'echo') ? [] : [before];
  const joined = [...raw(written.slice(0, index - 1)), same, ...raw(written.slice(index + 1))].join(' | ');
  return [{ pipeline: joined }, before];
}

/** The pipeline without a stage that only passes its input on; without any other, its meaning would change. */
function passStage(written: readonly WrittenStage[], index: number): Remedy[] {
  const [name, ...words] = written[index]?.words ?? [];
  const passes =
    index > 0 &&
    (/^(cat|less|more|bat|pv)$/.test(name?.text ?? '')
      ? words.every((word) => word.text.startsWith('-') && !/^-\w*[nbAesvtET]/.test(word.text))
      : name?.text === 'tee' && words.every((word) => /^(-|-a|\/dev\/(null|tty|stderr))$/.test(word.text)));
  return passes ? [dropStage(written, index)] : [];
}

function dropStage(written: readonly WrittenStage[], index: number): Remedy {
  return {
    pipeline: written
      .filter((_, at) => at !== index)
      .map((stage) => stage.raw)
      .join(' | '),
  };
}

function assertOneTee(stages: readonly StagePlan[], written: readonly WrittenStage[]): void {
  const tees = stages.flatMap((stage, index) => (stage.work.kind === 'tee' ? [index] : []));
  const second = tees[1];
  if (second === undefined) return;
  throw new GuardViolation(
    'TEE_TARGET',
    text('A pipeline has one tee.', '1 つのパイプラインに tee は 1 つだけです。'),
    [dropStage(written, second)],
  );
}
