import { type Checkpoint, openCheckpoint } from '../checkpoint/index.ts';
import { unreadEnvFile } from '../config/file/unread-env-file.ts';
import { outsideOf } from '../config/places/outside.ts';
import type { Flags, Settings } from '../config/settings.ts';
import type { SandboxStatus } from '../contract/capabilities/process.ts';
import { joinSentences, type Text, text } from '../contract/text/text.ts';
import { counted } from '../ground/counted.ts';
import { isInside } from '../ground/inside.ts';
import { asRoot, isRoot } from './common/as-root.ts';
import type { Options } from './common/options.ts';
import { inLocale, say, sayJson } from './common/say.ts';
import { probeHooks } from './init/probe-hooks.ts';
import { askAll, megabytes } from './resident/sessions.ts';
import { examineRecords } from './server/examine-records.ts';
import type { Finding } from './server/finding.ts';
import { examine, type ServerReport } from './server/report.ts';
import { settingsAtStart, unnamedFolderNote } from './serving/working-folder.ts';

/** Reports what works here, what is missing, and the command that installs it. Exit code 2 if something is. */
export async function doctor(flags: Flags, options: Options): Promise<number> {
  const settings = settingsAtStart(flags);
  await using checkpoint = await openCheckpoint(settings);
  const findings: Finding[] = [{ what: 'node', works: true, detail: process.version }];
  const container = outsideOf()?.container;
  if (container) findings.push({ what: 'container', works: true, detail: container });
  if (isRoot()) findings.push(warning('user', asRoot));
  const records = await examineRecords(await checkpoint.store());
  findings.push(...records);
  const kept = records.every(({ works, isWarning }) => works || isWarning);
  for (const { rule, because } of await (await checkpoint.policy()).warnings()) {
    findings.push(warning(`rule ${rule}`, because));
  }
  const unnamed = unnamedFolderNote(settings);
  findings.push(
    unnamed
      ? warning('project', unnamed)
      : { what: 'project', works: true, detail: settings.roots.map(({ path }) => path).join(', ') },
  );
  const unread = unreadEnvFile(flags);
  if (unread) findings.push(warning('.env', unread));
  const commands = await checkpoint.rooms.commands();
  const sandboxes = await commands.status();
  findings.push(...sandboxFindings(sandboxes, settings));
  if (sandboxes.some((each) => each.works)) {
    findings.push(...toolchainFindings(commands.toolchains()));
    const { leftOut } = await commands.gitSettings();
    if (leftOut.length > 0) findings.push(warning('git settings', withoutSettings(leftOut)));
  }
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
  findings.push(...(await secretFindings(settings, checkpoint)));
  const meaning = kept ? await (await checkpoint.store()).meaning?.() : undefined;
  const probed = await meaning?.probe(probeMs);
  if (probed) {
    findings.push({
      what: 'embeddings',
      works: 'dimensions' in probed,
      detail:
        'dimensions' in probed
          ? text(counted(probed.dimensions, 'dimension'), `${probed.dimensions} 次元`)
          : probed.problem,
    });
  }
  const { servers } = settings.servers.length > 0 ? await checkpoint.rooms.upstreams() : { servers: [] };
  const reports = await Promise.all(servers.map(examine));
  for (const report of reports) findings.push(findingOf(report));
  const issuers = settings.http.oauth ? await (await checkpoint.rooms.identity()).examine() : [];
  for (const { name, issuer, keys, problem } of issuers) {
    findings.push({
      what: `issuer ${name}`,
      works: keys > 0,
      detail: problem ?? text(`${issuer}: ${counted(keys, 'key')}`, `${issuer}: キー ${keys} 個`),
      remedy: asInMetadata,
    });
  }
  findings.push(...(await sharedServer(settings)));
  const hooks = probeHooks();
  for (const { client, ...found } of hooks) findings.push({ what: `hooks ${client}`, ...found });
  const reached = reports.every(({ works }) => works) && issuers.every(({ keys }) => keys > 0);
  const sandboxed = findings.some((finding) => finding.what.startsWith('sandbox') && finding.works);
  if (options.json) sayJson(findings.map(inWords), 2);
  else for (const finding of findings) say(lineOf(finding));
  const refused = hooks.every(({ works }) => works);
  return kept && sandboxed && reached && refused ? 0 : 2;
}

