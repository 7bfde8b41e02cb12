import type { Statement } from 'unbash';
import type { JudgeContext } from '../../contract/capabilities/judgement.ts';
import type { CommandLine } from '../../contract/capabilities/process.ts';
import { limits } from '../../contract/limits.ts';
import type { Text } from '../../contract/text/text.ts';
import { type Finding, type FoundUse, heldAgainst, type RuleIndex, sceneOf } from './against-rules.ts';
import { createCallGraph } from './call-graph.ts';
import { createCalls, isPositional } from './fill/calls.ts';
import { createFillings, maxFillings } from './fill/fillings.ts';
import { nameIn } from './fill/program-name.ts';
import { createSeen } from './fill/seen.ts';
import {
  type CommandJob,
  type Deferred,
  isInner,
  nowhere,
  programJob,
  type ScriptJob,
  type Where,
} from './jobs.ts';
import { isPath, listsAll } from './listings.ts';
import { inBraces, type PipedText, pipedText } from './piped-text.ts';
import { createPipelines } from './pipelines.ts';
import { folderIn, movesFolder } from './places/targets.ts';
import { Unprintable } from './print/page.ts';
import { tryWriting, type Write } from './print/print.ts';
import { isShell, programOf } from './programs.ts';
import { type Reading, readScript } from './read-script.ts';
import type { ReadFile, Use } from './rules/rule.ts';
import { bashisms } from './syntax/posix.ts';
import { clean } from './syntax/walk.ts';
import { readShellLine } from './unwrap/shell.ts';
import { startsBuiltins } from './unwrap/table.ts';
import { unwrap } from './unwrap/unwrap.ts';
import { assignmentRule, namesAssigned, namesShared, namesUndone } from './variables/assignments.ts';
import { commandIn } from './variables/code-variables.ts';
import type { Variables } from './variables/values.ts';
import { createVariables, givenBy, settled } from './variables/variables.ts';
import { isOneField, partOf, type Word } from './words/word.ts';
import { change, changedIn, rewrite, runsOf, type Writing } from './writing.ts';

export interface Examination {
  readonly findings: readonly Finding[];
  readonly uses: readonly Use[];
  readonly variables?: Variables;
  /** What was judged, as it is to run; nothing where it cannot be written. */
  readonly runs?: CommandLine | undefined;
  /** Its commands that are written otherwise, for what bash would have evaluated. */
  readonly guarded?: CommandLine | undefined;
}

/** Each job eats at least a character of the command, so a command within its limit never meets this. */
const maxJobs = 4 * limits.commandBytes;
/** Where a wrapper may start at one of several words, their tails are kept once each; this bounds what is left. */
const maxWords = 64 * limits.commandBytes;
/** Scripts inside of scripts are read at each level: whole ones a few times, short ones at every depth. */
const maxText = 4 * limits.commandBytes;
/** Commands inside commands. Each level copies its words, so this also keeps the work in proportion to the length. */
const maxWrappers = 40;
const unsearched = new Set(['parse-error', 'too-deep', 'too-long']);
const declares = new Set(['export', 'declare', 'typeset', 'local', 'readonly']);

/**
 * Reads a command line to the bottom and asks every rule about every command in it. With `guarding`, what runs is
 * written so that data which bash would evaluate can only be numbers. A part of a line is read with what is `known`
 * of the variables in all of it.
 */
