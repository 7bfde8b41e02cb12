import type { QuietHours } from '../contract/people/notice.ts';

/** The rest of the quiet hours in ms; 0 outside of them. To the minute, in local time of the zone. */
export function quietLeftMs({ fromMinute, toMinute, timeZone }: QuietHours, nowMs: number): number {
  const minute = minuteOfDay(nowMs, timeZone);
  const length = (toMinute - fromMinute + dayMinutes) % dayMinutes;
  const since = (minute - fromMinute + dayMinutes) % dayMinutes;
  if (since >= length) return 0;
  return (length - since) * 60_000 - (nowMs % 60_000);
}

/** Local time in the zone; default: the machine's zone. */
export function minuteOfDay(nowMs: number, timeZone: string | undefined): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).formatToParts(nowMs);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return of('hour') * 60 + of('minute');
}

export const dayMinutes = 24 * 60;
