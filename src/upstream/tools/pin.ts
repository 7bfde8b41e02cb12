import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { WithheldTool } from '../../contract/upstream.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { writeWhole } from '../../ground/write-whole.ts';
import { definitionDigest, definitionOf, type RemoteTool, remoteTool, setDigest } from './definition.ts';
import { inspectSet, inspectTool } from './inspect.ts';

/** The tools of a server that a person approved, and those that wait for review. */
export interface Pin {
  /** By remote name. */
  readonly approved: ReadonlyMap<string, RemoteTool>;
  readonly digests: ReadonlyMap<string, string>;
  readonly held: readonly WithheldTool[];
  /** The server's whole list if it differs from the approved one. */
  readonly pending?: readonly RemoteTool[] | undefined;
  readonly offers: { readonly resources: boolean; readonly prompts: boolean };
}

/** The pins of all servers, one file each, in the state folder that no tool can reach. */
export type Pins = ReturnType<typeof openPins>;

/** Old and new definitions, for a person's review. */
export interface Review {
  readonly digest: string;
  readonly changes: readonly (WithheldTool & {
    readonly before?: RemoteTool | undefined;
    readonly after: RemoteTool;
  })[];
  readonly removed: readonly string[];
}

/** The pin file is damaged. What was approved is unknown, so none of the server's tools are served. */
export class PinProblem extends Error {}

const pinFile = z.strictObject({
  version: z.literal(1),
  server: z.string(),
  set: z.string(),
  approved: z.array(z.strictObject({ digest: z.string(), tool: remoteTool })),
  pending: z.array(remoteTool).optional(),
  offers: z.strictObject({ resources: z.boolean(), prompts: z.boolean() }),
});

type PinFile = z.output<typeof pinFile>;

export function openPins(folder: string) {
  const pathOf = (server: string) => join(folder, `${server}.json`);

  function load(server: string): PinFile | undefined {
    let words: string;
    try {
      words = readFileSync(pathOf(server), 'utf8');
    } catch (error) {
      if (errnoCode(error) === 'ENOENT') return undefined;
      throw new PinProblem('it cannot be read', { cause: error });
    }
    return believe(words, server);
  }

  function save(file: PinFile): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeWhole(pathOf(file.server), `${JSON.stringify(file, null, 1)}\n`);
  }

  return {
    /** Undefined for a server that has never run. Throws `PinProblem` if the file cannot be trusted. */
    read(server: string): Pin | undefined {
      const file = load(server);
      return file && pinOf(file);
    },
    /** Compares a server's list with its pin and stores changes. A server's first list is pinned. */
    compare(server: string, listed: readonly RemoteTool[], offers: Pin['offers']): Pin {
      const tools = unique(listed.map(definitionOf));
      const before = load(server);
      if (!before) {
        const findings = new Map(tools.map((tool) => [tool, inspectTool(tool)]));
        const spread = inspectSet(findings).length > 0;
        const fine = spread ? [] : tools.filter((tool) => findings.get(tool)?.length === 0);
        const isAllFine = fine.length === tools.length;
        const file = fileOf(server, fine, isAllFine ? undefined : tools, offers);
        save(file);
        return pinOf(file);
      }
      const approved = before.approved.map(({ tool }) => tool);
      const isSame = setDigest(tools.map(definitionDigest)) === before.set;
      const file = fileOf(server, approved, isSame ? undefined : tools, offers);
      if (JSON.stringify(file) !== JSON.stringify(before)) save(file);
      return pinOf(file);
    },
    /** The changes that wait for review, with a digest of exactly these. */
    review(server: string): Review | undefined {
      const file = load(server);
      return file?.pending && reviewOf(pinOf(file));
    },
    /** Approves the changes with this digest. False if others wait by now. */
    approve(server: string, digest: string) {
      const before = load(server);
      const pending = before?.pending as readonly RemoteTool[] | undefined;
      if (!before || !pending || digestOf(pending) !== digest) return false;
      save(fileOf(server, pending, undefined, before.offers));
      return true;
    },
    /** Removes the pin: the server's next list counts as its first. */
    forget(server: string) {
      rmSync(pathOf(server), { force: true });
    },
    /** Changes when the file does. */
    stamp(server: string) {
      const stat = statSync(pathOf(server), { throwIfNoEntry: false });
      return stat ? `${stat.mtimeMs} ${stat.ino} ${stat.size}` : '';
    },
  };
}

function believe(words: string, server: string): PinFile {
  let file: PinFile;
  try {
    file = pinFile.parse(JSON.parse(words));
  } catch (error) {
    throw new PinProblem('it is damaged', { cause: error });
  }
  const digests = file.approved.map(({ tool }) => definitionDigest(tool as RemoteTool));
  const isWhole =
    file.server === server &&
    file.approved.every(({ digest }, index) => digest === digests[index]) &&
    file.set === setDigest(digests);
  if (!isWhole) throw new PinProblem('its digests do not fit');
  return file;
}

function fileOf(
  server: string,
  approved: readonly RemoteTool[],
  pending: readonly RemoteTool[] | undefined,
  offers: Pin['offers'],
): PinFile {
  const entries = approved.map((tool) => ({ digest: definitionDigest(tool), tool }));
  const file = {
    version: 1,
    server,
    set: setDigest(entries.map(({ digest }) => digest)),
    approved: entries,
    ...(pending && { pending }),
    offers: { resources: offers.resources, prompts: offers.prompts },
  };
  // Converted to JSON and back, so that it equals a file that was read.
  return JSON.parse(JSON.stringify(file)) as PinFile;
}

function pinOf(file: PinFile): Pin {
  const approved = new Map(file.approved.map(({ tool }) => [tool.name, tool as RemoteTool]));
  const pending = file.pending as readonly RemoteTool[] | undefined;
  const digests = new Map(file.approved.map(({ tool, digest }) => [tool.name, digest]));
  return { approved, digests, held: withheldOf(approved, pending ?? []), pending, offers: file.offers };
}

function withheldOf(
  approved: ReadonlyMap<string, RemoteTool>,
  pending: readonly RemoteTool[],
): readonly WithheldTool[] {
  const held: WithheldTool[] = [];
  const inspected = new Map(pending.map((tool) => [tool, inspectTool(tool)]));
  const spread = inspectSet(inspected);
  for (const [tool, alone] of inspected) {
    const before = approved.get(tool.name);
    if (before && definitionDigest(before) === definitionDigest(tool)) continue;
    const findings = [...alone, ...spread.map((finding) => `together with others: ${finding}`)];
    const why = before ? 'changed' : findings.length > 0 ? 'flagged' : 'added';
    held.push({ name: tool.name, why, findings });
  }
  return held;
}

function reviewOf({ approved, held, pending = [] }: Pin): Review {
  const after = new Map(pending.map((tool) => [tool.name, tool]));
  return {
    digest: digestOf(pending),
    changes: held.flatMap((tool) => {
      const to = after.get(tool.name);
      return to ? [{ ...tool, before: approved.get(tool.name), after: to }] : [];
    }),
    removed: [...approved.keys()].filter((name) => !after.has(name)),
  };
}

function digestOf(tools: readonly RemoteTool[]): string {
  return setDigest(tools.map(definitionDigest)).slice(0, 16);
}

/** Keeps the first of each name: a server with two of one name could show one and run the other. */
function unique(tools: readonly RemoteTool[]): readonly RemoteTool[] {
  const byName = new Map<string, RemoteTool>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()];
}
