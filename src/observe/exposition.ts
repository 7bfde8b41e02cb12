import type { Histogram } from './histogram.ts';

export type Labels = Readonly<Record<string, string>>;

/** A metric family in the text format of Prometheus (version 0.0.4). */
export interface Series {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly labels?: Labels | undefined;
  readonly value: number | Histogram;
}

/** A family of one value. */
export function gauge(name: string, help: string, value: number): Series {
  return { name, help, type: 'gauge', samples: [{ value }] };
}

/** The text of `/metrics`. Families without samples are left out. */
export function exposition(families: readonly Series[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(
      ({ name, help, type, samples }) =>
        `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${samples.map((sample) => lines(name, sample)).join('')}`,
    )
    .join('\n');
}

function lines(name: string, { labels = {}, value }: Sample): string {
  if (typeof value === 'number') return line(name, labels, value);
  let upTo = 0;
  const buckets = value.bounds.map((bound, at) => {
    upTo += value.counts[at] ?? 0;
    return line(`${name}_bucket`, { le: String(bound), ...labels }, upTo);
  });
  const all = upTo + (value.counts[value.bounds.length] ?? 0);
  return [
    ...buckets,
    line(`${name}_bucket`, { le: '+Inf', ...labels }, all),
    line(`${name}_sum`, labels, value.sum),
    line(`${name}_count`, labels, all),
  ].join('');
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, words]) => `${key}="${escapeLabel(words)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(value)}\n`;
}

/** The format's own spelling of non-finite values. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : '+Inf';
  return String(value);
}

function escapeLabel(words: string): string {
  return escapeHelp(words).replaceAll('"', '\\"');
}

function escapeHelp(words: string): string {
  return words.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
