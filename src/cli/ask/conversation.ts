import { randomUUID } from 'node:crypto';
import type { AskPerson } from '../../ask/carry-out.ts';
import { instructionsFor } from '../../ask/instructions.ts';
import { type Asked, ask } from '../../ask/loop.ts';
import type { Endpoint } from '../../ask/model/endpoint.ts';
import { errorEvent } from '../../ask/model/events.ts';
import { type Model, openModel } from '../../ask/model/model.ts';
import { countQuestion } from '../../ask/question-rate.ts';
import { recentTurns } from '../../ask/transcript.ts';
import type { Checkpoint } from '../../checkpoint/index.ts';
import type { Arrival } from '../../contract/call.ts';
import { ToolError } from '../../contract/error.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { versionOf } from '../common/version.ts';
import type { SessionFile } from './sessions.ts';
import type { View } from './view.ts';

/** A model, its tools and the messages so far. */
export type Conversation = ReturnType<typeof openConversation>;

export interface ConversationOptions {
  readonly checkpoint: Checkpoint;
  readonly endpoint: Endpoint;
  readonly session?: SessionFile | undefined;
  readonly view: View;
  readonly headless: boolean;
  readonly askPerson?: AskPerson | undefined;
  readonly retryDelaysMs?: readonly number[] | undefined;
  readonly now?: (() => number) | undefined;
}

/** The part of one result that the model reads; it can request the rest. */
const maxResultChars = 60_000;
/** The size of a kept conversation; models are sent less (`contextChars`). */
const keptChars = 4_000_000;

export function openConversation(options: ConversationOptions) {
  const { checkpoint, session, view } = options;
  const { gateway, settings } = checkpoint;
  const now = options.now ?? Date.now;
  // An approval "for this session" ends with the process, even if the conversation is resumed.
  const arrival: Arrival = {
    transport: 'ask',
    connectionId: `ask-${randomUUID()}`,
    client: { name: 'sekisho ask', version: versionOf() },
  };
  let endpoint = options.endpoint;
  let model: Promise<Model> | undefined;
  let messages = session?.saved.messages ?? [];

  function opened(): Promise<Model> {
    const { retryDelaysMs } = options;
    model ??= checkpoint.rooms
      .lendingFetch()
      .then((send) => openModel(endpoint, { send, ...(retryDelaysMs && { retryDelaysMs }) }));
    return model;
  }

  function save(): void {
    session?.save({ model: endpoint.name, messages });
  }

  return {
    get endpoint(): Endpoint {
      return endpoint;
    },
    async ask(question: string, signal: AbortSignal): Promise<Pick<Asked, 'reason' | 'error'>> {
      const { perMinute, maxRounds } = settings.ask;
      const { rates } = await checkpoint.store();
      try {
        await countQuestion(rates, 'local', perMinute, now());
      } catch (error) {
        if (!(error instanceof ToolError) || error.code !== 'rate_limited') throw error;
        view.show(errorEvent(error, settings.locale));
        view.show({ type: 'end', reason: 'failed', rounds: 0 });
        return { reason: 'failed', error };
      }
      const asked = await ask(question, messages, {
        gateway,
        arrival: { ...arrival, said: question, model: endpoint.name },
        model: await opened(),
        instructions: instructionsFor({
          gateway: gateway.instructions,
          locale: settings.locale,
          nowMs: now(),
          timeZone: settings.assistant.timeZone,
        }),
        maxRounds,
        maxResultChars,
        headless: options.headless,
        askPerson: options.askPerson,
        signal,
        onEvent: (event) => view.show(event),
      });
      messages = recentTurns(asked.messages, keptChars);
      save();
      return asked;
    },
    /** Forgets the messages. */
    clear() {
      messages = [];
      save();
    },
    useModel(chosen: Endpoint) {
      endpoint = chosen;
      model = undefined;
      save();
    },
    tools: async (): Promise<readonly Tool[]> => (await gateway.list(arrival)).tools,
    async close() {
      session?.close();
      await gateway.leave(arrival);
    },
  };
}
