import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import { shellQuote } from '../../ground/shell-quote.ts';
import { GuardViolation, type Remedy } from './guard.ts';
import { isLoop, noLoops } from './lessons/reasons.ts';
import { refuseDynamic } from './substitution.ts';
import { isWord, type Operator, rawOf, type Token, type Word } from './words.ts';

/** A stage as written. */
export interface WrittenStage {
  readonly words: readonly Word[];
  readonly raw: string;
  /** The previous stage and this one as one word, if no blank surrounds the pipe: `rg a|b` may mean `rg 'a|b'`. */
  readonly joined?: string | undefined;
}

/** Splits tokens at pipes. Everything else that a shell would interpret is refused by name. */
export function splitStages(given: readonly Token[]): WrittenStage[] {
  const tokens = withoutIdleNewlines(given);
  refuseProcessSubstitution(tokens);
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token && !isWord(token) && token.operator !== '|') throw refuseOperator(tokens, token, index);
  }
  for (const token of tokens) if (isWord(token)) refuseDynamic(tokens, token);
  const stages: Word[][] = [[]];
  for (const [index, token] of tokens.entries()) {
    const pipe = tokens[index - 1];
    const afterPipe = token.glued && pipe !== undefined && !isWord(pipe) && pipe.glued === true;
    if (isWord(token)) stages.at(-1)?.push(afterPipe ? { ...token, afterPipe } : token);
    else stages.push([]);
  }
  const filled = stages.filter((words) => words.length > 0);
  if (filled.length === 0)
    throw new GuardViolation('EMPTY', 'There is no command.', 'コマンドがありません。', []);
  if (filled.length < stages.length)
    throw new GuardViolation(
      'PARSE_ERROR',
      'A pipe has nothing on one side.',
      'パイプの片側にコマンドがありません。',
      [filled.map(rawOf).join(' | ')],
    );
  if (stages.length > limits.pipelineStages)
    throw new GuardViolation(
      'TOO_MANY_STAGES',
      `A pipeline has at most ${limits.pipelineStages} stages; this has ${stages.length}.`,
      `パイプラインは ${limits.pipelineStages} ステージまでです (${stages.length} ステージあります)。`,
      [stages.slice(0, limits.pipelineStages).map(rawOf).join(' | ')],
    );
  return stages.map((words, index) => {
    const joined = joinedWith(stages[index - 1], words);
    return { words, raw: rawOf(words), ...(joined === undefined ? {} : { joined }) };
  });
}

/** Removes newlines that end nothing: before the first word, after the last, and after a pipe. */
function withoutIdleNewlines(tokens: readonly Token[]): readonly Token[] {
  const isNewline = (token: Token | undefined) =>
    token !== undefined && !isWord(token) && token.operator === '\n';
  const end = tokens.findLastIndex((token) => !isNewline(token));
  const kept: Token[] = [];
  for (const token of tokens.slice(0, end + 1)) {
    const before = kept.at(-1);
    const isIdle = before === undefined || (!isWord(before) && before.operator === '|');
    if (!isNewline(token) || !isIdle) kept.push(token);
  }
  return kept;
}

function joinedWith(before: readonly Word[] | undefined, words: readonly Word[]): string | undefined {
  const [first, ...rest] = words;
  const last = before?.at(-1);
  if (!before || before.length < 2 || !last || !first?.afterPipe) return undefined;
  const word = shellQuote(`${last.text}|${first.text}`);
  return [rawOf(before.slice(0, -1)), word, rawOf(rest)].join(' ').trim();
}

const redirections = new Set(['>', '>>', '>|', '<', '<<', '<<-', '<<<', '<&', '>&', '<>', '&>', '&>>']);

function refuseOperator(tokens: readonly Token[], token: Operator, index: number): GuardViolation {
  if (token.operator === '|&')
    return new GuardViolation(
      'REDIRECT',
      'stderr is already separate: each step reports its own.',
      '標準エラーは初めから分かれています (各ステージの結果に含まれます)。',
      [rawOf(tokens.map((other, at) => (at === index ? { operator: '|' } : other)))],
    );
  return redirections.has(token.operator)
    ? refuseRedirection(tokens, token, index)
    : refuseChaining(tokens, token, index);
}

