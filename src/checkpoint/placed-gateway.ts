import type { Arrival } from '../contract/call.ts';
import { ToolError } from '../contract/error.ts';
import type { Gateway, PromptGateway, ResourceGateway } from '../contract/gateway.ts';
import { limits } from '../contract/limits.ts';
import type { Checkpoint } from './open-checkpoint.ts';

/** Finds the checkpoint for the folders that a client works in; undefined if the present one is right. */
export type ChooseCheckpoint = (
  folders: readonly string[],
  present: Checkpoint,
) => Promise<Checkpoint | undefined>;

type Changed = Parameters<Gateway['onListChanged']>[0];

/**
 * The gateway of one connection, switched to another checkpoint once the client names another folder. The handshake's
 * data (name, instructions, kinds of lists) stays that of the first.
 */
export class PlacedGateway {
  readonly gateway: Gateway;
  readonly #choose: ChooseCheckpoint;
  readonly #listeners = new Set<Changed>();
  readonly #onFault: (error: unknown) => void;
  #present: Checkpoint;
  #forget: () => void;
  #left: Promise<unknown> = Promise.resolve();

  constructor(first: Checkpoint, choose: ChooseCheckpoint, onFault: (error: unknown) => void) {
    this.#present = first;
    this.#choose = choose;
    this.#onFault = onFault;
    this.#forget = this.#follow();
    const present = () => this.#present.gateway;
    this.gateway = {
      ...first.gateway,
      list: (arrival) => present().list(arrival),
      call: (call) => present().call(call),
      leave: (arrival) => present().leave(arrival),
      admits: (arrival) => present().admits(arrival),
      onListChanged: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      resources: first.gateway.resources && resourcesOf(present),
      prompts: first.gateway.prompts && promptsOf(present),
    };
  }

  get present(): Checkpoint {
    return this.#present;
  }

  /** Uses the folders of the client's answer. Background work in the folder that it left ends. */
  async place(folders: readonly string[], arrival: Arrival): Promise<void> {
    const former = this.#present;
    const next = await this.#choose(folders, former);
    if (!next) return;
    this.#forget();
    this.#present = next;
    this.#forget = this.#follow();
    for (const listener of this.#listeners) listener(undefined);
    const leaving = former.gateway.leave(arrival).finally(() => former.close(limits.stopGraceMs));
    this.#left = Promise.all([this.#left, leaving.catch(this.#onFault)]);
  }

  async close(graceMs: number): Promise<void> {
    this.#forget();
    await Promise.all([this.#left, this.#present.close(graceMs)]);
  }

  #follow(): () => void {
    return this.#present.gateway.onListChanged((connectionId) => {
      for (const listener of this.#listeners) listener(connectionId);
    });
  }
}

/** Answered by the present checkpoint, or empty if it has no resources. The former folder cannot be read any more. */
function resourcesOf(present: () => Gateway): ResourceGateway {
  return {
    list: async (...given) => (await present().resources?.list(...given)) ?? { resources: [] },
    read: (...given) => present().resources?.read(...given) ?? Promise.reject(notServed()),
    subscribe: (...given) => present().resources?.subscribe(...given) ?? Promise.reject(notServed()),
    onChanged: (listener) => present().resources?.onChanged?.(listener) ?? (() => {}),
    templates: async (...given) => (await present().resources?.templates?.(...given)) ?? [],
  };
}

function promptsOf(present: () => Gateway): PromptGateway {
  return {
    list: async (...given) => (await present().prompts?.list(...given)) ?? [],
    get: (...given) => present().prompts?.get(...given) ?? Promise.reject(notServed()),
    complete: (...given) => present().prompts?.complete(...given) ?? Promise.reject(notServed()),
    onChanged: (listener) => present().prompts?.onChanged(listener) ?? (() => {}),
  };
}

function notServed(): ToolError {
  return new ToolError(
    'not_found',
    'The project that you work in has none.',
    '作業中のプロジェクトにはありません。',
  );
}