function warning(what: string, detail: Finding['detail']): Finding {
  return { what, works: false, isWarning: true, detail };
}

/** Commands run in the first sandbox that works, so faults of the others do not matter. */
function sandboxFindings(statuses: readonly SandboxStatus[], settings: Settings): readonly Finding[] {
  const { network: hosts, layer, publish, sandbox } = settings.process;
  const findings: Finding[] = statuses.map(({ name, works, problem, remedy }) => ({
    what: `sandbox ${name}`,
    works,
    detail: problem ?? selfTested,
    remedy,
  }));
  const chosen = statuses.find((status) => status.works && (sandbox !== 'off' || status.name === 'none'));
  if (!chosen) return findings;
  const { name, withoutSockets, withoutRecording, withoutNetwork, withoutDryRun, withoutPublishing } = chosen;
  if (name === 'landlock') findings.push(warning('git', gitBehindLandlock));
  if (withoutSockets) findings.push(warning('sockets', withoutSockets));
  if (withoutRecording) findings.push(warning('recording', notRecorded(withoutRecording)));
  if (hosts.length > 0) {
    // Without a sandbox no request passes the proxy.
    const tunnels = name === 'none' ? hosts : settings.process.tunnels;
    const reached = text(listed(hosts, tunnels, 'not looked into'), listed(hosts, tunnels, '検査なし'));
    const works = withoutNetwork === undefined;
    findings.push({ what: `network ${name}`, works, detail: withoutNetwork ?? reached });
  }
  if (publish.length > 0) {
    const ports = publish
      .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
      .join(', ');
    const works = withoutPublishing === undefined;
    findings.push({ what: 'published ports', works, isWarning: true, detail: withoutPublishing ?? ports });
  }
  if (name !== 'none') {
    const off = layer === 'off' ? switchedOff : undefined;
    const why = withoutDryRun ? withoutLayer(withoutDryRun, settings) : off;
    const works = why === undefined;
    findings.push({ what: `layers ${name}`, works, isWarning: true, detail: why ?? selfTested });
  }
  return findings;
}

/** Each secret: whether it can be read, and its hosts. */
async function secretFindings({ secrets }: Settings, { rooms }: Checkpoint): Promise<readonly Finding[]> {
  const held = await rooms.secrets();
  return secrets.map(({ name, hosts }) => {
    const why = held?.whyNone(name);
    return { what: `secret ${name}`, works: !why, isWarning: true, detail: why ?? hosts.join(', ') };
  });
}

/** The server that clients over stdio share, if they may or one runs. */
async function sharedServer({ resident }: Settings): Promise<readonly Finding[]> {
  const running = await askAll({ kind: 'list' });
  if ((resident === false || process.platform !== 'linux') && running.length === 0) return [];
  const sessions = running.reduce((sum, report) => sum + report.sessions.length, 0);
  const mb = megabytes(running.reduce((sum, { bytes }) => sum + bytes, 0));
  const detail =
    running.length === 0
      ? text('starts with the next client', '次のクライアントとともに起動します')
      : text(`${counted(sessions, 'session')}, ${mb}`, `セッション ${sessions} 個、${mb}`);
  return [{ what: 'shared server', works: true, detail }];
}

/** The person's own programs that commands can see, and those hidden from them. */
function toolchainFindings({
  found,
  folders,
  leftOut,
}: ReturnType<Awaited<ReturnType<Checkpoint['rooms']['commands']>>['toolchains']>): readonly Finding[] {
  const ofPath = folders.filter(({ real }) => !found.some(({ path }) => isInside(real, path)));
  return [
    ...found.map(({ name, path }) => ({ what: `toolchain ${name}`, works: true, detail: path })),
    ...ofPath.map(({ real }) => ({ what: 'programs', works: true, detail: real })),
    ...leftOut.map(({ path, because }) => ({
      what: 'left out',
      works: false,
      isWarning: true as const,
      detail: `${path === '' ? 'PATH' : path}: ${inLocale(because)}`,
    })),
  ];
}

const asInMetadata = text(
  'http.oauth.issuers must name it exactly as its own metadata does',
  'http.oauth.issuers には、発行者自身のメタデータとまったく同じ名前を書いてください',
);

