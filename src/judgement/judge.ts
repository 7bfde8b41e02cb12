import { posix } from 'node:path';
import type {
  CommandJudge,
  CommandReader,
  DecisionKind,
  Dialect,
  JudgeContext,
  Judgement,
  Steering,
} from '../contract/capabilities/judgement.ts';
import type { CommandLine } from '../contract/capabilities/process.ts';
import { limits } from '../contract/limits.ts';
import { type Text, text } from '../contract/text/text.ts';
import { goesOn } from './goes-on.ts';
import type { Names } from './reader/names.ts';
import { readLine } from './reader/reader.ts';
import type { Reading, Use } from './reader/reading.ts';
import { builtinRules, commandRules } from './rules/builtin.ts';
import { isObeyed } from './rules/files/obeyed.ts';
import { deviceOf } from './rules/files/targets.ts';
import { remoteChangesOf } from './rules/git-remotes.ts';
import type { CommandRule, ReadFile, Rule, Scene } from './rules/rule.ts';
import { mayKeepVariable } from './variables/keeping.ts';
import type { Word } from './words/word.ts';

const strictness: Record<DecisionKind, number> = { allow: 0, ask: 1, deny: 2 };
/** Each dialect refuses what the one before it refuses, and more. */
const dialects: readonly Dialect[] = ['plain', 'listed', 'strict'];

/** A rule's objection to the command. */
export interface Finding {
  readonly rule: Rule;
  readonly excerpt: string;
  /** Its target is in no root, so no layer contains the effect. */
  readonly isBeyond?: boolean | undefined;
  /** The command it was found in; undefined for a construct. */
  readonly use?: Use | undefined;
}

export interface JudgeOptions {
  /** Reads manifests below the roots; without it, no manifest is known. */
  readonly read?: ReadFile;
}

/** Judges commands by the built-in rules: deny over ask over allow, for all commands in the line. */
export function createCommandJudge({ read = noFile }: JudgeOptions = {}): CommandJudge & CommandReader {
  const reader = createReader();
  return {
    judge(line, context) {
      if (isTooLong(line)) return tooLong;
      const reading = reader(line, context.variables);
      const commands = reading.commands.map(argvOf);
      const findings = findingsIn(reading, context, read);
      const uncontained = findings.filter(({ rule, isBeyond }) => isBeyond || !rule.contained);
      const isContained = !context.onLayer && uncontained.length < findings.length;
      const judgement = judgementOf(isContained ? findings : uncontained, { commands, reading, context });
      const [unread] = reading.unread;
      return {
        ...judgement,
        ...(isContained && { contained: true }),
        ...(unread !== undefined && { unread }),
      };
    },
    mayKeep: mayKeepVariable,
    commandsIn: (line) => reader(line).commands.map(argvOf),
    goesOn: (line, folder) => goesOn(reader(line), folder, read),
    isRead: (line) => reader(line).unread.length === 0,
    remoteChanges(line) {
      const changes = reader(line).commands.flatMap((use) =>
        use.program === 'git' ? (remoteChangesOf(use) ?? []) : [],
      );
      return {
        remotes: changes.flatMap(({ remotes }) => remotes),
        addresses: changes.flatMap(({ addresses }) => addresses),
      };
    },
  };
}

const tooLong: Judgement = {
  decision: 'deny',
  rule: 'too-long',
  because: text(
    'it is longer than 32 KB or has more than 1,000 arguments',
    '32 KB または 1,000 引数を超えています',
  ),
  suggestion: text(
    'Write it to a file and run that, or split it.',
    'ファイルに書いて実行するか、分割してください。',
  ),
};

const noFile: ReadFile = () => undefined;

/** Keeps the last reading: a line is judged, asked about and run in turn, and is read only once. */
function createReader(): (line: CommandLine, variables?: Readonly<Record<string, string>>) => Reading {
  let last: { readonly key: string; readonly reading: Reading } | undefined;
  return (line, variables = {}) => {
    const given = Object.keys(variables).length === 0 ? '' : JSON.stringify(variables);
    const key = `${line.kind === 'script' ? line.script : JSON.stringify(line)}\0${given}`;
    if (last?.key !== key) last = { key, reading: readLine(line, variables) };
    return last.reading;
  };
}

