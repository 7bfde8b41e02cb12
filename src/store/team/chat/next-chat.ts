import type { Member, Reader } from '../base.ts';
import type { Found } from '../found.ts';
import { steps } from '../instructions.ts';
import { idleForMs } from '../tasks/work.ts';
import { errandsOf, openOf } from './chat-rows.ts';
import { conversationsOf, statusAt } from './conversations.ts';

/** The next step of a chat session: read, do an errand, report it, wait for an answer, or exit. */
export async function nextChat(db: Reader, me: Member): Promise<Found> {
  const unread = await db
    .selectFrom('messages')
    .select(['id', 'conversation_id', 'delivered_at_ms'])
    .where('to_id', '=', me.agent.id)
    .where('project_id', '=', me.projectId)
    .where('read_at_ms', 'is', null)
    .orderBy('seq')
    .limit(10)
    .execute();
  const open = await openOf(db, me);
  const invited = open.filter((row) => row.status === 'pending' && row.participant_id === me.agent.id);
  const ending = open.filter((row) => row.status === 'terminating' && row.ended_by !== me.agent.id);
  const answerable = new Set(open.filter((row) => row.status !== 'terminating').map((row) => row.id));
  const isHeard = unread.every((row) => row.delivered_at_ms !== null && !answerable.has(row.conversation_id));
  if (unread.length > 0 && isHeard && invited.length + ending.length === 0) {
    return { step: steps.acknowledge, needs: { messages: unread.map((row) => row.id) } };
  }
  if (unread.length + invited.length + ending.length > 0) {
    return {
      step: steps.read_messages,
      needs: {
        messages: unread.map((row) => row.id),
        conversations: [...invited, ...ending].map((row) => row.id),
      },
    };
  }
  const errands = await errandsOf(db, me, 20);
  const fresh = errands.filter((row) => row.status === 'pending').map((row) => row.id);
  if (fresh.length > 0) return { step: steps.run_errand, needs: { delegations: fresh } };
  const over: string[] = [];
  for (const errand of errands) {
    const rows = await conversationsOf(db, errand.id);
    const isOpen = rows.some((row) => ['pending', 'active'].includes(statusAt(row, me.nowMs)));
    if (!isOpen) over.push(errand.id);
  }
  if (over.length > 0) return { step: steps.report_errand, needs: { delegations: over } };
  // A person may not write again before tomorrow; the agent is started then and need not wait.
  const talking = open
    .filter((row) => row.status !== 'terminating' && row.changed_at_ms + idleForMs > me.nowMs)
    .map((row) => row.id);
  if (talking.length > 0) return { step: steps.wait, needs: { conversations: talking } };
  return { step: steps.finish };
}
