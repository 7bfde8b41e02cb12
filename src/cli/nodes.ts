import { openCheckpoint } from '../checkpoint/index.ts';
import { loadSettings } from '../config/load.ts';
import type { Flags } from '../config/settings.ts';
import type { NodeView } from '../contract/nodes.ts';
import { type Locale, text } from '../contract/text/text.ts';
import { say, sayJson } from './common/say.ts';

/** Prints the servers on this store, with their load and version. Exit code 1 if one is lost. */
export async function showNodes(flags: Flags, { json }: { readonly json?: boolean }): Promise<number> {
  const settings = loadSettings(flags);
  await using checkpoint = await openCheckpoint(settings);
  const nodes = await (await checkpoint.store()).nodes.list();
  if (json) for (const node of nodes) sayJson(node);
  else if (nodes.length === 0)
    say(
      'No server serves over HTTP on this store.',
      'このストアで HTTP を提供しているサーバーはありません。',
    );
  else for (const node of nodes) say(lineOf(node, settings.locale));
  return nodes.some(({ state }) => state === 'lost') ? 1 : 0;
}

function lineOf(node: NodeView, locale: Locale): string {
  const { host, address, version, pid, calls, load, residentBytes, clockAheadMs, seenAgoMs } = node;
  const clock = Math.abs(clockAheadMs) < noticedMs ? undefined : wrongClock(clockAheadMs)[locale];
  const seen = node.state === 'lost' ? lastSeen(seenAgoMs)[locale] : undefined;
  return [
    `${host}:${pid}`.padEnd(24),
    address.padEnd(22),
    version.padEnd(8),
    states[node.state][locale].padEnd(8),
    callsOf(calls)[locale].padEnd(10),
    `CPU ${Math.round(load * 100)} %`.padEnd(10),
    `${Math.round(residentBytes / 1024 / 1024)} MiB`,
    ...[seen, clock].filter((word) => word !== undefined),
  ].join('  ');
}

function callsOf(calls: number) {
  return text(calls === 1 ? '1 call' : `${calls} calls`, `呼び出し ${calls} 件`);
}

function lastSeen(agoMs: number) {
  const seconds = Math.round(agoMs / 1000);
  return text(`last seen ${seconds} s ago`, `最後の応答は ${seconds} 秒前`);
}

function wrongClock(aheadMs: number) {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return aheadMs > 0
    ? text(`its clock is ${seconds} s ahead`, `時計が ${seconds} 秒進んでいます`)
    : text(`its clock is ${seconds} s behind`, `時計が ${seconds} 秒遅れています`);
}

const states = {
  serving: text('serving', '提供中'),
  draining: text('draining', '停止準備中'),
  lost: text('lost', '応答なし'),
};
/** Machines with time servers differ by less. */
const noticedMs = 2000;
