import type { Detail, DigestTimes } from '../contract/people/notice.ts';
import type { Digest } from '../contract/people/story.ts';
import { type Locale, text } from '../contract/text/text.ts';
import { counted } from '../ground/counted.ts';
import { withoutSecrets } from '../ground/secrets/without-secrets.ts';
import { countsWords, digestWords } from '../ground/text/digest-words.ts';
import { cut, type Notice } from './notice.ts';
import { dayMinutes, minuteOfDay } from './quiet.ts';

/** The name of the due digest, the same on every server; undefined if its time was too long ago. */
export function dueDigest(times: DigestTimes | undefined, nowMs: number): string | undefined {
  const last = times && lastTime(times, nowMs);
  if (!last || nowMs - last.atMs > lateMs) return undefined;
  // By the local date, so that a change to summer time does not repeat it.
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: times.timeZone }).format(last.atMs);
  return `digest ${day} ${last.minute}`;
}

/** The start of this digest's period: the time of the one before. */
export function digestSinceMs(times: DigestTimes | undefined, atMs: number): number {
  const last = times && lastTime(times, atMs);
  return (last && lastTime(times, last.atMs - minuteMs)?.atMs) ?? atMs - dayMinutes * minuteMs;
}

/** The most recent of the times, including this minute. */
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

/** The numbers, and as many particulars as `detail` allows: paths and commands only with "full". */
export function composeDigest({ id, digest, detail, locale, atMs }: ComposingDigest): Notice {
  const { calls, sessions, questions, changes } = digest;
  const title = words.title(calls, questions.waiting)[locale];
  const summary = words.summary(sessions.length, changes.length, countsWords(digest.counts)[locale])[locale];
  const full = () => cut(withoutSecrets(digestWords(digest)[locale]), mostChars);
  const body = detail === 'none' ? '' : detail === 'summary' ? summary : full();
  return { id, kind: 'digest', locale, atMs, questions: [], title, body };
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
/** A server that was down at the time sends it when it is back, but not a day later. */
const lateMs = 12 * 60 * minuteMs;
/** Web push allows four kilobytes, and Japanese takes three bytes per character. */
const mostChars = 900;
