import * as z from 'zod';

/**
 * Facts about the host that a server in a container cannot find out: how a person and a client reach it there. Passed
 * as JSON in `SEKISHO_OUTSIDE` by the command that started the container.
 */
const outsideSchema = z.strictObject({
  /** The command by which a person starts this program, here and in any folder. */
  name: z.string(),
  program: z.string(),
  /** How a client there starts the same server. */
  stdio: z.strictObject({
    command: z.string(),
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()).optional(),
  }),
  /** Flags by which other commands there find the same records. */
  where: z.string(),
  /** The account's name there. */
  user: z.string(),
  /** The engine and the image, for `doctor`. */
  container: z.string(),
  /** The address of the HTTP port on the host. */
  address: z.strictObject({ host: z.string(), port: z.int() }).optional(),
});

export type Outside = z.infer<typeof outsideSchema>;

export const outsideVariable = 'SEKISHO_OUTSIDE';

/** Undefined unless this program runs in a container. */
export function outsideOf(environment: NodeJS.ProcessEnv = process.env): Outside | undefined {
  const words = environment[outsideVariable];
  return words ? outsideSchema.parse(JSON.parse(words)) : undefined;
}
