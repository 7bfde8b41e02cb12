import type { ModelSettings } from '../../contract/capabilities/model.ts';
import { ConfigError } from '../../contract/error.ts';
import { secretName } from '../../ground/secrets/named.ts';

/** Throws `ConfigError` if the key is missing. The key is used only in requests. */
export function endpointOf(
  name: string,
  { model, keyVariable, keySecret, ...settings }: ModelSettings,
  environment: Readonly<Record<string, string | undefined>>,
): Endpoint {
  const key = keySecret === undefined ? keyOf(keyVariable, name, environment) : secretName(keySecret);
  return { ...settings, name, modelId: model, ...(key !== undefined && { key }) };
}

function keyOf(
  variable: string | undefined,
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (variable === undefined) return undefined;
  const key = environment[variable]?.trim();
  if (key) return key;
  throw new ConfigError(
    `The model ${name} needs its key in the environment variable ${variable}.`,
    `モデル ${name} を使うには、環境変数 ${variable} にキーが必要です。`,
  );
}

/** A model's endpoint: any server with OpenAI's chat completions. */
export interface Endpoint extends Omit<ModelSettings, 'model' | 'keyVariable' | 'keySecret'> {
  /** The name by which the person chose it. */
  readonly name: string;
  /** The server's id of the model, e.g. `glm-4.7`. */
  readonly modelId: string;
  /** A key, or the name of a secret in the form of `secretName`. */
  readonly key?: string | undefined;
}