function refuseRedirection(tokens: readonly Token[], token: Operator, index: number): GuardViolation {
  const { operator, descriptor } = token;
  const target = tokens[index + 1];
  const word = isWord(target) ? target : undefined;
  const rest = tokens.filter((_, at) => at !== index && !(word && at === index + 1));
  const duplicates = operator === '>&' || operator === '<&';
  if (descriptor === '2' || operator.startsWith('&>') || duplicates || word?.text === '/dev/null')
    return new GuardViolation(
      'REDIRECT',
      `${descriptor ?? ''}${operator} is not needed: stderr is already separate, and stdout is returned.`,
      `${descriptor ?? ''}${operator} は不要です。標準エラーは初めから分かれ、標準出力だけが返ります。`,
      [rawOf(rest)],
    );
  const remedies: Remedy[] = [];
  if (operator === '>' || operator === '>|' || operator === '>>') {
    const tee = word ? `tee ${operator === '>>' ? '-a ' : ''}${word.raw}` : '';
    // The write belongs after the stage with the redirection.
    if (word) remedies.push(insertStage(rest, index, tee), `${rawOf(rest)} | ${tee}`);
    return new GuardViolation(
      'REDIRECT',
      `${operator} is not allowed. Save with | tee.`,
      `${operator} は使えません。保存は | tee で行います。`,
      [...remedies, ownText],
    );
  }
  if (operator === '<' && word) {
    remedies.push(`tail -n +1 ${word.raw} | ${rawOf(rest)}`);
  }
  return new GuardViolation(
    'REDIRECT',
    operator === '<'
      ? text('< is not allowed. Name the file.', '< は使えません。ファイル名を引数で渡してください。')
      : text(
          `${operator} is not allowed: there are no here-documents.`,
          `${operator} は使えません (ヒアドキュメントはありません)。`,
        ),
    [...remedies, ownText],
  );
}

const ownText: Remedy = text(
  'Write the text to a file with shelpa_write, then name the file.',
  'shelpa_write でファイルに書いてから、そのファイルを指定してください。',
);

/** Puts a stage after the one that contains `index`. */
function insertStage(rest: readonly Token[], index: number, stage: string): string {
  const pipe = rest.findIndex((token, at) => at >= index && !isWord(token) && token.operator === '|');
  if (pipe < 0) return `${rawOf(rest)} | ${stage}`;
  return `${rawOf(rest.slice(0, pipe))} | ${stage} ${rawOf(rest.slice(pipe))}`;
}

function refuseChaining(tokens: readonly Token[], token: Operator, index: number): GuardViolation {
  const { operator } = token;
  if (operator === '(' || operator === ')') {
    const flat = tokens.filter(
      (other) => isWord(other) || (other.operator !== '(' && other.operator !== ')'),
    );
    return new GuardViolation(
      'CHAINING',
      'Parentheses make a subshell. Quote them if they are text.',
      '括弧はサブシェルになります。文字として使うなら引用符で囲んでください。',
      [quoteRuns(tokens), rawOf(flat)],
    );
  }
  const name = operator === '\n' ? 'A newline' : operator;
  const [first] = tokens;
  const before = rawOf(tokens.slice(0, index));
  const after = rawOf(tokens.slice(index + 1));
  const loops = isWord(first) && isLoop(first.text);
  // Commands after a `cd` apply to the new folder.
  const moves = isWord(first) && first.text === 'cd';
  return new GuardViolation(
    'CHAINING',
    `${name} is not allowed: one pipeline a call. Send the other commands in calls of their own.`,
    `${operator === '\n' ? '改行' : operator} は使えません。1 回の呼び出しで 1 つのパイプラインだけを送れます。残りは別の呼び出しで送ってください。`,
    loops ? [noLoops] : moves || operator === '||' ? [before, oneByOne] : [before, after, oneByOne],
  );
}

const oneByOne: Remedy = text('Send the commands one by one.', 'コマンドを 1 つずつ送ってください。');

/** `rg foo(bar)` with quotes around the run of characters that contains the parentheses. */
function quoteRuns(tokens: readonly Token[]): string {
  const runs: Token[][] = [];
  for (const token of tokens) {
    const run = runs.at(-1);
    const isPipe = !isWord(token) && token.operator === '|';
    if (run && token.glued && !isPipe && !run.some((other) => !isWord(other) && other.operator === '|'))
      run.push(token);
    else runs.push([token]);
  }
  return runs
    .map((run) => {
      const [only, ...more] = run;
      if (only && more.length === 0 && (isWord(only) || only.operator === '|')) return rawOf(run);
      return shellQuote(run.map((token) => (isWord(token) ? token.text : token.operator)).join(''));
    })
    .join(' ');
}

function refuseProcessSubstitution(tokens: readonly Token[]): void {
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    const next = tokens[index + 1];
    if (isWord(token) || isWord(next) || !token || next?.operator !== '(') continue;
    if (token.operator !== '<' && token.operator !== '>') continue;
    const close = tokens.findIndex((other, at) => at > index && !isWord(other) && other.operator === ')');
    const inner = rawOf(tokens.slice(index + 2, close < 0 ? tokens.length : close));
    throw new GuardViolation(
      'SUBSTITUTION',
      `${token.operator}( ) is not allowed. Run the inner command first.`,
      `${token.operator}( ) は使えません。内側のコマンドを先に実行してください。`,
      [inner],
    );
  }
}
