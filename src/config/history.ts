import * as z from 'zod';
import { ConfigError } from '../contract/error.ts';
import { unrecordedFolders } from '../ground/generated-folders.ts';
import { isSecureUrl } from '../ground/secure-url.ts';
import { atLeast, between, choice, flag, section, spelled } from './section.ts';

export const historySchema = section({
  enabled: flag('Keep what tools change, so that `sekisho undo` can restore it. Default: true.'),
  store: spelled(
    /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w./-]*)?$/,
    'Bucket for the kept contents, `s3://BUCKET/PREFIX`, for several machines. Default: PostgreSQL, if `store.url` names it.',
  ),
  maxBytes: atLeast(1024 * 1024, 'Maximum size of the kept contents. Default: 1 GiB.'),
  maxAgeDays: between(1, 3650, 'How long contents are kept. Default: 30 days.'),
  commands: choice(['on', 'off'], 'Record what commands change, so that it can be taken back. Default: on.'),
  ignore: z
    .array(z.string().min(1))
    .describe(
      'Names of folders in which nothing that commands change is recorded. Default: node_modules, target, dist, …',
    ),
});

export type HistorySettings = Readonly<ReturnType<typeof historyOf>>;

export function historyOf(
  section: z.infer<typeof historySchema> | undefined,
  environment: NodeJS.ProcessEnv,
) {
  if (section?.store !== undefined) assertSecure(environment);
  return {
    /** `s3://BUCKET/PREFIX` if contents are kept for several machines. */
    bucket: section?.store,
    enabled: section?.enabled ?? true,
    maxBytes: section?.maxBytes ?? 1024 ** 3,
    maxAgeMs: (section?.maxAgeDays ?? 30) * 86_400_000,
    commands: section?.commands ?? 'on',
    /** Names of folders in which nothing is recorded of commands. */
    ignore: section?.ignore ?? unrecordedFolders,
  };
}

/** Contents of files are sent to the endpoint. */
function assertSecure(environment: NodeJS.ProcessEnv): void {
  for (const name of ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL']) {
    const value = environment[name];
    if (value === undefined || value === '') continue;
    const url = URL.parse(value);
    if (url && isSecureUrl(url)) return;
    throw new ConfigError(
      `${name} must be an https URL (http only for this machine) while history.store is set, got "${value}"`,
      `history.store を指定する場合、${name} には https の URL を指定してください（http はこのマシン自身に限ります。指定値: "${value}"）。`,
    );
  }
}
