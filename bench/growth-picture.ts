import type { Growth } from './measure.ts';
import { keptResults } from './results.ts';

const width = 640;
const height = 300;
const left = 60;
const right = 20;
const top = 40;
const bottom = 60;
const most = 2;
const limit = 1.3;
const colours = ['#2563eb', '#d97706'];

/** What a claim with its report costs as agents and finished tasks grow, as multiples of the least: an SVG. */
export function claimsPicture(): string {
  const row = keptResults().rows.find(({ name }) => name === 'claims-growth');
  const lines = (row?.results ?? []).filter((one): one is Growth => 'points' in one);
  const x = (place: number, count: number) =>
    left + (place * (width - left - right)) / Math.max(1, count - 1);
  const y = (times: number) => height - bottom - (Math.min(times, most) / most) * (height - top - bottom);
  const parts = [
    ...[0, 0.5, 1, 1.5, 2].map(
      (times) =>
        `<line x1="${left}" x2="${width - right}" y1="${y(times)}" y2="${y(times)}" stroke="#8884"/>` +
        label(left - 8, y(times) + 4, `${times} ×`, 'end'),
    ),
    `<line x1="${left}" x2="${width - right}" y1="${y(limit)}" y2="${y(limit)}" stroke="#888" stroke-dasharray="6 4"/>`,
    label(left + 8, y(limit) - 6, `limit ${limit} ×`, 'start'),
  ];
  lines.forEach(({ points, operation }, nth) => {
    const colour = colours[nth] ?? '#888';
    const least = points[0]?.ms ?? Number.NaN;
    const at = points.map(({ ms }, place) => `${x(place, points.length)},${y(ms / least).toFixed(1)}`);
    parts.push(`<polyline points="${at.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    points.forEach(({ size, ms }, place) => {
      const [cx, cy] = [x(place, points.length), y(ms / least).toFixed(1)];
      parts.push(`<circle cx="${cx}" cy="${cy}" r="4" fill="${colour}"/>`);
      const anchor = place === 0 ? 'start' : place === points.length - 1 ? 'end' : 'middle';
      parts.push(label(cx, height - bottom + 18 + nth * 18, size, anchor, colour));
    });
    parts.push(label(left + nth * 290, 20, operation.replace(/^.*, /, ''), 'start', colour));
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">
<title>Cost of a claim with its report on PostgreSQL, compared with 10 agents and 1,000 finished tasks</title>
${parts.join('\n')}
</svg>
`;
}

function label(x: number, y: number, words: string, anchor: string, colour = '#888'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${colour}">${words}</text>`;
}
