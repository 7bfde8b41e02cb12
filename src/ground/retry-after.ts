/** How long a server wants to be left alone, by its header: seconds or a date. Undefined if it says nothing, or now. */
export function retryAfterMs(header: string | null | undefined, nowMs = Date.now()): number | undefined {
  if (header == null) return undefined;
  const seconds = Number(header);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - nowMs;
  return waitMs > 0 ? waitMs : undefined;
}
