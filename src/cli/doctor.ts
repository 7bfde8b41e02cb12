import { type Checkpoint, openCheckpoint } from '../checkpoint/index.ts';
import { unreadEnvFile } from '../config/file/unread-env-file.ts';
import { type Flags, loadSettings } from '../config/load.ts';
import { ToolError } from '../contract/error.ts';
import { type Locale, text } from '../contract/text/text.ts';
import { counted } from './common/counted.ts';
import { say } from './common/say.ts';
import { examine, type ServerReport } from './server/report.ts';

interface Finding {
  readonly what: string;
  readonly works: boolean;
  /** Worth a look, and nothing is missing. */
  readonly isWarning?: true | undefined;
  readonly detail: string;
  readonly remedy?: string | undefined;
}

/** What works on this machine, what is missing, and the command that installs it. Exit code 2 if something is. */
export async function doctor(flags: Flags, options: Readonly<Record<string, unknown>>): Promise<number> {
  const settings = loadSettings(flags);
  const checkpoint = await openCheckpoint(settings);
  try {
    const findings: Finding[] = [{ what: 'node', works: true, detail: process.version }];
    const kept = await examineRecords(await checkpoint.store());
    findings.push(kept);
    for (const { rule, because } of await (await checkpoint.policy()).warnings()) {
      findings.push({
        what: `rule ${rule}`,
        works: false,
        isWarning: true,
        detail: because[settings.locale],
      });
    }
    const unread = unreadEnvFile(flags);
    if (unread)
      findings.push({ what: '.env', works: false, isWarning: true, detail: unread[settings.locale] });
    const commands = await checkpoint.rooms.commands();
    const statuses = await commands.status();
    for (const status of statuses) {
      findings.push({
        what: `sandbox ${status.name}`,
        works: status.works,
        detail: status.problem?.[settings.locale] ?? selfTested[settings.locale],
        remedy: status.remedy,
      });
    }
    // Commands run in the first that works; what the others lack is nobody's concern.
    const chosen = statuses.find((status) => status.works);
    const hosts = settings.process.network;
    if (chosen && hosts.length > 0) {
      findings.push({
        what: `network ${chosen.name}`,
        works: chosen.withoutNetwork === undefined,
        detail: chosen.withoutNetwork?.[settings.locale] ?? hosts.join(', '),
      });
    }
    if (chosen) findings.push(...toolchainFindings(commands.toolchains(), settings.locale));
    if (settings.toolsets.includes('pipeline')) {
      for (const program of await (await checkpoint.rooms.pipelines()).describe()) {
        findings.push({
          what: `program ${program.name}`,
          works: program.from !== 'missing',
          detail: [program.from, program.version, program.path].filter(Boolean).join('  '),
          remedy: program.remedy,
        });
      }
    }
    const meaning = kept.works ? await (await checkpoint.store()).meaning?.() : undefined;
    const probed = await meaning?.probe(probeMs);
    if (probed) {
      findings.push({
        what: 'embeddings',
        works: 'dimensions' in probed,
        detail: 'dimensions' in probed ? `${probed.dimensions} dimensions` : probed.problem,
      });
    }
    const { servers } = settings.servers.length > 0 ? await checkpoint.rooms.upstreams() : { servers: [] };
    const reports = await Promise.all(servers.map(examine));
    for (const report of reports) findings.push(findingOf(report, settings.locale));
    const issuers = settings.http.oauth ? await (await checkpoint.rooms.identity()).examine() : [];
    for (const { name, issuer, keys, problem } of issuers) {
      findings.push({
        what: `issuer ${name}`,
        works: keys > 0,
        detail: problem ?? `${issuer}: ${counted(keys, 'key')}`,
        remedy: 'http.oauth.issuers must name it as its own metadata does, to the letter',
      });
    }
    const reached = reports.every(({ works }) => works) && issuers.every(({ keys }) => keys > 0);
    const sandboxed = findings.some((finding) => finding.what.startsWith('sandbox') && finding.works);
    if (options.json) say(JSON.stringify(findings, null, 2));
    else for (const finding of findings) say(lineOf(finding, settings.locale));
    return kept.works && sandboxed && reached ? 0 : 2;
  } finally {
    await checkpoint.close();
  }
}

/** What of the person's own programs commands are shown, and what is kept from them. */
function toolchainFindings(
  { found, folders, leftOut }: ReturnType<Awaited<ReturnType<Checkpoint['rooms']['commands']>>['toolchains']>,
  locale: Locale,
): readonly Finding[] {
  const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
  const ofPath = folders.filter(({ real }) => !found.some(({ path }) => isIn(real, path)));
  return [
    ...found.map(({ name, path }) => ({ what: `toolchain ${name}`, works: true, detail: path })),
    ...ofPath.map(({ real }) => ({ what: 'programs', works: true, detail: real })),
    ...leftOut.map(({ path, because }) => ({
      what: 'left out',
      works: false,
      isWarning: true as const,
      detail: `${path === '' ? 'PATH' : path}: ${because[locale]}`,
    })),
  ];
}

/** The database: can it be opened, are its pages whole, does the audit log hold. */
async function examineRecords(store: Awaited<ReturnType<Checkpoint['store']>>): Promise<Finding> {
  const bad = (detail: string, remedy?: string): Finding => ({ what: 'store', works: false, detail, remedy });
  try {
    await store.ready();
    const damage = await store.damage();
    if (damage !== undefined) return bad(`damaged: ${damage}`, bringBack);
    const verdict = await store.audit.verify();
    if (!verdict.ok) return bad(verdict.problem, 'sekisho audit verify');
    const entries = counted(verdict.entries, 'audit entry', 'audit entries');
    return { what: 'store', works: true, detail: `${entries}, unbroken` };
  } catch (error) {
    const { message, cause } = error as Error;
    // What a failing read says is written for callers; its cause is the database's own word.
    return error instanceof ToolError
      ? bad(cause instanceof Error ? cause.message : message, bringBack)
      : bad(message);
  }
}

const bringBack = 'bring the database back from a copy, with the audit.key of its state folder';

/** A proxied server that was started, or reached: its tools, its pins and its walls. */
function findingOf({ name, works, ...report }: ServerReport, locale: Locale): Finding {
  const { tools, pinned, held, place, problem, hint } = report;
  const waiting = held.length > 0 && `${held.length} held back: sekisho server approve ${name}`;
  const counts = [counted(tools.length, 'tool'), `${pinned ?? 0} pinned`, waiting];
  return {
    what: `server ${name}`,
    works,
    detail: `${place}: ${(works ? counts.filter(Boolean) : [problem?.[locale]]).join(', ')}`,
    remedy: works ? undefined : [hint?.[locale], `sekisho server check ${name}`].filter(Boolean).join(' '),
  };
}

/** A model may have to be loaded first. */
const probeMs = 20_000;

const selfTested = text('self-test passed', '自己診断に合格');
const tryThis = text('try', '対処');

function lineOf({ what, works, isWarning, detail, remedy }: Finding, locale: Locale): string {
  const line = `${works ? 'ok     ' : isWarning ? 'warning' : 'missing'}  ${what.padEnd(20)} ${detail}`;
  return remedy === undefined || works ? line : `${line}\n         ${tryThis[locale]}: ${remedy}`;
}
