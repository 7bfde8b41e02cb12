import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as z from 'zod';
import { type Former, readJournal } from '../command/journal/journal.ts';
import { putBack } from '../command/journal/put-back.ts';
import { sideOf, statAt } from '../command/layer/entries.ts';
import { putAttributesBack } from '../command/watched/put-attributes-back.ts';
import type { Attribution } from '../contract/capabilities/history.ts';
import type { LandingKeeper, LandingSide } from '../contract/capabilities/landing.ts';
import { mayLive, owner, thisProcess } from '../files/changing/under-way.ts';
import { isBelow } from '../ground/inside.ts';
import { fromText, toText } from '../ground/machine/byte-paths.ts';
import { jsonOf } from '../ground/or-else.ts';

/**
 * Opens a folder below `base` for one command. If the server is killed, the next one records the changes noted in it.
 */
export function openRecording(base: string, roots: readonly string[], who: Attribution) {
  const folder = join(base, `${prefix}${randomBytes(8).toString('hex')}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, head), JSON.stringify({ owner: thisProcess(), who, roots }));
  return {
    folder,
    /** Records the command's changes, or with `back` reverts all of them first. The command has ended by then. */
    async end(
      keeper: LandingKeeper,
      {
        back = false,
        ours = new Set<string>(),
      }: { readonly back?: boolean; readonly ours?: ReadonlySet<string> } = {},
    ) {
      const formers = readJournal(folder);
      if (back) {
        putBack(formers, roots);
        await putAttributesBack(folder, roots);
      }
      await enter(formers, roots, keeper, ours);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Records the changes of killed servers' commands. */
export async function recoverRecordings(
  base: string,
  keeperFor: (who: Attribution) => LandingKeeper,
): Promise<void> {
  if (!existsSync(base)) return;
  for (const name of readdirSync(base)) {
    const folder = join(base, name);
    if (!name.startsWith(prefix) || !existsSync(join(folder, head))) continue;
    const left = heads.safeParse(jsonOf(readFileSync(join(folder, head), 'utf8')));
    // A crash cut the header off, so nothing had been changed.
    if (left.success && mayLive(left.data.owner, join(folder, head))) continue;
    if (left.success) await enter(readJournal(folder), left.data.roots, keeperFor(left.data.who), new Set());
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reports the states of each path in order; new folders before their content, removed ones after it. */
async function enter(
  formers: readonly Former[],
  roots: readonly string[],
  keeper: LandingKeeper,
  ours: ReadonlySet<string>,
): Promise<void> {
  const byPath = Map.groupBy(formers, ({ path }) => path);
  const made = [...byPath].filter(([, [first]]) => first?.kind === 'absent');
  const others = [...byPath].filter(([, [first]]) => first?.kind !== 'absent');
  for (const [path, states] of [...made.toSorted(byName), ...others.toSorted(byName).toReversed()]) {
    const root = roots.find((each) => isBelow(path, fromText(each)));
    if (root === undefined) continue;
    const shown = toText(relative(fromText(root), path));
    const sides = [...states.map(sideOfFormer), sideNow(path, ours.has(toText(path)))];
    for (let at = 0; at + 1 < sides.length; at++)
      if (sides[at] ?? sides[at + 1])
        await keeper.note({ root, path: shown, before: sides[at], after: sides[at + 1] });
  }
  await keeper.begin();
  await keeper.end(true);
}

function sideOfFormer({ kind, bytes, mode, kept }: Former): LandingSide | undefined {
  return kind === 'absent' ? undefined : { kind, bytes, mode, entry: kept ?? '' };
}

/** `isOthers`: a tool changed the path since, and that change has its own entry. */
function sideNow(path: string, isOthers: boolean): LandingSide | undefined {
  const stat = statAt(path);
  const side = stat && sideOf(stat, path);
  return side && isOthers ? { ...side, kind: 'other' } : side;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

const heads = z.object({
  owner,
  who: z.object({ principal: z.string(), sessionId: z.string(), tool: z.string(), auditId: z.string() }),
  roots: z.array(z.string()),
});
const prefix = 'watched-';
const head = 'owner';
