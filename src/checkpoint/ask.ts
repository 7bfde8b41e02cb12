import { type Endpoint, endpointOf } from '../ask/model/endpoint.ts';
import { createAskService } from '../ask/service.ts';
import type { Settings } from '../config/settings.ts';
import type { AskService } from '../contract/ask.ts';
import { ConfigError, ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import type { Checkpoint } from './open-checkpoint.ts';

export interface AskServing {
  readonly onFault?: ((error: unknown) => void) | undefined;
  readonly now?: (() => number) | undefined;
  readonly retryDelaysMs?: readonly number[] | undefined;
}

/** Questions to the configured models over HTTP. Loaded at the first question. */
export function openAskService(checkpoint: Checkpoint, options: AskServing = {}): AskService {
  const { gateway, settings } = checkpoint;
  return createAskService({
    gateway,
    identify: checkpoint.identify,
    modelFor: (name) => modelFor(settings, name, options.onFault),
    send: () => checkpoint.rooms.lendingFetch(),
    sessions: async () => (await checkpoint.store()).askSessions,
    rates: async () => (await checkpoint.store()).rates,
    perMinute: settings.ask.perMinute,
    maxRounds: settings.ask.maxRounds,
    timeZone: settings.assistant.timeZone,
    version: gateway.info.version,
    now: options.now ?? Date.now,
    retryDelaysMs: options.retryDelaysMs,
    onFault: options.onFault,
  });
}

/** Only configured models: callers over the network may name neither servers nor keys. */
function modelFor(
  { models, ask }: Settings,
  name: string | undefined,
  onFault: AskServing['onFault'],
): Endpoint {
  const names = Object.keys(models);
  if (names.length === 0)
    throw new ToolError(
      'unavailable',
      'No model is configured here.',
      'モデルが設定されていません。',
      text('The operator sets `models` in the configuration.', '運用者が設定の `models` で指定します。'),
    );
  const chosen = name ?? ask.model ?? (names.length === 1 ? names[0] : undefined);
  const settings = chosen !== undefined && Object.hasOwn(models, chosen) ? models[chosen] : undefined;
  if (chosen === undefined || !settings) throw unknownModel(chosen, names);
  try {
    return endpointOf(chosen, settings, process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    onFault?.(error);
    throw new ToolError(
      'unavailable',
      `The model ${chosen} is not set up: its key is missing.`,
      `モデル ${chosen} のキーがありません。`,
      text(
        'Tell the operator; the log names the environment variable.',
        '運用者に知らせてください。環境変数の名前はログにあります。',
      ),
    );
  }
}

function unknownModel(name: string | undefined, names: readonly string[]): ToolError {
  const list = names.join(', ');
  return new ToolError(
    'not_found',
    name === undefined
      ? text('Which model?', 'モデルを指定してください。')
      : text(`There is no model ${JSON.stringify(name)}.`, `モデル ${JSON.stringify(name)} はありません。`),
    text(`Set model to one of: ${list}.`, `model に次のどれかを指定してください: ${list}`),
  );
}
