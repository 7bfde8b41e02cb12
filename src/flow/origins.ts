import type { FlowSource } from '../contract/flow.ts';

/** The places of an occurrence, as bits. */
export const stood = {
  /** In prose, which an attacker may have written as an instruction. */
  prose: 1,
  /** As a short field of a record that no untrusted text asked for. */
  field: 2,
  /** As a short field of a record that was fetched with words of the user. */
  rooted: 4,
  /** In the user's own data, before it occurred anywhere else. */
  own: 8,
  /** As a short field of a record that untrusted text asked for. */
  led: 16,
} as const;

export interface Origin {
  readonly flags: number;
  /** Undefined if it was read so long ago that only the fact is kept. */
  readonly source?: FlowSource | undefined;
  readonly line?: number | undefined;
}

/** Origins of words: the newest with their source, older ones as the bare fact. Limited in memory. */
export type Origins = ReturnType<typeof createOrigins>;

const maxSources = 800;

/** Two generations of `slots` entries; entries that leave the older go into `folded`, if given. */
export function createOrigins(slots: number, folded?: Folded) {
  let young = createGeneration(slots);
  let old = createGeneration(0);

  return {
    add(key: number, flags: number, source: FlowSource, line: number) {
      const fresh = young.flagsOf(key);
      const before = fresh || old.flagsOf(key);
      // Text that a stranger wrote first does not become the user's own when it is stored and read again.
      const kept = before === 0 ? flags : before | (flags & ~stood.own);
      if (kept === fresh) return;
      const known = before === 0 ? undefined : (young.find(key) ?? old.find(key));
      const first = known?.source && (before & stood.prose || !(flags & stood.prose)) ? known : undefined;
      if (young.add(key, kept, first?.source ?? source, first?.line ?? line)) return;
      if (folded) old.each((each, itsFlags) => folded.add(each, itsFlags));
      // Reuse its tables: many sessions at once would otherwise wait for the garbage collector.
      [young, old] = [old.emptied(slots), young];
      young.add(key, kept, source, line);
    },
    find: (key: number): Origin | undefined => young.find(key) ?? old.find(key) ?? folded?.find(key),
  };
}

interface Generation {
  /** False if it is full. */
  add(key: number, flags: number, source: FlowSource, line: number): boolean;
  find(key: number): Origin | undefined;
  /** 0 if it is not there. */
  flagsOf(key: number): number;
  each(hear: (key: number, flags: number) => void): void;
  emptied(slots: number): Generation;
}

/** An open hash table in typed arrays, which grows up to `most` entries. */
function createGeneration(most: number): Generation {
  let size = Math.min(most, 1024);
  let table = createTable(size);
  let count = 0;
  let sources: FlowSource[] = [];

  function placeOf(key: number, at = table): number {
    const mask = at.keys.length - 1;
    let place = Math.imul(key, 0x9e3779b1) >>> 0;
    place = (place ^ (place >>> 16)) & mask;
    while (at.flags[place] && at.keys[place] !== key) place = (place + 1) & mask;
    return place;
  }

  function grow(): void {
    const former = table;
    size *= 2;
    table = createTable(size);
    former.flags.forEach((flags, place) => {
      if (flags) copy(former, place, table, placeOf(former.keys[place] ?? 0));
    });
  }

  const generation: Generation = {
    add(key, flags, source, line) {
      if (size === 0) return false;
      if (count >= size * 0.75) {
        if (size >= most) return false;
        grow();
      }
      if (sources.at(-1) !== source) {
        if (sources.length >= maxSources) return false;
        sources.push(source);
      }
      const place = placeOf(key);
      if (!table.flags[place]) count++;
      table.keys[place] = key;
      table.flags[place] = flags;
      table.sources[place] = sources.length - 1;
      table.lines[place] = Math.min(line, 0xffff);
      return true;
    },
    find(key) {
      if (count === 0) return undefined;
      const place = placeOf(key);
      const flags = table.flags[place];
      if (!flags) return undefined;
      return { flags, source: sources[table.sources[place] ?? 0], line: table.lines[place] };
    },
    flagsOf: (key) => (count === 0 ? 0 : (table.flags[placeOf(key)] ?? 0)),
    each(hear) {
      table.flags.forEach((flags, place) => {
        if (flags) hear(table.keys[place] ?? 0, flags);
      });
    },
    emptied(slots) {
      if (size === 0) return createGeneration(slots);
      table.flags.fill(0);
      count = 0;
      sources = [];
      return generation;
    },
  };
  return generation;
}

type Table = ReturnType<typeof createTable>;

function createTable(size: number) {
  return {
    keys: new Uint32Array(size),
    flags: new Uint8Array(size),
    sources: new Uint16Array(size),
    lines: new Uint16Array(size),
  };
}

function copy(from: Table, place: number, to: Table, target: number): void {
  to.keys[target] = from.keys[place] ?? 0;
  to.flags[target] = from.flags[place] ?? 0;
  to.sources[target] = from.sources[place] ?? 0;
  to.lines[target] = from.lines[place] ?? 0;
}

/** Records that and how something was read, but not where: a Bloom filter, with false positives. */
export type Folded = ReturnType<typeof createFolded>;

const bits = 1 << 22;

export function createFolded() {
  let filter: Uint8Array | undefined;
  const kinds = Object.values(stood);
  const places = (key: number, kind: number) =>
    [0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f].map((factor) => {
      const mixed = Math.imul((key ^ Math.imul(kind, 0x9e3779b1)) >>> 0, factor) >>> 0;
      return ((mixed ^ (mixed >>> 15)) >>> 0) & (bits - 1);
    });
  return {
    add(key: number, flags: number) {
      filter ??= new Uint8Array(bits / 8);
      for (const kind of kinds) {
        if (!(flags & kind)) continue;
        for (const place of places(key, kind))
          filter[place >> 3] = (filter[place >> 3] ?? 0) | (1 << (place & 7));
      }
    },
    find(key: number): Origin | undefined {
      const held = filter;
      if (!held) return undefined;
      const has = (kind: number) =>
        places(key, kind).every((place) => (held[place >> 3] ?? 0) & (1 << (place & 7)));
      const flags = kinds.reduce((sum, kind) => (has(kind) ? sum | kind : sum), 0);
      return flags === 0 ? undefined : { flags };
    },
  };
}
