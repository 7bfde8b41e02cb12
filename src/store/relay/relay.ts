import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import { ToolError } from '../../contract/error.ts';
import type { Relay } from '../../contract/nodes.ts';
import { text } from '../../contract/text/text.ts';
import { defer } from '../../ground/waiting/defer.ts';
import type { Engine, OpenEngine } from '../engine.ts';
import { nodeLostMs } from '../nodes.ts';
import { randomId } from '../random-id.ts';
import { deleteRows, findRow, insertRow, selectRows, updateRows } from '../rows.ts';
import type { Tables } from '../tables/tables.ts';

type Answer = (body: string, signal: AbortSignal) => Promise<string>;

interface Word {
  readonly id: string;
  readonly name: string;
  readonly body: string;
}

/** Messages go through the store, so servers need not reach each other. */
export class StoreRelay implements Relay {
  readonly #openEngine: OpenEngine;
  readonly node = randomId('node_', 16);
  readonly #sealing: ReturnType<typeof createSealing>;
  readonly #held = new Map<string, Answer>();
  /** Requests to us, until they are answered or no longer waited for. */
  readonly #answering = new Map<string, AbortController>();
  /** By key: the number of requests being answered, and the release to call afterwards. */
  readonly #busy = new Map<string, { words: number; release?: () => void }>();
  readonly #closed = new AbortController();
  #hearing: Promise<void> | undefined;

  constructor(openEngine: OpenEngine, key: () => Uint8Array) {
    this.#openEngine = openEngine;
    this.#sealing = createSealing(key);
  }

