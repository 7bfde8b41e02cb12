import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Folder } from '../contract/capabilities/files.ts';
import type { Attribution, UndoSelection, UndoStep } from '../contract/capabilities/history.ts';
import type { Memories } from '../contract/capabilities/memory.ts';
import type { NoticeRecord, NoticeStore } from '../contract/notice.ts';
import type { Acts, Answered, Operator } from '../contract/operator.ts';
import type { PasskeyStore } from '../contract/passkey.ts';
import type { Person } from '../contract/person.ts';
import type { ApprovalStore, AuditLog, TokenStore } from '../contract/records.ts';
import type { TeamAdmin } from '../contract/team/admin.ts';
import { assertMay, mayAnswer, memoryOwner } from './may.ts';
import { importMemories } from './memory-lines.ts';
import { createNoticeActs } from './notices.ts';
import { createPerform, type Perform } from './perform.ts';
import { createServerActs, reviewOf, type ServerAdmin } from './servers.ts';
import { createTeamActs } from './team.ts';

/** What people act on, lent by the composition root. */
export interface OperatorRooms {
  audit(): Promise<AuditLog>;
  approvals(): Promise<ApprovalStore>;
  tokens(): Promise<TokenStore>;
  memories(owner: string): Promise<Memories>;
  team(): Promise<TeamAdmin>;
  notices(): Promise<NoticeStore>;
  passkeys(): Promise<PasskeyStore>;
  testNotice(channel: string): Promise<NoticeRecord | undefined>;
  servers(): Promise<ServerAdmin>;
  history(): Promise<{ readonly history: Undoing; readonly folders: readonly Folder[] }>;
  now(): number;
}

interface Undoing {
  undo(
    selection: UndoSelection,
    options: {
      readonly folders: readonly Folder[];
      readonly who: Attribution;
      readonly force: boolean;
      readonly tell?: ((step: UndoStep) => void) | undefined;
    },
  ): Promise<readonly UndoStep[]>;
}

/** What a person does, in one place: the command line and the console are faces of it. */
export function openOperator(rooms: OperatorRooms): Operator {
  return {
    mayAnswer,
    memoryOwner,
    review: async (name) => reviewOf(await rooms.servers(), name),
    as: (person) => actsOf(person, rooms),
  };
}

function actsOf(person: Person, rooms: OperatorRooms): Acts {
  const perform = createPerform(person, rooms.audit, rooms.now);
  const allow = () => assertMay(person);
  return {
    ...createApprovalActs(person, perform, rooms),
    ...createTokenActs(perform, rooms, allow),
    ...createServerActs(perform, rooms.servers, allow),
    ...createMemoryActs(person, perform, rooms),
    ...createNoticeActs(person, perform, rooms, allow),
    team: createTeamActs(perform, rooms.team, allow),
    undo: (selection, { force = false, tell } = {}) => {
      const sessionId = `undo-${randomUUID().slice(0, 8)}`;
      const about = { ...selection, force };
      return perform({ tool: 'sekisho undo', arguments: about, sessionId }, async (auditId) => {
        allow();
        const { history, folders } = await rooms.history();
        const who = { principal: person.name, sessionId, tool: 'undo', auditId };
        const steps = await history.undo(selection, { folders, who, force, tell });
        const stopped = steps.some(({ outcome }) => outcome === 'conflict' || outcome === 'lost');
        const undone = steps.filter(({ outcome }) => outcome === 'undone').length;
        return {
          result: { steps, sessionId, stopped },
          code: stopped ? 'conflict' : undefined,
          facts: { undone },
        };
      });
    },
    entered: (address) =>
      perform({ tool: 'sekisho console', arguments: { act: 'login' } }, async () => ({
        result: undefined,
        facts: { address, operator: person.isOperator },
      })),
  };
}

function createApprovalActs(
  person: Person,
  perform: Perform,
  { approvals, now }: OperatorRooms,
): Pick<Acts, 'answer' | 'revokeGrant'> {
  return {
    async answer(id, { decision, scope }) {
      const record = await (await approvals()).get(id);
      const about = { tool: 'sekisho approve', arguments: { id, decision, scope } };
      const answered = await perform<Answered>(about, async () => {
        if (!record) return { result: { outcome: 'gone' }, code: 'not_found' };
        const may = mayAnswer(person, record);
        if (may !== 'yes') return { result: { outcome: may, record }, code: 'forbidden' };
        const decided = await (await approvals()).decide(id, decision, person.name, scope, now());
        return decided
          ? { result: { outcome: 'answered', record: decided, isTaken: false } }
          : { result: { outcome: 'gone', record }, code: 'conflict' };
      });
      if (answered.outcome !== 'answered' || decision === 'declined') return answered;
      return { ...answered, isTaken: await isTakenUp(id, await approvals()) };
    },
    revokeGrant: (id) =>
      perform({ tool: 'sekisho approve revoke', arguments: { id } }, async () => {
        assertMay(person);
        const revoked = await (await approvals()).revoke(id, now());
        return { result: revoked, code: revoked ? undefined : 'not_found' };
      }),
  };
}

/** A call that waits, of this process or another, takes its yes as soon as it is told of it. */
async function isTakenUp(id: string, approvals: ApprovalStore): Promise<boolean> {
  for (let look = 0; look < looks; look++) {
    if ((await approvals.get(id))?.status === 'used') return true;
    await setTimeout(betweenLooksMs);
  }
  return false;
}

const looks = 20;
const betweenLooksMs = 75;

function createTokenActs(
  perform: Perform,
  { tokens }: OperatorRooms,
  allow: () => void,
): Pick<Acts, 'createToken' | 'revokeToken'> {
  return {
    createToken: (token) =>
      perform({ tool: 'sekisho token create', arguments: { ...token } }, async () => {
        allow();
        const created = await (await tokens()).create(token);
        return { result: created, facts: { id: created.record.id } };
      }),
    revokeToken: (id) =>
      perform({ tool: 'sekisho token revoke', arguments: { id } }, async () => {
        allow();
        const revoked = await (await tokens()).revoke(id);
        return { result: revoked, code: revoked ? undefined : 'not_found' };
      }),
  };
}

function createMemoryActs(
  person: Person,
  perform: Perform,
  { memories }: OperatorRooms,
): Pick<Acts, 'importMemories' | 'changeMemory' | 'forgetMemory'> {
  return {
    importMemories: (owner, lines) =>
      perform({ tool: 'sekisho memory import', arguments: { owner } }, async () => {
        assertMay(person, owner);
        const imported = await importMemories(await memories(owner), lines);
        return { result: imported, facts: { ...imported } };
      }),
    changeMemory: (owner, id, change) =>
      perform({ tool: 'sekisho memory', arguments: { act: 'edit', owner, id } }, async () => {
        assertMay(person, owner);
        const changed = await (await memories(owner)).update(id, change);
        return { result: changed, code: changed ? undefined : 'not_found' };
      }),
    forgetMemory: (owner, id) =>
      perform({ tool: 'sekisho memory', arguments: { act: 'forget', owner, id } }, async () => {
        assertMay(person, owner);
        const forgotten = await (await memories(owner)).forget(id);
        return { result: forgotten, code: forgotten ? undefined : 'not_found' };
      }),
  };
}
