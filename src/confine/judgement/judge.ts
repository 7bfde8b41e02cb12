import type {
  CommandJudge,
  CommandWriter,
  DecisionKind,
  Dialect,
  JudgeContext,
  Judgement,
  RemoteChanges,
} from '../../contract/capabilities/judgement.ts';
import type { CommandLine } from '../../contract/capabilities/process.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import type { Finding, RuleIndex } from './against-rules.ts';
import { type Examination, examine } from './examine.ts';
import { print, type Write } from './print/print.ts';
import { builtinRules, commandRules } from './rules/builtin.ts';
import { remoteChangesOf } from './rules/git-remotes.ts';
import type { CommandRule, ReadFile, Rule, Use } from './rules/rule.ts';
import { mayKeepVariable } from './variables/keeping.ts';
import { steering } from './variables/steering.ts';
import type { Variables } from './variables/values.ts';
import { hasTilde, type Word } from './words/word.ts';

const strictness: Record<DecisionKind, number> = { allow: 0, ask: 1, deny: 2 };
/** Each refuses what the one before does, and more. */
const dialects: readonly Dialect[] = ['plain', 'listed', 'strict'];

export interface JudgeOptions {
  readonly write?: Write;
  /** Reads manifests below the roots; without it none is known. */
  readonly read?: ReadFile;
}

/** Judges commands by the built-in rules: deny over ask over allow, over all commands found in the line. */
export function createCommandJudge({
  write = print,
  read = noFile,
}: JudgeOptions = {}): CommandJudge & CommandWriter {
  const index = indexByProgram(commandRules);
  const byId = new Map(builtinRules.map((rule) => [rule.id, rule]));
  const known = createLastWritten();
  return {
    judge(line, context) {
      const { findings, uses, variables } = examineGuarded(line, context, index, write, read, known);
      const fitting = findings.filter(({ rule }) => {
        const from = byId.get(rule)?.dialect;
        return from === undefined || dialects.indexOf(from) <= dialects.indexOf(context.dialect);
      });
      const uncontained = fitting.filter(({ rule, isBeyond }) => isBeyond || !byId.get(rule)?.contained);
      if (context.onLayer || uncontained.length === fitting.length)
        return judgementOf(uncontained, { uses, variables }, byId);
      return { ...judgementOf(fitting, { uses, variables }, byId), contained: true };
    },
    mayKeep: mayKeepVariable,
    commandsIn: (line) => examineSafely(line, anywhere, new Map(), write).uses.map(argvOf),
    written(line) {
      const last = known.of(line);
      return last ? last.runs : guardedIn(line, write);
    },
    remoteChanges(line) {
      // Few commands name one, and each is read a second time for it.
      const words = line.kind === 'script' ? [line.script] : [line.program, ...line.args];
      if (!words.some((word) => word.includes('remote'))) return none;
      const { uses, variables } = examineSafely(line, anywhere, new Map(), write);
      const changes = uses.flatMap((use) => (variables && remoteChangesOf(use, variables)) ?? []);
      return {
        remotes: changes.flatMap(({ remotes }) => remotes),
        addresses: changes.flatMap(({ addresses }) => addresses),
      };
    },
  };
}

const noFile: ReadFile = () => undefined;

const none: RemoteChanges = { remotes: [], addresses: [] };

/** The rule about data that bash would evaluate, and where it looks at commands. */
const evaluated = 'data-as-code';
const aboutEvaluation = indexByProgram(commandRules.filter(({ id }) => id === evaluated));

/** How a command is written does not depend on where it runs. */
const anywhere: JudgeContext = { dialect: 'plain', roots: [], workingFolder: '/' };

/**
 * Judges the line as it runs: where bash would evaluate data, that is written so that it can only be a number, and
 * judged once more as it stands then. The commands around it are the same as before, and so are the variables.
 */
function examineGuarded(
  line: CommandLine,
  context: JudgeContext,
  index: RuleIndex,
  write: Write,
  read: ReadFile,
  known: ReturnType<typeof createLastWritten>,
): Examination {
  // What a session has exported may say of a variable what the line alone does not.
  const isAlone = Object.keys(context.variables ?? {}).length === 0;
  const asked = examineSafely(line, context, index, write, read, isAlone && !writesSubscript(line));
  if (isAlone) known.keep(line, asked.runs);
  const data = asked.findings.filter(({ rule }) => rule === evaluated);
  // A command's own words are never guarded.
  if (data.some(({ use }) => use) || !data.some(({ isGuarded }) => isGuarded)) return asked;
  const runs = isAlone ? asked.runs : guardedIn(line, write);
  // Its commands are those that were asked for: what guards them is none, and only evaluates.
  const isSafe = (text: CommandLine, known?: Variables) =>
    examineSafely(text, context, aboutEvaluation, write, read, false, known).findings.every(
      ({ rule }) => rule !== evaluated && asked.findings.some((one) => one.rule === rule),
    );
  const isAllChanged = data.every(({ isChanged }) => isChanged);
  const { guarded } = asked;
  if (!runs || isTooLong(runs)) return asked;
  if (!(isAllChanged && guarded && isSafe(guarded, asked.variables)) && !isSafe(runs)) return asked;
  return { ...asked, findings: asked.findings.filter(({ rule }) => rule !== evaluated) };
}