export function examine(
  line: CommandLine,
  context: JudgeContext,
  rules: RuleIndex,
  write: Write,
  read: ReadFile,
  guarding: boolean,
  known?: Variables,
): Examination {
  const findings: Finding[] = [];
  const uses: Use[] = [];
  const found: FoundUse[] = [];
  const deferred: Deferred[] = [];
  const variables = known ? settled(known) : createVariables();
  for (const [name, value] of Object.entries(context.variables ?? {})) {
    variables.add(name, { kind: 'static', value });
  }
  const graph = createCallGraph();
  const pipelines = createPipelines();
  const calls = createCalls();
  const folders: Word[] = [];
  const functions = new Set<string>();
  const fillings = createFillings<CommandJob>(variables, calls);
  const jobs: (ScriptJob | CommandJob)[] = [];
  const raise = (rule: string, excerpt: string, named?: Text): void =>
    void findings.push({ rule, excerpt: clean(excerpt), named });

  const reading: Reading = {
    isStrict: context.dialect === 'strict',
    ...{ variables, functions, deferred, jobs, raise, pushScript },
    ...{ passing: new WeakSet(), targets: new WeakSet() },
  };
  let isWritten = true;
  let statements: readonly Statement[] | undefined;
  let textRead = 0;
  const whole: Writing =
    line.kind === 'script'
      ? readText(line.script, line.shell === 'sh', { place: nowhere, via: [] })
      : { text: '', edits: [], changes: [] };
  if (line.kind === 'program') jobs.push(programJob(line, whole));
  const seen = createSeen();
  let done = 0;
  let words = 0;
  for (let job = nextJob(); job; job = nextJob()) {
    if (job.kind === 'command' && isInner(job) && seen.before(job.words)) continue;
    words += job.kind === 'command' ? job.words.length : 1;
    if (++done > maxJobs || words > maxWords) {
      raise('too-long', '');
      break;
    }
    if (job.kind === 'script') readScript(job, job.writing === whole, reading);
    else readCommand(job);
  }

  const scene = sceneOf({ line, context, folders, variables, read }, uses);
  for (const excerpt of graph.bombs()) raise('fork-bomb', excerpt());
  findings.push(...heldAgainst(rules, found, scene, { context, folders }));
  for (const check of deferred) {
    if (!check.isBad(scene)) continue;
    const guards = (check.writing && check.guards?.(scene)) ?? [];
    const isChanged = guarding && check.writing !== undefined && change(check.writing, guards);
    const isGuarded = guards.length > 0;
    findings.push({ rule: check.rule, excerpt: clean(check.excerpt()), isGuarded, isChanged });
  }
  const [runs, guarded] = isWritten ? [runsOf(line, whole), changedIn(line, whole, statements ?? [])] : [];
  return { findings, uses, variables, runs, guarded };

  /** The next to be read; when all are, what was held back for its variables is filled in and goes on. */
  function nextJob(): ScriptJob | CommandJob | undefined {
    while (jobs.length === 0) {
      const released = fillings.release(done);
      if (!released) return undefined;
      if (released.isFilled) jobs.push(...released.jobs);
      else if (released.rule === 'dynamic-name') raise(released.rule, released.job.excerpt());
      else jobs.push(released.job);
    }
    return jobs.pop();
  }

  /** Writes a script anew, to be read as it stands then; what cannot be written is refused. */
  function readText(source: string, posix: boolean, job: Pick<ScriptJob, 'place' | 'via'>): Writing {
    textRead += source.length;
    const printed = textRead > maxText ? new Unprintable('too-long', '') : tryWriting(write, source);
    const isRefused = printed instanceof Unprintable;
    // What is no script, or too much of one, is not searched.
    if (posix && !(isRefused && unsearched.has(printed.rule)))
      for (const { excerpt, named } of bashisms(source)) raise('not-posix', excerpt, named);
    if (isRefused) {
      isWritten = false;
      raise(printed.rule, printed.excerpt, printed.named);
      return { text: source, edits: [], changes: [] };
    }
    const writing = { text: printed.text, edits: [], changes: [] };
    statements ??= printed.script.commands;
    jobs.push({ kind: 'script', printed, writing, posix, place: job.place, via: job.via });
    return writing;
  }

  function readCommand(job: CommandJob): void {
    const name = nameIn(job.words[0]);
    if (!name || (name.startsWith('~') && !name.includes('/'))) {
      fillings.hold(job, 'dynamic-name');
      return;
    }
    const program = programOf(name);
    const args = job.words.slice(1);
    const inners = job.words[0]?.value === undefined ? [] : unwrap(program, args, job.texts);
    const unreadable = inners.find(
      (inner) => 'rule' in inner || (inner.kind === 'script' && inner.source.value === undefined),
    );
    if (unreadable && job.fillings < maxFillings) {
      fillings.hold(job, 'rule' in unreadable ? unreadable.rule : 'dynamic-script');
      return;
    }
    const isDirect = job.isOwn && job.via.length === 0 && job.texts.length + job.files.length === 0;
    const piped = isDirect && isShell(program) ? pipedText(job.place.pipes) : undefined;
    const texts = piped ? [piped.text] : job.texts;
    const input = pipelines.inputOf(job.place.pipes, texts, job.files);
    const [first] = job.words;
    const words =
      first?.value === name ? job.words : [{ ...(first as Word), value: name, prefix: name }, ...args];
    const use: Use = { program, words, args, via: job.via, input, isProgram: job.isProgram };
    uses.push(use);
    found.push({ use, place: job.place, excerpt: job.excerpt, isOwn: job.isOwn });
    pipelines.note(use, job.place.pipes);
    graph.call(name, job.place, job.excerpt);
    calls.note(name, args, job.isOwn ? job.place.functions.at(-1) : null);
    if (movesFolder.has(program)) folders.push(folderIn(args));
    for (const assigned of namesAssigned(use)) {
      noteAssigned(assigned.name, assigned.value, job);
      if (!declares.has(program)) variables.spoilMap(assigned.name);
      if (program === 'read') variables.list(assigned.name, input.allNames);
      if (input.files.some(({ pieces }) => pieces.some(listsAll))) variables.list(assigned.name, () => true);
    }
    for (const name of namesUndone(use)) {
      variables.add(name, { kind: 'static', value: '' });
      variables.spoilMap(name);
    }
    for (const name of namesShared(use)) variables.add(name, { kind: 'wild' });
    if (job.via.length > maxWrappers) {
      raise('too-deep', job.excerpt());
      return;
    }
    if (inners.length === 0 && !isShell(program)) return;
    const via = [...job.via, program];
    if (isShell(program) && readShellLine(args).readsInput) {
      const posix = !/^r?bash$/.test(program);
      for (const text of job.texts) pushInput(text, posix, job, via);
      if (piped) pushPiped(piped, posix, job, via);
    }
    for (const inner of inners) {
      if (inner.kind === 'command')
        jobs.push({ ...job, words: inner.words, via, isProgram: !startsBuiltins.has(program) });
      else if (inner.kind === 'script') {
        if (inner.ofNames)
          deferred.push({ rule: 'dynamic-script', excerpt: job.excerpt, isBad: () => !input.namesOnly() });
        pushScript(inner.source, inner.posix, job, via);
      } else if (inner.kind === 'folder') folders.push(inner.word);
      else if (inner.kind === 'unread') raise(inner.rule, job.excerpt());
      else if (inner.kind === 'operand') {
        if ((inner.onlyIfSplit && isOneField(inner.word)) || isGivenNothing(inner.word, job)) continue;
        const isBad = () => !isPath(inner.word, variables);
        deferred.push({ rule: inner.rule, excerpt: job.excerpt, isBad });
      } else {
        const equals = inner.word.prefix.indexOf('=');
        noteAssigned(inner.word.prefix.slice(0, equals), partOf(inner.word, equals + 1), job);
      }
    }
  }

  /** `$1` at the top, where nobody called with words. */
  function isGivenNothing(word: Word, job: CommandJob): boolean {
    return isPositional(word) && job.isOwn && job.place.functions.length === 0 && !calls.hasSet();
  }

  function noteAssigned(name: string, value: Word | undefined, job: CommandJob): void {
    variables.add(name, givenBy(value));
    const command = commandIn(name, value);
    if (command) pushScript(command, true, job, job.via);
    const rule = assignmentRule(name, value);
    if (rule) raise(rule, job.excerpt());
  }

  function pushInput(source: Word, posix: boolean, job: Where, via: readonly string[]): Writing | undefined {
    if (source.value === undefined) raise('dynamic-script', job.excerpt());
    const text = source.value && inBraces(source.value);
    const writing = text ? readText(text, posix, { place: job.place, via }) : undefined;
    if (writing) rewrite(job.writing, source, writing);
    return writing;
  }

  /** In some shells `echo` reads backslashes. */
  function pushPiped({ text, by }: PipedText, posix: boolean, job: CommandJob, via: readonly string[]): void {
    const writing = pushInput(text, posix, job, via);
    if (!text.at || (by === 'echo' && writing?.text.includes('\\'))) raise('shell-input', job.excerpt());
    deferred.push({ rule: 'shell-input', excerpt: job.excerpt, isBad: () => functions.has(by) });
  }

  function pushScript(source: Word, posix: boolean, job: Where, via: readonly string[]): void {
    if (source.value === undefined) raise('dynamic-script', job.excerpt());
    else rewrite(job.writing, source, readText(source.value, posix, { place: job.place, via }));
  }
}
