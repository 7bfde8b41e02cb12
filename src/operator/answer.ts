import { setTimeout } from 'node:timers/promises';
import type { Acts, Answer, Answered } from '../contract/people/operator.ts';
import type { Person } from '../contract/people/person.ts';
import type { ApprovalRecord, ApprovalStore } from '../contract/records.ts';
import { cleanWords } from '../ground/questions/person-words.ts';
import { assertMay, mayAnswer } from './may.ts';
import type { Perform } from './perform.ts';
import type { OperatorRooms } from './rooms.ts';

/** Answering questions, and revoking standing approvals. */
export function createQuestionActs(
  person: Person,
  perform: Perform,
  { approvals, now }: OperatorRooms,
): Pick<Acts, 'answer' | 'answerAll' | 'revokeGrant'> {
  async function decide(id: string, { decision, scope, untilMs, instead }: Answer): Promise<Answered> {
    const record = await (await approvals()).get(id);
    const wishes = { untilMs, instead: instead === undefined ? undefined : cleanWords(instead) };
    const about = { tool: 'sekisho approve', arguments: { id, decision, scope, ...wishes } };
    return perform<Answered>(about, async () => {
      if (!record) return { result: { outcome: 'gone' }, code: 'not_found' };
      const may = mayAnswer(person, record);
      if (may !== 'yes') return { result: { outcome: may, record }, code: 'forbidden' };
      if (decision === 'approved' && isWide(record, { scope, untilMs }, now()))
        return { result: { outcome: 'wide', record }, code: 'invalid_parameter' };
      const decided = await (await approvals()).decide(id, decision, person.name, scope, now(), wishes);
      return decided
        ? { result: { outcome: 'answered', record: decided, isTaken: false } }
        : { result: { outcome: 'gone', record }, code: 'conflict' };
    });
  }

  async function settled(answered: Answered): Promise<Answered> {
    if (answered.outcome !== 'answered' || answered.record.status !== 'approved') return answered;
    return { ...answered, isTaken: await isTakenUp(answered.record.id, await approvals()) };
  }

  return {
    answer: async (id, answer) => settled(await decide(id, answer)),
    async answerAll(ids, answer) {
      const answered: Answered[] = [];
      for (const id of ids) answered.push(await decide(id, answer));
      return Promise.all(answered.map(settled));
    },
    revokeGrant: (id) =>
      perform({ tool: 'sekisho approve revoke', arguments: { id } }, async () => {
        assertMay(person);
        const revoked = await (await approvals()).revoke(id, now());
        return { result: revoked, code: revoked ? undefined : 'not_found' };
      }),
  };
}

/** Whether the approval exceeds the question that the person has read. */
function isWide(
  { grant, folder }: ApprovalRecord,
  { scope, untilMs = 0 }: Pick<Answer, 'scope' | 'untilMs'>,
  nowMs: number,
): boolean {
  if (scope === 'once') return false;
  if (grant === undefined || (scope === 'folder' && folder === undefined)) return true;
  return scope === 'until' && !(untilMs > nowMs && untilMs <= nowMs + longestMs);
}

/** For longer periods there is the scope `always`. */
const longestMs = 366 * 24 * 3_600_000;

/** Whether a waiting call has used the approval: it does so as soon as it is notified, in any process. */
async function isTakenUp(id: string, approvals: ApprovalStore): Promise<boolean> {
  for (let look = 0; look < looks; look++) {
    if ((await approvals.get(id))?.status === 'used') return true;
    await setTimeout(betweenLooksMs);
  }
  return false;
}

const looks = 20;
const betweenLooksMs = 75;
