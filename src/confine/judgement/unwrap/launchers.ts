import { hasOption, optionsNamed, readOptions } from '../words/options.ts';
import { isOneField, literalWord, type Word } from '../words/word.ts';
import { readHead } from './head.ts';
import { type Inner, shellAlone, unread } from './inner.ts';
import type { WrapperGrammar } from './table.ts';

export function unwrapSu(words: readonly Word[]): readonly Inner[] {
  const options = readOptions(words, {
    valued: 'cCgGsTuw',
    longValued: [
      'command',
      'session-command',
      'group',
      'supp-group',
      'shell',
      'whitelist-environment',
      'user',
    ],
  });
  if (options.unsure) return [unread(options.unsure)];
  const scripts = optionsNamed(options, 'cC', ['command', 'session-command']);
  const inner: Inner[] = scripts.flatMap((option) =>
    option.value ? [{ kind: 'script', source: option.value, posix: true }] : [],
  );
  if (hasOption(options, 'u', ['user'])) inner.push({ kind: 'command', words: options.operands });
  if (inner.length === 0 && !hasOption(options, 'hV', ['help', 'version'])) inner.push(shellAlone);
  return inner;
}

export function unwrapParallel(words: readonly Word[]): readonly Inner[] {
  const separator = words.findIndex((word) => /^:::?:?\+?$/.test(word.value ?? ''));
  const before = separator < 0 ? words : words.slice(0, separator);
  const head = readHead(before, {
    flags: '0kmtXqv',
    valued: 'jINnLaPSds',
    long: [
      'bar',
      'dry-run',
      'eta',
      'group',
      'keep-order',
      'line-buffer',
      'lb',
      'no-notice',
      'null',
      'progress',
      'ungroup',
      'will-cite',
      'verbose',
      'quote',
      'halt-on-error',
    ],
    longValued: [
      'jobs',
      'arg-file',
      'delay',
      'halt',
      'timeout',
      'retries',
      'joblog',
      'results',
      'max-args',
      'colsep',
      'tag',
    ],
  });
  if ('pieces' in head) return [unread(head)];
  const template = head.rest;
  if (template.length === 0) {
    const inputs = separator < 0 || words[separator]?.value !== ':::' ? [] : words.slice(separator + 1);
    if (inputs.length === 0) return [unread(literalWord('parallel'))];
    return inputs.map((word) => ({ kind: 'script', source: word, posix: false }));
  }
  const unknown = template.find((word) => word.value === undefined);
  if (unknown) return [unread(unknown)];
  const line = template.map((word) => word.value).join(' ');
  // Inputs arrive quoted, each as one word: `"$1"` stands for them.
  const marked = line.replace(/\{[^}\s]*\}/g, '"$1"');
  return [{ kind: 'script', source: literalWord(marked === line ? `${line} "$1"` : marked), posix: false }];
}

export function unwrapFlock(words: readonly Word[]): readonly Inner[] {
  const grammar: WrapperGrammar = {
    flags: 'sxenoFuv',
    valued: 'wE',
    long: ['shared', 'exclusive', 'nonblock', 'nb', 'unlock', 'close', 'no-fork', 'verbose'],
    longValued: ['wait', 'timeout', 'conflict-exit-code'],
    operands: 0,
  };
  const head = readHead(words, grammar);
  if (!('pieces' in head)) return lockedBy(head.rest.slice(1));
  // `flock "$TMPDIR/lock" make`: the file that is locked, if the word can be no option.
  if (head.prefix !== '' || !isOneField(head)) return [unread(head)];
  const lock: Inner = { kind: 'operand', rule: 'wrapper-unread', word: head, onlyIfSplit: false };
  return [lock, ...lockedBy(words.slice(words.indexOf(head) + 1))];
}

function lockedBy(command: readonly Word[]): readonly Inner[] {
  const first = command[0]?.value;
  if (first === '-c' || /^--c(o(m(m(a(nd?)?)?)?)?)?$/.test(first ?? '')) {
    return command[1] ? [{ kind: 'script', source: command[1], posix: true }] : [];
  }
  return command.length === 0 ? [] : [{ kind: 'command', words: command }];
}

export function unwrapScript(words: readonly Word[]): readonly Inner[] {
  const options = readOptions(words, {
    valued: 'cEIOBTmot',
    longValued: [
      'command',
      'echo',
      'log-in',
      'log-out',
      'log-io',
      'log-timing',
      'logging-format',
      'output-limit',
    ],
  });
  if (options.unsure) return [unread(options.unsure)];
  const inner: Inner[] = optionsNamed(options, 'c', ['command']).flatMap((option) =>
    option.value ? [{ kind: 'script', source: option.value, posix: true }] : [],
  );
  const start = options.operands[0] ? words.indexOf(options.operands[0]) : -1;
  const command = start < 0 ? [] : words.slice(start + 1).filter((word) => word.value !== '--');
  if (inner.length > 0 || hasOption(options, 'hV', ['help', 'version'])) return inner;
  return [command.length > 0 ? { kind: 'command', words: command } : shellAlone];
}
