/** Days in a time zone (default: the machine's) as YYYY-MM-DD, built on demand. `RangeError` for an unknown zone. */
export function createCalendar(timeZone?: string): (atMs: number) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (atMs) => {
    // ISO dates, whatever the machine's locale.
    format ??= new Intl.DateTimeFormat('en-CA', {
      ...(timeZone !== undefined && { timeZone }),
      calendar: 'iso8601',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
  };
}
