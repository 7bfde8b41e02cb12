import type { Folder } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import type { Operator } from '../../contract/people/operator.ts';
import { once } from '../../ground/waiting/once.ts';
import type { ServerAdmin } from '../../operator/servers.ts';
import type { TeamRoom } from '../fleet/team.ts';
import type { Rooms } from '../rooms.ts';
import type { Notices } from './notify.ts';

type Upstreams = Awaited<ReturnType<Rooms['upstreams']>>;

/** The history of a checkpoint, with the folders that it covers. */
export interface OpenedHistory {
  readonly history: Awaited<ReturnType<Rooms['history']>>;
  readonly folders: readonly Folder[];
}

/** Connects the acts of people with the rooms. Loaded at the first act. */
export function createOperator(rooms: Rooms, team: TeamRoom, notices: Notices, now: () => number) {
  const history = once(async (): Promise<OpenedHistory> => {
    const opened = await rooms.history();
    await opened.recovered();
    const { folder } = await rooms.workspace();
    // A vault elsewhere is a separate root; if it is missing, there is nothing in it to undo.
    const vault = await rooms.vault().catch(() => undefined);
    return { history: opened, folders: vault ? [folder, vault.folder] : [folder] };
  });
  const operator = once(async (): Promise<Operator> => {
    const { openOperator } = await import('../../operator/open-operator.ts');
    return openOperator({
      audit: async () => (await rooms.store()).audit,
      approvals: async () => (await rooms.store()).approvals,
      tokens: async () => (await rooms.store()).tokens,
      secrets: rooms.keptSecrets,
      halts: rooms.halts,
      memories: async (owner) => (await rooms.store()).memoriesFor(owner),
      team: async () => (await team.open()).admin,
      notices: async () => (await rooms.store()).notices,
      passkeys: async () => (await rooms.store()).passkeys,
      testNotice: notices.test,
      servers: async () => serversOf(await rooms.upstreams()),
      history,
      changes: async () => (await rooms.store()).history,
      now,
    });
  });
  return { operator, history };
}

function serversOf(upstreams: Upstreams): ServerAdmin {
  const find = (name: string) => {
    const server = upstreams.servers.find(({ settings }) => settings.name === name);
    if (server) return server;
    throw new ToolError(
      'not_found',
      `There is no enabled server ${name}.`,
      `有効なサーバー ${name} はありません。`,
    );
  };
  return {
    pending: (name) => upstreams.pins.review(find(name).settings.name),
    approve(name, digest) {
      const approved = upstreams.pins.approve(find(name).settings.name, digest);
      for (const server of upstreams.servers) server.refresh();
      return approved;
    },
    forget: (name) => upstreams.pins.forget(find(name).settings.name),
    logIn: (name, options) => upstreams.logIn(find(name), options),
    logOut: (name) => upstreams.logOut(find(name)),
  };
}
