import { closeSync, linkSync, lstatSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import type { WriteOptions } from '../../contract/capabilities/files.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { exists, fault, notFound } from '../fault.ts';
import { inFolder, inOwnFolder } from '../folders.ts';
import { closeInBackground } from '../io.ts';
import type { ProvenPath } from '../place-facts.ts';
import { readStat } from '../reading.ts';
import { entryOf } from '../walk.ts';
import { syncFolder } from './atomic.ts';
import { change, formerFile, observed, openFormer } from './change.ts';

/** Removes a file or an empty folder. */
export function remove(place: ProvenPath, options: WriteOptions): Promise<void> {
  return change(place, options, () =>
    inFolder(place, place.components.length - 1, false, async (folder, name) => {
      const stat = lstatSync(entryOf(folder, name), { throwIfNoEntry: false });
      if (!stat) throw notFound(place.shown);
      if (stat.isDirectory()) {
        const former = {
          stat: readStat(entryOf(folder, name), false),
          read: () => Buffer.alloc(0),
          descriptor: -1,
        };
        await observed(place, { action: 'remove', former }, async (agreed) => {
          await agreed;
          attempt(place.shown, () => rmdirSync(entryOf(folder, name)));
          return { durable: syncFolder(folder) };
        });
      } else {
        const former = openFormer(place, folder, name, options.expected);
        using _ = defer(() => {
          if (former) closeInBackground(former.fd);
        });
        await observed(place, { action: 'remove', former: formerFile(former) }, async (agreed) => {
          await agreed;
          attempt(place.shown, () => unlinkSync(entryOf(folder, name)));
          return { durable: syncFolder(folder) };
        });
      }
    }),
  );
}

/** Renames a file or folder without replacing anything: `conflict` if the new name is taken. */
export function move(place: ProvenPath, target: ProvenPath, options: WriteOptions): Promise<void> {
  return change(place, options, async () => {
    target.assertWritable();
    await inFolder(place, place.components.length - 1, false, (folder, name) =>
      inOwnFolder(target, async (targetFolder, targetName) => {
        const from = entryOf(folder, name);
        const to = entryOf(targetFolder, targetName);
        const stat = lstatSync(from, { throwIfNoEntry: false });
        if (!stat) throw notFound(place.shown);
        if (stat.isDirectory()) {
          place.assertWritable(true);
          target.assertWritable(true);
          await place.facts.dependencies.observer?.mayChange?.();
          if (lstatSync(to, { throwIfNoEntry: false })) throw exists(target.shown);
          attempt(target.shown, () => renameSync(from, to));
        } else {
          const former = openFormer(place, folder, name, options.expected);
          using _ = defer(() => {
            if (former) closeSync(former.fd);
          });
          const movedFrom = formerFile(former);
          await observed(place, { action: 'move', former: movedFrom }, async (leaveAgreed) => {
            await leaveAgreed;
            await observed(target, { action: 'create', movedFrom }, async (agreed) => {
              await agreed;
              attempt(target.shown, () => linkSync(from, to));
              attempt(place.shown, () => unlinkSync(from));
              return { durable: settled };
            });
            return { durable: settled };
          });
        }
        // In this order, so that the file always has at least one of the names.
        await syncFolder(targetFolder);
        await syncFolder(folder);
      }),
    );
  });
}

function attempt(shown: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw fault(cause, shown);
  }
}

const settled = Promise.resolve();
