import { randomUUID } from 'node:crypto';
import type { UndoSelection, UndoStep } from '../contract/capabilities/history.ts';
import type { Acts, Operator } from '../contract/people/operator.ts';
import type { Person } from '../contract/people/person.ts';
import type { AuditLog } from '../contract/records.ts';
import { shownCall } from '../ground/questions/would-cover.ts';
import { createQuestionActs } from './answer.ts';
import { offersFor, standingGrants } from './grants.ts';
import { digestSince, storyFrom } from './look-back.ts';
import { assertMay, mayAnswer, memoryOwner } from './may.ts';
import { importMemories } from './memory-lines.ts';
import { createNoticeActs } from './notices.ts';
import { createPerform, type Perform } from './perform.ts';
import type { OperatorRooms } from './rooms.ts';
import { createServerActs, reviewOf } from './servers.ts';
import { createTeamActs } from './team.ts';

/** The acts of people in one place, for the command line and the console. */
export function openOperator(rooms: OperatorRooms): Operator {
  return {
    mayAnswer,
    memoryOwner,
    offers: (records) => offersFor(records, rooms.audit, rooms.now()),
    grants: async () => standingGrants(await (await rooms.approvals()).grants(rooms.now()), rooms.now()),
    halted: () => rooms.halts.current(),
    story: (sessionId) => storyFrom(sessionId, rooms),
    digest: (sinceMs) => digestSince(sinceMs, rooms),
    review: async (name) => reviewOf(await rooms.servers(), name),
    as: (person) => actsOf(person, rooms),
  };
}

function actsOf(person: Person, rooms: OperatorRooms): Acts {
  const perform = createPerform(person, rooms.audit, rooms.now);
  const allow = () => assertMay(person);
  return {
    ...createQuestionActs(person, perform, rooms),
    ...createTokenActs(perform, rooms, allow),
    setSecret: (name, value) =>
      perform(
        { tool: `sekisho secret ${value === undefined ? 'remove' : 'set'}`, arguments: { name } },
        async () => {
          allow();
          const changed = await (await rooms.secrets()).set(name, value);
          return { result: changed, code: changed ? undefined : 'not_found' };
        },
      ),
    halt: () =>
      perform({ tool: 'sekisho halt', arguments: {} }, async () => {
        allow();
        const before = await rooms.halts.current();
        if (!before) await rooms.halts.set({ sinceMs: rooms.now(), by: person.name });
        return { result: undefined };
      }),
    resume: () =>
      perform({ tool: 'sekisho resume', arguments: {} }, async () => {
        allow();
        const before = await rooms.halts.current();
        await rooms.halts.set(undefined);
        return { result: before !== undefined, facts: { ...before } };
      }),
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
          result: {
            steps,
            sessionId,
            stopped,
            outside: await ranOutside(selection, steps, await rooms.audit()),
          },
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

/** The commands of these calls that ran outside the sandbox. */
async function ranOutside(
  selection: UndoSelection,
  [first]: readonly UndoStep[],
  log: AuditLog,
): Promise<readonly string[]> {
  const isOne = 'id' in selection || 'auditId' in selection;
  if (isOne && !first) return [];
  const found = await log.search({
    tool: 'shell_exec',
    sessionId: isOne ? first?.entry.sessionId : 'sessionId' in selection ? selection.sessionId : undefined,
    sinceMs: 'sinceMs' in selection ? selection.sinceMs : undefined,
    limit: mostCalls,
    newestFirst: true,
  });
  const those = found.filter(
    ({ id, facts }) => facts?.outside === true && (!isOne || id === first?.entry.auditId),
  );
  return those.map(shownCall);
}

const mostCalls = 1000;

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
