const maxChars = 160;

/** A short excerpt of a command for a message: on one line, with nothing hidden. */
export function excerptOf(text: string): string {
  const shown = text
    .slice(0, maxChars * 2)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const points = [...shown];
  return points.length > maxChars ? `${points.slice(0, maxChars - 1).join('')}…` : shown;
}