const byId: ReadonlyMap<string, Rule> = new Map(builtinRules.map((rule) => [rule.id, rule]));

function ruleOf(id: string): Rule {
  const rule = byId.get(id);
  if (!rule) throw new Error(`no rule has the id ${id}`);
  return rule;
}

/** The rules by the names of their programs. */
const byProgram: ReadonlyMap<string, readonly CommandRule[]> = indexed(commandRules);

function indexed(rules: readonly CommandRule[]): ReadonlyMap<string, readonly CommandRule[]> {
  const index = new Map<string, CommandRule[]>();
  for (const rule of rules) {
    for (const program of new Set(rule.programs)) {
      const known = index.get(program);
      if (known) known.push(rule);
      else index.set(program, [rule]);
    }
  }
  return index;
}

/** Finds everything that the rules of this context object to in a line. */
export function findingsIn(
  reading: Reading,
  context: JudgeContext,
  read: ReadFile = noFile,
): readonly Finding[] {
  const findings: Finding[] = [];
  const level = dialects.indexOf(context.dialect);
  const holds = ({ dialect, needs }: Rule) =>
    (dialect === undefined || dialects.indexOf(dialect) <= level) && !(needs && isMoot(needs, context));
  const raise = (id: string, excerpt: string): void => {
    const rule = ruleOf(id);
    if (holds(rule)) findings.push({ rule, excerpt });
  };
  for (const excerpt of reading.unread) if (!context.confinement) raise('not-read', excerpt);
  for (const { kind, excerpt } of reading.substitutions) raise(`${kind}-substitution`, excerpt);
  for (const { target, writes, excerpt } of reading.redirections) {
    const device = deviceOf(target());
    if (device === 'network') raise('network-device', excerpt());
    else if (device && writes) raise('device-write', excerpt());
    else if (writes && !context.confinement && isObeyed(target())) raise('obeyed-later', excerpt());
  }
  const scene = sceneOf(reading, context, read);
  for (const use of reading.commands) {
    for (const rule of byProgram.get(use.program) ?? []) {
      if (!holds(rule) || !rule.fits(use, scene)) continue;
      const isBeyond = rule.reachesBeyond?.(use, scene);
      findings.push({ rule, isBeyond, excerpt: use.excerpt(), use });
    }
  }
  return findings;
}

/**
 * A command that needs hosts or the machine fails by itself in a sandbox without access to them, and its requests to
 * hosts that are looked into are asked about one by one, so do not ask.
 */
function isMoot(needs: NonNullable<Rule['needs']>, { confinement, dialect }: JudgeContext): boolean {
  if (!confinement || dialect !== 'plain') return false;
  const { network, tunnels = [] } = confinement;
  return needs === 'machine' || (needs === 'tunnels' ? tunnels : network).length === 0;
}

function sceneOf({ commands }: Reading, context: JudgeContext, read: ReadFile): Scene {
  const { dialect, confinement, roots, workingFolder } = context;
  const moving = commands.filter(({ program }) => /^(cd|pushd|popd|chdir)$/.test(program));
  const entered = new Set(
    moving.flatMap(({ args }) => args.find(({ prefix }) => !prefix.startsWith('-'))?.value ?? []),
  );
  const folders = new Set([workingFolder]);
  for (const folder of [...entered].slice(0, maxFolders)) {
    for (const from of [...folders].slice(0, maxFolders)) folders.add(posix.resolve(from, folder));
  }
  const known = new Map<string, string | undefined>();
  return {
    dialect,
    confinement,
    roots,
    folders: [...folders],
    moves: moving.length > 0,
    read(path) {
      if (!known.has(path)) known.set(path, read(path));
      return known.get(path);
    },
  };
}

const maxFolders = 16;

