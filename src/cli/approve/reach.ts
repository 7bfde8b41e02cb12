import { badValue, ConfigError } from '../../contract/error.ts';
import type { Answer } from '../../contract/people/operator.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { durationMs } from '../common/duration.ts';
import type { Options } from '../common/options.ts';
import { inLocale } from '../common/say.ts';

/** The answer from the options. Throws `ConfigError` if they contradict each other or give none. */
export function answerFrom(options: Options, nowMs: number): Answer {
  const instead = typeof options.instead === 'string' ? options.instead : undefined;
  const reaches = [options.session, options.always, options.for, options.until].filter(Boolean).length;
  if (reaches > 1 || ((options.deny || instead !== undefined) && reaches > 0))
    throw new ConfigError(
      'Use one of --for, --until, --session, --always, --deny and --instead.',
      '--for、--until、--session、--always、--deny、--instead はいずれか 1 つだけ指定してください。',
    );
  if (options.deny || instead !== undefined) return { decision: 'declined', scope: 'once', instead };
  return { decision: 'approved', ...reachOf(options, nowMs) };
}

function reachOf(options: Options, nowMs: number): Pick<Answer, 'scope' | 'untilMs'> {
  if (typeof options.until === 'string') return { scope: 'until', untilMs: dateMs(options.until, nowMs) };
  const far = options.always ? 'always' : options.session ? 'session' : options.for;
  if (far === undefined) return { scope: 'once' };
  if (far === 'session' || far === 'folder' || far === 'always') return { scope: far };
  return { scope: 'until', untilMs: nowMs + durationMs(String(far), '--for') };
}

/** A day ends with its last minute, in the time zone of this machine. */
function dateMs(words: string, nowMs: number): number {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(words);
  const at = Date.parse(isDay ? `${words}T23:59:59` : words);
  if (Number.isFinite(at) && at > nowMs) return at;
  throw badValue(
    '--until',
    words,
    'must be a future date such as 2027-01-31',
    'は 2027-01-31 のような未来の日付で指定してください',
  );
}

/** The reach of an approval, for a person. */
export function reachWords({ scope, untilMs }: Pick<Answer, 'scope' | 'untilMs'>): string {
  return scope === 'until' && untilMs !== undefined
    ? inLocale(`until ${new Date(untilMs).toISOString()}`, `${new Date(untilMs).toISOString()} まで`)
    : inLocale(scopes[scope]);
}

const scopes: Readonly<Record<Answer['scope'], Text>> = {
  once: text('once', '今回だけ'),
  session: text('session', 'このセッション中'),
  until: text('until', '期限まで'),
  folder: text('folder', 'このフォルダー'),
  always: text('always', '今後ずっと'),
};