  async hold(name: string, answer: Answer): Promise<(() => void) | undefined> {
    const engine = await this.#openEngine();
    const isOurs = await engine.write((tx) => take(engine, tx, name, this.node), { durable: false });
    if (!isOurs) return undefined;
    this.#held.set(name, answer);
    this.#hearing ??= this.#hear();
    // If it fails, the next `hold` restarts it.
    this.#hearing.catch(() => {});
    return () => {
      if (this.#held.get(name) !== answer) return;
      this.#held.delete(name);
      const gone = (tx: Transaction<Tables>) => deleteRows(tx, 'relay_keys', { name, node: this.node });
      const release = () => {
        // A row that stays is ignored once this server is gone.
        if (!this.#held.has(name)) engine.write(gone, { durable: false }).catch(() => {});
      };
      // Askers assume that we are gone when the key is, so release it after the last answer.
      const begun = this.#busy.get(name);
      if (begun) begun.release = release;
      else release();
    };
  }

  async ask(name: string, body: string, given: AbortSignal): Promise<string | undefined> {
    const signal = AbortSignal.any([given, this.#closed.signal]);
    const engine = await this.#openEngine();
    const holder = await holderOf(engine, name);
    if (holder === undefined || holder === this.node) return undefined;
    const id = randomId('wrd_', 24);
    const word = {
      id,
      node: holder,
      name,
      body: this.#sealing.close(`${id} ask ${name}`, body),
      answer: null,
      at_ms: engine.now(),
    };
    await engine.write((tx) => insertRow(tx, 'relay_words', word), { durable: false });
    engine.changes.tell(topic);
    for (;;) {
      if (this.#closed.signal.aborted) throw wentAway();
      const next = engine.changes.next(topic, lookMs, signal);
      // Read before the row: the key is released only after the answer is written.
      const isHeld = (await holderOf(engine, name)) === holder;
      const row = await findRow(engine.db, 'relay_words', { id });
      if (!row) return undefined;
      if (row.answer !== null) {
        // Already read; a row that stays is swept.
        this.#forget(id).catch(() => {});
        const said = this.#sealing.open(`${id} answer ${name}`, row.answer);
        if (said === failed) throw wentAway();
        return said.slice(done.length);
      }
      if (signal.aborted) {
        await this.#forget(id);
        throw signal.reason;
      }
      if (!isHeld) {
        await this.#forget(id);
        throw wentAway();
      }
      await next;
    }
  }

  close(): void {
    this.#closed.abort();
    for (const work of this.#answering.values()) work.abort();
  }

  async #hear(): Promise<void> {
    using _ = defer(() => (this.#hearing = undefined));
    const { changes, db } = await this.#openEngine();
    while (this.#held.size + this.#answering.size > 0 && !this.#closed.signal.aborted) {
      const next = changes.next(topic, lookMs, this.#closed.signal);
      const words = await selectRows(db, 'relay_words', { node: this.node, answer: null })
        .execute()
        // The next look gets what a failed one could not.
        .catch(() => undefined);
      if (words) this.#look(words);
      await next;
    }
  }

  #look(words: readonly Word[]): void {
    const asked = new Set(words.map(({ id }) => id));
    // Removed here and not when answered: a look that began earlier may still list it, and it would run twice.
    for (const [id, work] of this.#answering) {
      if (asked.has(id)) continue;
      work.abort();
      this.#answering.delete(id);
    }
    for (const word of words) if (!this.#answering.has(word.id)) void this.#answer(word);
  }

  async #answer({ id, name, body }: Word) {
    const work = new AbortController();
    this.#answering.set(id, work);
    const begun = this.#busy.get(name) ?? { words: 0 };
    this.#busy.set(name, begun);
    begun.words += 1;
    try {
      const how = this.#held.get(name);
      // The key was released; the request was not begun here.
      if (!how) return await this.#forget(id);
      // A failed request may have been begun, so the asker must not assume that nothing happened.
      const said = await Promise.try(() => this.#sealing.open(`${id} ask ${name}`, body))
        .then((opened) => how(opened, work.signal))
        .then((words) => `${done}${words}`)
        .catch(() => failed);
      const engine = await this.#openEngine();
      const answer = this.#sealing.close(`${id} answer ${name}`, said);
      await engine.write((tx) => updateRows(tx, 'relay_words', { id }, { answer }));
      engine.changes.tell(topic);
    } catch {
      // The asker stops waiting at the latest when this server is gone.
    } finally {
      begun.words -= 1;
      if (begun.words === 0) {
        this.#busy.delete(name);
        begun.release?.();
      }
    }
  }

  async #forget(id: string): Promise<void> {
    const engine = await this.#openEngine();
    const gone = (tx: Transaction<Tables>) => deleteRows(tx, 'relay_words', { id });
    await engine.write(gone, { durable: false });
    engine.changes.tell(topic);
  }
}

/** Takes the key, unless a live server has it. */
async function take(engine: Engine, tx: Transaction<Tables>, name: string, node: string): Promise<boolean> {
  const now = engine.clockMs;
  // No one waits that long; those servers are gone.
  await tx
    .deleteFrom('relay_words')
    .where(({ eb }) => eb('at_ms', '<', eb(now, '-', keptMs)))
    .execute();
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('relay_keys')
    .values({ name, node, at_ms: now })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ node, at_ms: now })
        .where(({ not, exists, selectFrom, or, eb }) =>
          or([
            eb('relay_keys.node', '=', node),
            not(
              exists(
                selectFrom('nodes')
                  .select('id')
                  .whereRef('nodes.id', '=', 'relay_keys.node')
                  .where('seen_at_ms', '>', eb(now, '-', nodeLostMs)),
              ),
            ),
          ]),
        ),
    )
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows ?? 0n) > 0;
}

/** The live server that owns the key. */
async function holderOf({ db, clockMs }: Engine, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('relay_keys')
    .innerJoin('nodes', 'nodes.id', 'relay_keys.node')
    .select('relay_keys.node')
    .where('relay_keys.name', '=', name)
    .where(({ eb }) => eb('nodes.seen_at_ms', '>', eb(clockMs, '-', nodeLostMs)))
    .executeTakeFirst();
  return row?.node;
}

function wentAway(): ToolError {
  return new ToolError(
    'unavailable',
    'The server that handled this call stopped before it answered.',
    'この呼び出しを受け持つサーバーが、応答する前に停止しました。',
    text(
      'It may have carried out part of the call: check before you repeat it.',
      '一部が実行された可能性があります。確認してからやり直してください。',
    ),
  );
}

const topic = 'relay';
/** The first character of an answer. */
const done = '+';
const failed = '-';
/** The longest delay by a lost notification. */
const lookMs = 1000;
const keptMs = 60 * 60 * 1000;

/**
 * Seals messages between servers, which include callers' tokens: reading the database reveals nothing, and writing to
 * it cannot forge one. Each is bound to its key and direction (`where`).
 */
function createSealing(key: () => Uint8Array) {
  return {
    close(where: string, words: string): string {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key(), nonce).setAAD(Buffer.from(where));
      const sealed = [nonce, cipher.update(words, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64');
    },
    /** Throws unless it was closed for this place with this key. */
    open(where: string, sealed: string): string {
      const bytes = Buffer.from(sealed, 'base64');
      const cipher = createDecipheriv('aes-256-gcm', key(), bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      }).setAAD(Buffer.from(where));
      cipher.setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([cipher.update(bytes.subarray(nonceBytes, -tagBytes)), cipher.final()]).toString(
        'utf8',
      );
    },
  };
}

const nonceBytes = 12;
const tagBytes = 16;
