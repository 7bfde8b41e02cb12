import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Settings of PostgreSQL, by which it writes into the folder what one statement in so many really did. */
export function sampledPlans(folder: string, oneIn: number): readonly string[] {
  return [
    `log_directory=${folder}`,
    'shared_preload_libraries=pg_stat_statements,auto_explain',
    'logging_collector=on',
    'log_destination=jsonlog',
    'log_timezone=UTC',
    'log_rotation_size=0',
    'auto_explain.log_min_duration=0',
    'auto_explain.log_analyze=on',
    'auto_explain.log_timing=off',
    'auto_explain.log_format=json',
    `auto_explain.sample_rate=${1 / oneIn}`,
  ];
}

/** A kind of statement that the servers sent: how many rows it read of tables, and gave back or changed. */
export interface RowsRead {
  readonly statement: string;
  readonly samples: number;
  readonly read: number;
  readonly returned: number;
}

/** What the servers' statements read from then on, those first that read the most for what they return. */
export function rowsRead(folder: string, fromMs: number): readonly RowsRead[] {
  const found = new Map<string, { samples: number; read: number; returned: number }>();
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
      const plan = planIn(line, fromMs);
      if (!plan) continue;
      const statement = plan['Query Text']
        .replace(/^prepare \S+ as /, '')
        .replaceAll(/\s+/g, ' ')
        .trim();
      const sum = found.get(statement) ?? { samples: 0, read: 0, returned: 0 };
      sum.samples += 1;
      sum.read += read(plan.Plan);
      // Whoever finds nothing has looked for something.
      sum.returned += Math.max(1, plan.Plan['Actual Rows'], changed(plan.Plan));
      found.set(statement, sum);
    }
  }
  return [...found]
    .map(([statement, sum]) => ({ statement, ...sum }))
    .sort((one, other) => other.read / other.returned - one.read / one.returned);
}

interface Logged {
  readonly 'Query Text': string;
  readonly Plan: Node;
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Relation Name'?: string;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
}

/** One that a server sent: the fleet puts tasks there, and counts them, by statements of its own. */
function planIn(line: string, fromMs: number): Logged | undefined {
  if (!line.includes('"sekisho')) return undefined;
  const { application_name: by, message = '', timestamp = '' } = JSON.parse(line) as Record<string, string>;
  const at = message.indexOf('plan:\n');
  const isOurs = by?.startsWith('sekisho') && Date.parse(timestamp) >= fromMs;
  return isOurs && at >= 0 ? (JSON.parse(message.slice(at + 6)) as Logged) : undefined;
}

/** Rows of tables that were looked at, also such as did not fit. */
function read(node: Node): number {
  const below = (node.Plans ?? []).reduce((sum, each) => sum + read(each), 0);
  if (!/Seq Scan|Index Scan|Index Only Scan|Heap Scan|Tid Scan/.test(node['Node Type'])) return below;
  if (node['Node Type'] === 'Bitmap Index Scan') return below;
  const rows =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return below + rows * node['Actual Loops'];
}

/** Rows that were inserted, updated or deleted, also in a part of a statement. */
function changed(node: Node): number {
  const below = (node.Plans ?? []).reduce((sum, each) => sum + changed(each), 0);
  // Without a `returning` it says none itself; what comes to it is what it changes.
  if (node['Node Type'] !== 'ModifyTable') return below;
  return (node.Plans ?? []).reduce((sum, each) => sum + each['Actual Rows'] * each['Actual Loops'], below);
}
