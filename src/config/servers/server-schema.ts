import * as z from 'zod';
import { oauthSchema } from './servers-oauth.ts';

const nonEmpty = z.string().min(1);
const milliseconds = z.int().min(1).max(86_400_000);
const names = z.array(nonEmpty);

export const flowSchema = z.enum(['ask', 'deny', 'off']);

const override = z.strictObject({
  description: nonEmpty.optional(),
  readOnly: z.boolean().optional(),
  destructive: z.boolean().optional(),
  idempotent: z.boolean().optional(),
  openWorld: z.boolean().optional(),
  ask: z.boolean().optional(),
  flow: flowSchema.optional(),
});

const shape = {
  type: nonEmpty.optional(),
  command: nonEmpty.optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  envFile: nonEmpty.optional(),
  cwd: nonEmpty.optional(),
  url: nonEmpty.optional(),
  headers: z.record(z.string(), z.string()).optional(),
  plainHttp: z.boolean().optional(),
  oauth: oauthSchema.optional(),
  enabled: z.boolean().optional(),
  shared: z.boolean().optional(),
  disabled: z.boolean().optional(),
  allow: names.optional(),
  deny: names.optional(),
  tools: z.record(z.string(), override).optional(),
  roles: names.optional(),
  ask: z.enum(['changes', 'never']).optional(),
  flow: flowSchema.optional(),
  trustAnnotations: z.boolean().optional(),
  redactSecrets: z.boolean().optional(),
  folders: z
    .array(z.union([nonEmpty, z.strictObject({ path: nonEmpty, writable: z.boolean().optional() })]))
    .optional(),
  sandbox: z.enum(['required', 'off']).optional(),
  network: names.optional(),
  startTimeoutMs: milliseconds.optional(),
  callTimeoutMs: milliseconds.optional(),
  callTotalMs: milliseconds.optional(),
  callsAtOnce: z.int().min(1).max(1000).optional(),
  maxResultChars: z.int().min(1000).optional(),
};

/** Servers in our own file: a list with names, or an object by name as in clients' files. */
export const serversSchema = z.union([
  z.array(z.strictObject({ name: nonEmpty, ...shape })),
  z.record(z.string(), z.strictObject(shape)),
]);

/** Files of other programs may have more keys, which are ignored. */
export const foreignServer = z.object(shape);

export type ServerConfig = z.output<z.ZodObject<typeof shape>>;
export type ServersConfig = z.output<typeof serversSchema>;