function judgementOf(findings: readonly Finding[], { commands, reading, context }: JudgedLine): Judgement {
  const [first, ...more] = findings;
  if (!first) {
    const because = text('no rule applies to it', '該当するルールがありません');
    return { decision: 'allow', rule: 'default', because, commands };
  }
  const { rule, excerpt } = more.reduce(
    (strictest, finding) =>
      strictness[finding.rule.decision] > strictness[strictest.rule.decision] ? finding : strictest,
    first,
  );
  const { id, decision, suggestion } = rule;
  const because = rule.needs === 'tunnels' ? andUnread(rule.because, context) : rule.because;
  return {
    decision,
    rule: id,
    because,
    suggestion,
    commands,
    ...(excerpt !== '' && { excerpt }),
    ...(decision === 'ask' && { asked: findings.flatMap(askedIn), steeredBy: steering(reading.names) }),
  };
}

interface JudgedLine {
  readonly commands: NonNullable<Judgement['commands']>;
  readonly reading: Reading;
  readonly context: JudgeContext;
}

function andUnread(because: Text, { confinement }: JudgeContext): Text {
  const { tunnels = [] } = confinement ?? {};
  const hosts = tunnels.join(', ');
  if (hosts === '') return because;
  return text(
    `${because.en} (requests to ${hosts} are not looked into)`,
    `${because.ja}（${hosts} へのリクエストは検査されません）`,
  );
}

/**
 * The commands that a question is about. A yes to one command does not answer a question about more than that command.
 */
function askedIn({ rule, use }: Finding): readonly (readonly (string | null)[])[] {
  if (rule.decision !== 'ask') return [];
  return use && !('isAboutPipe' in rule && rule.isAboutPipe) ? [argvOf(use)] : [[null]];
}

function argvOf({ words }: Use): readonly (string | null)[] {
  return words.map((word, at) =>
    word.value === undefined || (at > 0 && becomesOther(word)) ? null : word.value,
  );
}

/** The shell expands wildcards, braces, `~` and, in bash, `x=~` into other words. */
function becomesOther({ isPattern, text }: Word): boolean {
  return isPattern === true || (text.includes('~') && /^[A-Za-z_]\w*=([^'"]*:)?~/.test(text));
}

function isTooLong(line: CommandLine): boolean {
  if (line.kind === 'script')
    return Buffer.byteLength(line.script) > limits.commandBytes || line.script.includes('\0');
  const words = [line.program, ...line.args];
  if (line.args.length > limits.commandArguments || words.some((word) => word.includes('\0'))) return true;
  return words.reduce((bytes, word) => bytes + Buffer.byteLength(word) + 1, 0) > limits.commandBytes + 1;
}

/** Finds the variables, set by a line or its session, that change a command's destination. */
function steering(names: Names): readonly Steering[] {
  return names.all
    .filter((name) => (ofTools.test(name) && places.test(name)) || alone.test(name))
    .sort()
    .map((name) => {
      const value = names.valueOf(name);
      return { name, values: value === undefined ? undefined : [value] };
    });
}
/** Programs that send or fetch, by the prefixes of their variables. */
const ofTools =
  /^(GH|GITHUB|GLAB|GITLAB|GL|NPM|PIP|UV|YARN|BUN|POETRY|PDM|CARGO|BUNDLE|GEM|RUBYGEMS|COMPOSER|AWS|AZURE|CLOUDSDK|KUBE|DOCKER|HELM|TF|TWINE)_/i;
const places =
  /REPO|HOST|UR[LI]|INDEX|REGISTR|PROXY|CONFIG|MIRROR|LINKS|ENDPOINT|CONTEXT|PROFILE|PROJECT|SOURCE|SERVER|WORKSPACE/i;
const alone =
  /^(GIT_DIR|GIT_WORK_TREE|KUBECONFIG|GOPROXY|GOFLAGS|GOENV|GOSUMDB|GOPRIVATE|GOINSECURE|GONO\w+|(https?|all|ftp|no)_proxy)$/i;