/** How the line was written that was judged last: it is what runs next. */
function createLastWritten() {
  let last: { readonly key: string; readonly runs: CommandLine | undefined } | undefined;
  return {
    keep(line: CommandLine, runs: CommandLine | undefined): void {
      last = { key: keyOf(line), runs };
    },
    of: (line: CommandLine) => (last?.key === keyOf(line) ? last : undefined),
  };
}

function keyOf(line: CommandLine): string {
  return line.kind === 'script' ? `${line.shell}\0${line.script}` : JSON.stringify(line);
}

/** Depends on the line alone, so that what is judged is what runs. */
function guardedIn(line: CommandLine, write: Write): CommandLine | undefined {
  return examineSafely(line, anywhere, new Map(), write, noFile, !writesSubscript(line)).runs;
}

/** `x='a[$(reboot)]'`: whoever writes that out means it to be evaluated, and is not helped. */
function writesSubscript(line: CommandLine): boolean {
  return /\w\[[^\]]*(\$\(|`)/.test(line.kind === 'script' ? line.script : line.args.join(' '));
}

/** Like `examine`, but a fault of ours counts as a command that could not be read. */
export function examineSafely(
  line: CommandLine,
  context: JudgeContext,
  index: RuleIndex,
  write: Write = print,
  read: ReadFile = noFile,
  guarding = false,
  known?: Variables,
): Examination {
  if (isTooLong(line)) return { findings: [{ rule: 'too-long', excerpt: '' }], uses: [] };
  try {
    return examine(line, context, index, write, read, guarding, known);
  } catch {
    // What the parser cannot bear is not run.
    return { findings: [{ rule: 'parse-error', excerpt: '' }], uses: [] };
  }
}

/** Rules by the program that they look at, and behind them those that look at all, which are also under `''`. */
export function indexByProgram(rules: readonly CommandRule[]): RuleIndex {
  const general = rules.filter(({ programs }) => !programs);
  const index = new Map<string, readonly CommandRule[]>([['', general]]);
  for (const program of new Set(rules.flatMap(({ programs }) => programs ?? []))) {
    index.set(program, [...rules.filter(({ programs }) => programs?.includes(program)), ...general]);
  }
  return index;
}

function judgementOf(
  findings: readonly Finding[],
  { uses, variables }: { readonly uses: readonly Use[]; readonly variables: Variables | undefined },
  byId: ReadonlyMap<string, Rule>,
): Judgement {
  const commands = uses.map(argvOf);
  let strictest: { readonly finding: Finding; readonly rule: Rule } | undefined;
  for (const finding of findings) {
    const rule = byId.get(finding.rule);
    if (!rule) throw new Error(`no rule has the id ${finding.rule}`);
    if (!strictest || strictness[rule.decision] > strictness[strictest.rule.decision])
      strictest = { finding, rule };
  }
  if (!strictest) {
    return {
      decision: 'allow',
      rule: 'default',
      because: text('no rule applies to it', '該当する規則がありません'),
      commands,
    };
  }
  const { finding, rule } = strictest;
  const lack = findings.find(({ rule: id, lack }) => lack && byId.get(id)?.decision === 'ask')?.lack;
  const asked = findings.flatMap(({ rule: id, use }) => {
    const asking = byId.get(id);
    if (asking?.decision !== 'ask') return [];
    // A rule about more than its command (a pipe) is not answered by a yes to that command.
    return use && 'programs' in asking ? [argvOf(use)] : [[null]];
  });
  return {
    decision: rule.decision,
    rule: rule.id,
    because: finding.named
      ? text(`${finding.named.en}: ${rule.because.en}`, `${finding.named.ja}: ${rule.because.ja}`)
      : rule.because,
    suggestion: rule.suggestion,
    ...(finding.excerpt === '' ? {} : { excerpt: finding.excerpt }),
    commands,
    ...(rule.decision === 'ask'
      ? {
          asked,
          lack: lack && { because: byId.get(lack.rule)?.because ?? rule.because, ...lack },
          steeredBy: variables && steering(variables),
        }
      : {}),
  };
}

function argvOf(use: Use): readonly (string | null)[] {
  return use.words.map((word, at) =>
    word.value === undefined || (at > 0 && becomesPath(word)) ? null : word.value,
  );
}

/** `~` and, as bash has it, `x=~`: a home folder stands there when it runs. */
function becomesPath(word: Word): boolean {
  if (!word.text.includes('~')) return false;
  return hasTilde(word) || /^[A-Za-z_]\w*=([^'"]*:)?~/.test(word.text);
}

function isTooLong(line: CommandLine): boolean {
  if (line.kind === 'script')
    return Buffer.byteLength(line.script) > limits.commandBytes || line.script.includes('\0');
  const words = [line.program, ...line.args];
  if (line.args.length > limits.commandArguments || words.some((word) => word.includes('\0'))) return true;
  return words.reduce((bytes, word) => bytes + Buffer.byteLength(word) + 1, 0) > limits.commandBytes + 1;
}
