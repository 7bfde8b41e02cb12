import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { oneOf } from '../contract/error.ts';
import { orElse } from '../ground/or-else.ts';
import { parseJsonc } from './file/jsonc.ts';
import { configPathOf, homeOf } from './places/state.ts';
import { choice, section, spelled } from './section.ts';

/** Where the server runs: directly on this machine, or in a container of docker or podman. */
export type Runtime = (typeof runtimes)[number];

export const runtimes = ['host', 'container'] as const;

export const runtimeSchema = z.enum(runtimes);

export const engines = ['docker', 'podman'] as const;

export type EngineName = (typeof engines)[number];

export const containerSchema = section({
  engine: choice(engines, 'The container engine. Default: whichever has the image.'),
  image: spelled(/^[\w.][\w./:@-]*$/, 'The image. Default: the one that `sekisho image build` makes.'),
});

export interface RuntimeChoice {
  readonly runtime: Runtime;
  readonly engine: EngineName | undefined;
  readonly image: string | undefined;
  /** The container was not requested: this machine is no Linux. */
  readonly isForced: boolean;
}

/**
 * From flag, environment or file, in this order; else a container unless the machine is Linux. Read before the
 * settings, which only apply in that place. Throws `ConfigError` for any other value.
 */
export function runtimeOf(
  flags: { readonly runtime?: unknown; readonly config?: unknown },
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): RuntimeChoice {
  const named = typeof flags.config === 'string' ? flags.config : undefined;
  const { runtime: written, container } = writtenIn(
    configPathOf(named, environment, homeOf(environment), process.cwd()),
  );
  const said = flags.runtime ?? (environment.SEKISHO_RUNTIME || undefined) ?? written;
  const chosen = said === undefined ? undefined : oneOf('runtime', said, runtimes);
  const isForced = said === undefined && platform !== 'linux';
  return { runtime: chosen ?? (isForced ? 'container' : 'host'), isForced, ...container };
}

/** Reads only the two keys. Other errors in the file are reported when all of it is read. */
function writtenIn(path: string): {
  readonly runtime: unknown;
  readonly container: Pick<RuntimeChoice, 'engine' | 'image'>;
} {
  const none = { engine: undefined, image: undefined };
  // Missing or unreadable: reported when settings are loaded.
  const words = orElse(() => readFileSync(path, 'utf8'), '');
  if (!/"(?:runtime|container)"/.test(words)) return { runtime: undefined, container: none };
  const value = Object(parseJsonc(path, words.replace(/^\ufeff/, ''))) as Record<string, unknown>;
  const parsed = containerSchema.safeParse(value.container ?? {});
  return { runtime: value.runtime, container: parsed.success ? { ...none, ...parsed.data } : none };
}
