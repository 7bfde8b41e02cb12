import { type Endpoint, endpointOf } from '../../ask/model/endpoint.ts';
import { withDefaults } from '../../config/models.ts';
import type { ModelSettings } from '../../contract/capabilities/model.ts';
import { ConfigError } from '../../contract/error.ts';

export interface ModelChoice {
  readonly models: Readonly<Record<string, ModelSettings>>;
  /** The flag's, the session's and the configuration's model: the first one set wins. */
  readonly wanted: readonly (string | undefined)[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Throws `ConfigError` if no model is chosen or its key is missing. The key is only sent in requests. */
export function chooseModel({ models, wanted, environment }: ModelChoice): Endpoint {
  const name = wanted.find((word) => word !== undefined) ?? onlyNameOf(models, environment);
  const settings = (Object.hasOwn(models, name) ? models[name] : undefined) ?? withoutConfiguration(name);
  return endpointOf(name, settings, environment);
}

/** GLM-4.7 is built in; any other name that is not configured is a model of Ollama. */
function withoutConfiguration(name: string): ModelSettings {
  if (name !== 'glm-4.7') return withDefaults(name, { model: name });
  return withDefaults(name, { model: name, url: 'https://api.z.ai/api/paas/v4', keyVariable: 'ZAI_API_KEY' });
}

/** The default: the only configured model, or GLM-4.7 if its key is set. */
function onlyNameOf(models: ModelChoice['models'], environment: ModelChoice['environment']): string {
  const [first, ...others] = Object.keys(models);
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined) {
    const names = [first, ...others].join(', ');
    throw new ConfigError(
      `Which model? Use --model or set ask.model in the configuration: ${names}.`,
      `モデルが決まっていません。--model または設定の ask.model で指定してください: ${names}`,
    );
  }
  if (environment.ZAI_API_KEY) return 'glm-4.7';
  throw new ConfigError(
    'No model is configured. Set ZAI_API_KEY for glm-4.7, name an Ollama model with --model, or set models in the configuration.',
    'モデルが設定されていません。ZAI_API_KEY を設定して glm-4.7 を使うか、--model で Ollama のモデルを指定するか、設定の models に書いてください。',
  );
}
