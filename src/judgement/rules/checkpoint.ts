import { text } from '../../contract/text/text.ts';
import { operandsOf } from '../words/subcommands.ts';
import type { Word } from '../words/word.ts';
import type { CommandRule } from './rule.ts';

/** Commands for the person at this server: an agent that ran them would answer its own questions. */
const acts = new Set('approve hook init import token tokens login logout team halt resume stop'.split(' '));
const signals = ['kill', 'pkill', 'killall', 'skill', 'xkill'];
const removers = 'rm unlink shred truncate rmdir mv cp tee sed install ln chmod'.split(' ');

export const checkpointRules: readonly CommandRule[] = [
  {
    id: 'own-checkpoint',
    decision: 'deny',
    programs: ['sekisho', ...signals, ...removers],
    because: text(
      'it would answer for the person at this server, stop it, or change its settings',
      'このサーバーの質問に人の代わりに回答するか、サーバーを停止するか、設定を変更します',
    ),
    suggestion: text('Leave that to the person.', '人に任せてください。'),
    fits: ({ program, args }) => {
      if (program === 'sekisho') return answers(args);
      if (signals.includes(program)) return args.some(({ text }) => /sekisho|\$\{?PPID\b/.test(text));
      return args.some(namesOwnState);
    },
    examples: ['sekisho approve --all', 'sekisho hook claude --remove', 'sekisho server approve x'],
  },
];

function answers(args: readonly Word[]): boolean {
  const [verb, what] = operandsOf(args);
  if (verb?.value === 'server') return /^(approve|forget|login|logout)$/.test(what?.value ?? 'approve');
  return verb !== undefined && (verb.value === undefined || acts.has(verb.value));
}

/** Does the word name one of the server's own folders below a home? */
function namesOwnState({ text }: Word): boolean {
  return /\.(config|local\/(state|share))\/sekisho(["']|\/|$)/.test(text);
}
