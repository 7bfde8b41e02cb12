import type { Detail, DigestTimes } from '../contract/notice.ts';
import type { Digest } from '../contract/story.ts';
import { type Locale, text } from '../contract/text/text.ts';
import { counted } from '../ground/counted.ts';
import { withoutSecrets } from '../ground/secrets/without-secrets.ts';
import { countsWords, digestWords } from '../ground/text/digest-words.ts';
import { cut, type Notice } from './notice.ts';
import { dayMinutes, minuteOfDay } from './quiet.ts';

/** The name of the digest that is due, the same at every server; undefined where the last one was long ago. */
export function dueDigest(times: DigestTimes | undefined, nowMs: number): string | undefined {
  const last = times && lastTime(times, nowMs);
  if (!last || nowMs - last.atMs > lateMs) return undefined;
  // By the wall of that zone, so that a clock that is set for the summer makes no second one.
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: times.timeZone }).format(last.atMs);
  return `digest ${day} ${last.minute}`;
}

/** Where a digest of this moment begins: at the time of the one before. */
export function digestSinceMs(times: DigestTimes | undefined, atMs: number): number {
  const last = times && lastTime(times, atMs);
  return (last && lastTime(times, last.atMs - minuteMs)?.atMs) ?? atMs - dayMinutes * minuteMs;
}

/** The newest of the times that is past, this minute's included. */
function lastTime({ atMinutes, timeZone }: DigestTimes, nowMs: number) {
  const now = minuteOfDay(nowMs, timeZone);
  const past = atMinutes.map((minute) => ({
    minute,
    sinceMinutes: (now - minute + dayMinutes) % dayMinutes,
  }));
  const [last] = past.sort((one, other) => one.sinceMinutes - other.sinceMinutes);
  return last && { ...last, atMs: nowMs - (nowMs % minuteMs) - last.sinceMinutes * minuteMs };
}

interface ComposingDigest {
  readonly id: string;
  readonly digest: Digest;
  readonly detail: Detail;
  readonly locale: Locale;
  readonly atMs: number;
}

/** How much happened, and as much of it as the detail lets out: paths and commands with "full" alone. */
export function composeDigest({ id, digest, detail, locale, atMs }: ComposingDigest): Notice {
  const { calls, sessions, questions, changes } = digest;
  const title = words.title(calls, questions.waiting)[locale];
  const summary = words.summary(sessions.length, changes.length, countsWords(digest.counts)[locale])[locale];
  const full = () => cut(withoutSecrets(digestWords(digest)[locale]), mostChars);
  const body = detail === 'none' ? '' : detail === 'summary' ? summary : full();
  return { ...{ id, kind: 'digest', locale, atMs, questions: [] }, title, body };
}

const words = {
  title: (calls: number, waiting: number) =>
    text(
      `Digest: ${counted(calls, 'call')}${waiting > 0 ? `, ${counted(waiting, 'question')} waiting` : ''}`,
      `ダイジェスト: 呼び出し ${calls} 件${waiting > 0 ? `、回答待ち ${waiting} 件` : ''}`,
    ),
  summary: (sessions: number, paths: number, counts: string) =>
    text(
      `${counted(sessions, 'session')}, ${counted(paths, 'path')} changed: ${counts}`,
      `セッション ${sessions} 件、変更したパス ${paths} 件: ${counts}`,
    ),
};

const minuteMs = 60_000;
/** A server that was not there at the time tells it when it comes back, and not the day after. */
const lateMs = 12 * 60 * minuteMs;
/** Web push carries four kilobytes, and Japanese takes three bytes a character. */
const mostChars = 900;