/** The finding on a proxied server: its tools, its pins and its sandbox. */
function findingOf({ name, works, ...report }: ServerReport): Finding {
  const { tools, pinned, held, place, problem, hint } = report;
  const counts = [
    text(counted(tools.length, 'tool'), `ツール ${tools.length} 個`),
    text(`${pinned ?? 0} pinned`, `固定済み ${pinned ?? 0} 個`),
    ...(held.length > 0
      ? [
          text(
            `${held.length} held back: sekisho server approve ${name}`,
            `保留中 ${held.length} 個: sekisho server approve ${name}`,
          ),
        ]
      : []),
  ];
  const check = `\`sekisho server check ${name}\``;
  return {
    what: `server ${name}`,
    works,
    detail: works
      ? `${inLocale(place)}: ${counts.map((each) => inLocale(each)).join(inLocale(', ', '、'))}`
      : `${inLocale(place)}: ${problem ? inLocale(problem) : ''}`,
    remedy: works ? undefined : hint ? joinSentences(inLocale(hint), check) : check,
  };
}

/** A model may have to be loaded first. */
const probeMs = 20_000;

/** The hosts that commands reach, each tunnel with a word for it. */
function listed(hosts: readonly string[], tunnels: readonly string[], word: string): string {
  return hosts.map((host) => (tunnels.includes(host) ? `${host} (${word})` : host)).join(', ');
}

function notRecorded({ en, ja }: Text): Text {
  return text(
    `what commands change in the folders themselves is not recorded and cannot be undone, and no rule about effects holds it: ${en}`,
    `フォルダーを直接使うコマンドの変更は記録されず、元に戻せません。変更内容に関するルールも適用されません: ${ja}`,
  );
}

const gitBehindLandlock = text(
  'commands can write .git/config and hooks, which are checked only when a command ends: until then, your git may read what it wrote. Under bubblewrap, commands cannot write them',
  'コマンドは .git/config とフックに書き込めます。検査はコマンドの終了時に行うため、それまでは、書き込まれた内容をあなたの git が読むことがあります。bubblewrap では書き込めません',
);

/** A person signs, logs in and has their own programs: commands have neither keys nor passwords. */
function withoutSettings(names: readonly string[]): Text {
  return text(
    `commands do not have these of your git settings: ${names.join(', ')}; a reply says so where a commit becomes another for it`,
    `コマンドでは、次の git 設定は使われません: ${names.join(', ')}。そのためにコミットが変わる場合は、応答に示されます`,
  );
}

/** Without layers, decisions that need one are made more strictly. */
function withoutLayer(why: Text, { process, rules }: Settings): Text {
  const direct = text(
    `${why.en}; commands run on the folders themselves, which are compared before and after`,
    `${why.ja}。コマンドはフォルダーを直接使い、その前後にフォルダーを調べます`,
  );
  if (!process.tryFirst && !rules.some(({ decision }) => decision === 'try')) return direct;
  return text(
    `${direct.en}; what would be tried first is asked about or refused instead`,
    `${direct.ja}。先に試すはずのものは、確認または拒否になります`,
  );
}

const switchedOff = text(
  '"process": { "layer": "off" } in the configuration; commands run on the folders themselves, which are compared before and after, except those that are tried or discard their changes on failure',
  '設定の "process": { "layer": "off" } により、コマンドはフォルダーを直接使い、その前後にフォルダーを調べます。試すコマンドと、失敗時に変更を捨てるコマンドはレイヤーを使います',
);

const selfTested = text('self-test passed', '自己診断は正常');
const tryThis = text('try', '対処');

// Padded to the same width at a terminal.
const states = {
  ok: text('ok     ', '正常'),
  warning: text('warning', '注意'),
  missing: text('missing', '不足'),
} as const;

/** The finding for programs, which read the other fields. */
function inWords({ detail, remedy, ...finding }: Finding): object {
  return { ...finding, detail: inLocale(detail), ...(remedy !== undefined && { remedy: inLocale(remedy) }) };
}

function lineOf({ what, works, isWarning, detail, remedy }: Finding): string {
  const state = inLocale(works ? states.ok : isWarning ? states.warning : states.missing);
  const line = `${state}  ${what.padEnd(20)} ${inLocale(detail)}`;
  return remedy === undefined || works ? line : `${line}\n         ${inLocale(tryThis)}: ${inLocale(remedy)}`;
}
