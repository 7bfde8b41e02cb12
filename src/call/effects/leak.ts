import { randomUUID } from 'node:crypto';
import type { EffectsJudge } from '../../contract/capabilities/command-life.ts';
import type { AuditLog } from '../../contract/records.ts';
import { redact } from '../../ground/text/redact.ts';
import type { Permit } from '../slips.ts';

/**
 * Records at once that a command sent the stand-in of a secret where it may not go: its own record is written when it ends.
 * After many of one call no more are recorded.
 */
export function recordLeaks(
  { caller, call, tool, input }: Permit,
  audit: () => Promise<AuditLog>,
): NonNullable<EffectsJudge['leaked']> {
  let left = 32;
  return ({ secret, host, method, path, because }) => {
    if (left === 0) return;
    left -= 1;
    const given = redact(input, tool.secrets) as object;
    const record = {
      id: randomUUID(),
      atMs: Date.now(),
      principal: caller.principal,
      sessionId: caller.sessionId,
      transport: call.arrival.transport,
      tool: leakTool,
      arguments: { leak: `${secret} → ${host}`, request: `${method} ${path}`, by: tool.name, ...given },
      stop: 'run' as const,
      outcome: 'error' as const,
      code: 'denied',
      facts: { because: because.en },
      durationMs: 0,
      inputBytes: 0,
      outputBytes: 0,
    };
    audit()
      .then((log) => log.write(record))
      // The request is refused in any case, and stands in the record of its call.
      .catch(() => {});
  };
}

const leakTool = 'sekisho leak';
