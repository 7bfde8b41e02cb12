import type { AuditRecord } from '../../src/contract/records.ts';
import { text } from '../../src/contract/text/text.ts';

/** A record of a call, as the road would write it. */
export function auditRecord(part: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: 'call_1',
    atMs: 1_000,
    principal: 'local',
    sessionId: 'connection_1',
    transport: 'stdio',
    tool: 'read_file',
    arguments: { path: 'a.md' },
    stop: 'run',
    outcome: 'ok',
    durationMs: 1.5,
    inputBytes: 10,
    outputBytes: 20,
    ...part,
  };
}

export const approvalInput = {
  principal: 'user:ann',
  sessionId: 's1',
  tool: 'shell_exec',
  digest: 'd1',
  message: text('Run `git push`?', '`git push` を実行しますか。'),
  rule: 'asks for what others see',
  createdAtMs: 1_000,
  expiresAtMs: 10_000,
  grant: 'command git push',
};
