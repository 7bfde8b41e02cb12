import { userInfo } from 'node:os';
import { openCheckpoint } from '../checkpoint.ts';
import { type Flags, loadSettings } from '../config/load.ts';
import type { ApprovalRecord, ApprovalStore } from '../contract/records.ts';
import { say } from './say.ts';

type Options = Readonly<Record<string, unknown>>;

/** Lists what calls are waiting for, or answers one of them. */
export async function approve(id: string | undefined, flags: Flags, options: Options): Promise<number> {
  const checkpoint = await openCheckpoint(loadSettings(flags));
  try {
    const { approvals } = await checkpoint.store();
    if (id === undefined) return await list(approvals, options);
    const record = await approvals.get(id);
    if (!record) {
      say(`There is no question ${id}. \`sekisho approve\` lists them.`);
      return 1;
    }
    if (options.show) {
      say(options.json ? JSON.stringify(record) : describe(record));
      return 0;
    }
    return await answer(record, approvals, options);
  } finally {
    await checkpoint.close();
  }
}

async function list(approvals: ApprovalStore, options: Options): Promise<number> {
  const pending = await approvals.list('pending', Date.now());
  if (options.json) say(JSON.stringify(pending));
  else if (pending.length === 0) say('Nothing is waiting.');
  else for (const record of pending) say(`${describe(record)}\n`);
  return 0;
}

async function answer(record: ApprovalRecord, approvals: ApprovalStore, options: Options): Promise<number> {
  const scope = options.always ? 'always' : options.session ? 'session' : 'once';
  const decision = options.deny ? 'declined' : 'approved';
  const by = `cli:${userInfo().username}`;
  const decided = await approvals.decide(record.id, decision, by, scope, Date.now());
  if (!decided) {
    say(
      `${record.id} cannot be answered any more: it is ${record.status === 'pending' ? 'expired' : record.status}.`,
    );
    return 1;
  }
  if (options.json) say(JSON.stringify(decided));
  else say(`${record.id}: ${decision}${decision === 'approved' ? ` (${scope})` : ''}.`);
  return 0;
}

function describe(record: ApprovalRecord): string {
  const since = new Date(record.createdAtMs).toISOString();
  return `${record.id}  ${record.status}  since ${since}\n${record.message.replace(/^/gm, '  ')}`;
}
