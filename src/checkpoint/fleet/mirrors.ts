import type { Settings } from '../../config/settings.ts';
import { type LoggedWrite, loggedWrite, type MirrorVerdict } from '../../contract/capabilities/mirror.ts';
import type { AuditLog } from '../../contract/records.ts';

/** Compares the pipeline's mirrors with the writes in this log, whatever is served now. */
export async function verifyMirrors(settings: Settings, log: AuditLog): Promise<MirrorVerdict> {
  const { verifyMirrors: verify } = await import('../../pipeline/records/verify.ts');
  const served = settings.roots.map(({ path }) => path);
  return verify(served, await writesOf(log));
}

async function writesOf(log: AuditLog): Promise<readonly LoggedWrite[]> {
  const writes: LoggedWrite[] = [];
  for (let last = 0; ; ) {
    const page = await log.search({ afterSeq: last, limit: pageEntries });
    for (const { id, facts } of page) {
      const write = loggedWrite(facts, id);
      if (write) writes.push(write);
    }
    const end = page.at(-1);
    if (!end) return writes;
    last = end.seq;
  }
}

const pageEntries = 1000;
