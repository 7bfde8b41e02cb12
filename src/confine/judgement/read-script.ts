import type { SyntaxNode } from 'unbash';
import type { Text } from '../../contract/text/text.ts';
import type { CommandJob, Deferred, ScriptJob, Where } from './jobs.ts';
import { searches } from './programs.ts';
import { inspectNode } from './syntax/inspect-node.ts';
import type { NodeNotes } from './syntax/node-notes.ts';
import { excerptsOf, walkScript } from './syntax/walk.ts';
import { assignmentRule } from './variables/assignments.ts';
import { commandIn } from './variables/code-variables.ts';
import { type Growing, givenBy } from './variables/variables.ts';
import type { Word } from './words/word.ts';

/** Where it is kept what the scripts of a command line say. */
export interface Reading {
  readonly isStrict: boolean;
  readonly variables: Growing;
  readonly functions: Set<string>;
  readonly deferred: Deferred[];
  readonly jobs: (ScriptJob | CommandJob)[];
  /** Assignments of separators that hold for one `read`. */
  readonly passing: WeakSet<SyntaxNode>;
  readonly targets: WeakSet<SyntaxNode>;
  raise(rule: string, excerpt: string, named?: Text): void;
  pushScript(source: Word, posix: boolean, where: Where, via: readonly string[]): void;
}

/** Reads the commands of a script, and what else of it is to be looked at. */
export function readScript(job: ScriptJob, isOwn: boolean, reading: Reading): void {
  const { variables, deferred, passing, raise, pushScript } = reading;
  const { writing, via, place } = job;
  const excerptOf = excerptsOf(job.printed);
  let at: SyntaxNode = job.printed.script;
  const excerptHere = (): (() => string) => {
    const node = at;
    return () => excerptOf(node);
  };
  const notes: NodeNotes = {
    strict: reading.isStrict,
    isForEach: via.some(searches),
    raise: (rule, named) => raise(rule, excerptOf(at), named),
    defer: (rule, isBad, guards) =>
      void deferred.push({
        rule,
        excerpt: excerptHere(),
        isBad,
        guards,
        writing: job.posix ? undefined : writing,
      }),
    targets: reading.targets,
    assign: (name, value, given) => {
      variables.add(name, given ?? givenBy(value));
      if (!isOwn) variables.spoilMap(name);
      const saved = value?.pieces.length === 1 ? value.pieces[0] : undefined;
      const command = commandIn(name, value);
      if (command) pushScript(command, true, { writing, place, excerpt: excerptHere() }, via);
      const rule = passing.has(at) ? undefined : assignmentRule(name, value);
      if (name === 'IFS' && rule && saved?.kind === 'variable')
        deferred.push({
          rule,
          excerpt: excerptHere(),
          isBad: (scene) => !scene.variables.isSeparators(saved.name),
        });
      else if (rule) raise(rule, excerptOf(at));
    },
    list: (name, from) => variables.list(name, () => from === undefined || variables.isListed(from)),
    onlyForRead: (assignment) => void passing.add(assignment),
  };
  walkScript(job.printed.script, place, excerptOf, {
    node: (node) => {
      at = node;
      if (node.type === 'Function') reading.functions.add(node.name.value);
      inspectNode(node, notes);
    },
    map: (name) => {
      if (isOwn) variables.addMap(name);
    },
    command: ({ words, excerpt, place, texts, files }) => {
      if (words.length === 0) return;
      reading.jobs.push({
        kind: 'command',
        words,
        writing,
        excerpt,
        place,
        via,
        texts,
        files,
        isOwn,
        isProgram: false,
        fillings: 0,
      });
    },
    unread: (rule, excerpt) => raise(rule, excerpt),
  });
}
