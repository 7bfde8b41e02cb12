import type { Folder } from '../contract/capabilities/files.ts';
import type { HistoryStore, Undoing } from '../contract/capabilities/history.ts';
import type { Memories } from '../contract/capabilities/memory.ts';
import type { SecretKeeper } from '../contract/capabilities/secrets.ts';
import type { Halts } from '../contract/halt.ts';
import type { NoticeRecord, NoticeStore } from '../contract/people/notice.ts';
import type { PasskeyStore } from '../contract/people/passkey.ts';
import type { ApprovalStore, AuditLog, TokenStore } from '../contract/records.ts';
import type { TeamAdmin } from '../contract/team/admin.ts';
import type { ServerAdmin } from './servers.ts';

/** The objects of people's acts, provided by the composition root. */
export interface OperatorRooms {
  audit(): Promise<AuditLog>;
  approvals(): Promise<ApprovalStore>;
  tokens(): Promise<TokenStore>;
  secrets(): Promise<SecretKeeper>;
  readonly halts: Halts;
  memories(owner: string): Promise<Memories>;
  team(): Promise<TeamAdmin>;
  notices(): Promise<NoticeStore>;
  passkeys(): Promise<PasskeyStore>;
  /** Sends a test notice; undefined if there is no such channel. */
  testNotice(channel: string): Promise<NoticeRecord | undefined>;
  servers(): Promise<ServerAdmin>;
  history(): Promise<{ readonly history: Undoing; readonly folders: readonly Folder[] }>;
  /** Changes made by tools. */
  changes(): Promise<HistoryStore>;
  now(): number;
}
