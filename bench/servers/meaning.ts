/**
 * Prints what finding memories by their meaning costs the processor: the mean of 50 questions over so many memories of one
 * user, without the time of an endpoint. Vectors are made up: two hundred topics, and a lean that all share.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf, packVector } from '../../src/store/embeddings/codes.ts';
import { openStore } from '../../src/store/open-store.ts';

const count = Number(process.argv[2]);
const dimensions = 1024;
const questions = 50;
const unsynced = { durable: false };
const folder = mkdtempSync(join(tmpdir(), 'sekisho-bench-'));
const noise = Float32Array.from({ length: 1 << 20 }, gauss);
/** Of a unit vector's components. */
const spread = 1 / Math.sqrt(dimensions);
const lean = vectorOf(gauss);
const topics = Array.from({ length: 200 }, () => vectorOf(gauss));

let question = new Float32Array();
const store = await openStore({
  url: `sqlite:${join(folder, 'records.db')}`,
  stateFolder: folder,
  embeddings: {
    model: 'made-up',
    questionMs: 60_000,
    embedder: async () => ({ embed: async () => [question] }),
  },
});
const engine = await store.engine();
const wanted = await fill();
const meaning = await store.meaning?.();
if (!meaning) throw new Error('the store does not embed');

await ask(0);
const before = process.cpuUsage();
let found = 0;
for (const [at, { seq }] of wanted.entries()) found += (await ask(at))[0]?.seq === seq ? 1 : 0;
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ ms: (user + system) / 1000 / wanted.length, found: found / wanted.length }));
await store.close();
rmSync(folder, { recursive: true, force: true });

/** A question lies near the memory that it is about, at a cosine of 0.7. */
async function ask(at: number) {
  const { vector } = wanted[at] ?? { vector: lean };
  question = vectorOf((place) => (vector[place] ?? 0) + gauss() * spread);
  return (await meaning?.near(engine, 'bench', 'a question', { tags: [] })) ?? [];
}

async function fill() {
  const asked: { readonly seq: number; readonly vector: Float32Array<ArrayBuffer> }[] = [];
  const owner = { owner: 'bench', memories: count, words: count, vector_rev: 1 };
  await engine.write((tx) => tx.insertInto('memory_owners').values(owner).execute());
  for (let first = 1; first <= count; first += 1000) {
    const seqs = Array.from({ length: Math.min(1000, count - first + 1) }, (_, at) => first + at);
    const vectors = seqs.map((seq) => {
      const vector = memoryVector();
      if (seq % Math.floor(count / questions) === 0) asked.push({ seq, vector });
      return { seq, vector };
    });
    await engine.write(async (tx) => {
      await engine.insertMany(tx, 'memories', seqs.map(memoryRow));
      const rows = vectors.map(({ seq, vector }) => ({
        seq,
        owner: 'bench',
        model: 'made-up',
        dimensions,
        code: codeOf(vector),
        vector: packVector(vector),
        rev: 1,
        attempts: 0,
        due_at_ms: null,
      }));
      await engine.insertMany(tx, 'memory_vectors', rows);
    }, unsynced);
  }
  return asked;
}

function memoryRow(seq: number) {
  const times = { created_at_ms: 0, updated_at_ms: 0 };
  const labels = { category: 'general', category_key: 'general', tags: '[]', tags_key: '\n\n' };
  return {
    seq,
    id: `m${seq}`,
    owner: 'bench',
    content: `note ${seq}`,
    gist: `g${seq}`,
    words: 'note',
    ...labels,
    ...times,
  };
}

function memoryVector() {
  const topic = topics[Math.floor(Math.random() * topics.length)] ?? lean;
  const from = Math.floor(Math.random() * (noise.length - dimensions));
  return vectorOf((at) => 0.8 * (lean[at] ?? 0) + 0.8 * (topic[at] ?? 0) + (noise[from + at] ?? 0) * spread);
}

function vectorOf(valueAt: (at: number) => number): Float32Array<ArrayBuffer> {
  const vector = Float32Array.from({ length: dimensions }, (_, at) => valueAt(at));
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function gauss(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}
