import { setImmediate as nextTurn } from 'node:timers/promises';

/** The packed codes of one owner's vectors with their memories. Only grows. */
export type CodeSet = ReturnType<typeof createCodeSet>;

export interface NearCode {
  readonly seq: number;
  /** Whether it is much nearer than most; always true if there are too few to tell. */
  readonly standsOut: boolean;
}

interface Chunk {
  readonly seqs: Float64Array;
  readonly codes: Uint32Array;
  used: number;
}

/** Codes of `codeBytes` bytes each, a multiple of four. */
export function createCodeSet(codeBytes: number) {
  const words = codeBytes / 4;
  const chunks: Chunk[] = [];
  let size = 0;
  let bytes = 0;

  function roomFor(): Chunk {
    const last = chunks.at(-1);
    if (last && last.used < last.seqs.length) return last;
    const capacity = Math.min(largestChunk, Math.max(smallestChunk, size));
    const chunk = { seqs: new Float64Array(capacity), codes: new Uint32Array(capacity * words), used: 0 };
    chunks.push(chunk);
    bytes += capacity * (8 + codeBytes);
    return chunk;
  }

  return {
    get bytes(): number {
      return bytes;
    },
    get size(): number {
      return size;
    },
    add(seq: number, code: Uint8Array) {
      const chunk = roomFor();
      chunk.seqs[chunk.used] = seq;
      chunk.codes.set(uint32View(code), chunk.used * words);
      chunk.used += 1;
      size += 1;
    },
    /** The `count` memories with the most similar codes, nearest first, each once. */
    async nearest(code: Uint8Array, count: number): Promise<readonly NearCode[]> {
      const wanted = uint32View(code);
      const seen: { readonly seqs: Float64Array; readonly distances: Uint16Array }[] = [];
      const histogram = new Uint32Array(codeBytes * 8 + 1);
      for (const { seqs, codes, used } of [...chunks]) {
        const distances = new Uint16Array(used);
        for (let from = 0; from < used; from += sliceCodes) {
          const to = Math.min(used, from + sliceCodes);
          measure(codes, wanted, distances, histogram, from, to);
          // Let others run in between.
          if (to - from === sliceCodes) await nextTurn();
        }
        seen.push({ seqs, distances });
      }
      return pick(seen, histogram, count);
    },
  };
}

function measure(
  codes: Uint32Array,
  wanted: Uint32Array,
  distances: Uint16Array,
  histogram: Uint32Array,
  from: number,
  to: number,
): void {
  const words = wanted.length;
  for (let at = from, word = from * words; at < to; at += 1) {
    let distance = 0;
    for (let w = 0; w < words; w += 1, word += 1) {
      let bits = (codes[word] as number) ^ (wanted[w] as number);
      bits -= (bits >>> 1) & 0x55555555;
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
      distance += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    distances[at] = distance;
    histogram[distance] = (histogram[distance] as number) + 1;
  }
}

function pick(
  seen: readonly { readonly seqs: Float64Array; readonly distances: Uint16Array }[],
  histogram: Uint32Array,
  count: number,
): readonly NearCode[] {
  let furthest = 0;
  for (let within = 0; furthest < histogram.length - 1; furthest += 1) {
    within += histogram[furthest] as number;
    if (within >= count) break;
  }
  const found: { readonly seq: number; readonly distance: number }[] = [];
  for (const { seqs, distances } of seen) {
    for (let at = 0; at < distances.length; at += 1) {
      const distance = distances[at] as number;
      if (distance <= furthest) found.push({ seq: seqs[at] as number, distance });
    }
  }
  found.sort((one, other) => one.distance - other.distance || other.seq - one.seq);
  const near = nearerThanMost(histogram);
  const nearest = new Map<number, NearCode>();
  for (const { seq, distance } of found) {
    if (nearest.size >= count) break;
    if (!nearest.has(seq)) nearest.set(seq, { seq, standsOut: distance <= near });
  }
  return [...nearest.values()];
}

/** The distance that is too small for chance: some standard deviations below the mean. */
function nearerThanMost(histogram: Uint32Array): number {
  let total = 0;
  let sum = 0;
  let squares = 0;
  for (const [distance, times] of histogram.entries()) {
    total += times;
    sum += times * distance;
    squares += times * distance * distance;
  }
  if (total < fewestToTell) return Number.POSITIVE_INFINITY;
  const mean = sum / total;
  return mean - deviationsApart * Math.sqrt(Math.max(0, squares / total - mean * mean));
}

/** Buffers of databases may start at any address; 32-bit words need a multiple of four. */
function uint32View(code: Uint8Array): Uint32Array {
  if (code.byteOffset % 4 === 0) return new Uint32Array(code.buffer, code.byteOffset, code.byteLength / 4);
  return new Uint32Array(code.slice().buffer);
}

/** With fewer, the distribution says nothing. */
const fewestToTell = 50;
const deviationsApart = 2.5;
const smallestChunk = 256;
const largestChunk = 65_536;
/** About a millisecond or two. */
const sliceCodes = 32_768;
