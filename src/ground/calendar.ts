/** Days in a time zone (default: the machine's) as YYYY-MM-DD. Throws `RangeError` for a zone that is none. */
export function createCalendar(timeZone?: string): (atMs: number) => string {
  // ISO dates, whatever the locale of the machine.
  const format = new Intl.DateTimeFormat('en-CA', {
    ...(timeZone !== undefined && { timeZone }),
    calendar: 'iso8601',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (atMs) => {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
  };
}
