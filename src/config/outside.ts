import * as z from 'zod';

/**
 * What a server in a container must know of the machine outside, which no look around tells it: how a person and a client
 * there reach it. Handed in as `SEKISHO_OUTSIDE`, JSON, by the command that started the container.
 */
const outsideSchema = z.strictObject({
  /** What a person types there to have this program, here and in any folder. */
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
  /** The engine and the image, as `doctor` shows them. */
  container: z.string(),
  /** Where the HTTP port is seen there. */
  address: z.strictObject({ host: z.string(), port: z.number().int() }).optional(),
});

export type Outside = z.infer<typeof outsideSchema>;

export const outsideVariable = 'SEKISHO_OUTSIDE';

/** Undefined where this program runs on the machine itself. */
export function outsideOf(environment: NodeJS.ProcessEnv = process.env): Outside | undefined {
  const words = environment[outsideVariable];
  return words ? outsideSchema.parse(JSON.parse(words)) : undefined;
}
