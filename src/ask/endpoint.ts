import { ConfigError } from '../contract/error.ts';
import type { ModelSettings } from '../contract/model.ts';
import type { Endpoint } from './model.ts';

/** Throws `ConfigError` where the key is missing. The key goes nowhere but into requests. */
export function endpointOf(
  name: string,
  { model, keyVariable, ...settings }: ModelSettings,
  environment: Readonly<Record<string, string | undefined>>,
): Endpoint {
  const key = keyOf(keyVariable, name, environment);
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
  throw new ConfigError(`The model ${name} needs its key in the environment variable ${variable}.`);
}
