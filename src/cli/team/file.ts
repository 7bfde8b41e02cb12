import * as z from 'zod';
import { parseJsonc } from '../../config/file/jsonc.ts';
import { ConfigError } from '../../contract/error.ts';
import { describeIssue } from '../../contract/text/describe-issue.ts';

const id = z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'must be 1 to 64 letters, digits or . _ -');

const teamFile = z.strictObject({
  $schema: z.string().optional(),
  projects: z
    .array(z.strictObject({ id, name: z.string().min(1), working_directory: z.string().min(1).optional() }))
    .default([]),
  agents: z
    .array(
      z.strictObject({
        id,
        name: z.string().min(1),
        hierarchy: z.enum(['manager', 'worker']),
        parent: id.optional(),
        projects: z.array(id).default([]),
        passkey: z.string().min(1).optional(),
        max_parallel_tasks: z.number().int().min(1).max(1000).optional(),
      }),
    )
    .default([]),
  coordinator_token: z.string().min(1).optional(),
});

export type TeamFile = z.output<typeof teamFile>;

/** Reads `team.jsonc`. Secrets that name a variable (`env:NAME`) are taken from the environment. */
export function readTeamFile(file: string, words: string, environment: NodeJS.ProcessEnv): TeamFile {
  const value = parseJsonc(file, words);
  const parsed = teamFile.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(
      `${file}: ${issue?.path.map(String).join('.') ?? ''} ${issue?.message ?? 'is not valid'}.`,
      `${file}: ${issue?.path.map(String).join('.') ?? ''} ${issue ? describeIssue(issue).ja : ''}。`,
    );
  }
  const secret = (key: string, words: string | undefined) => {
    if (!words?.startsWith('env:')) return words;
    const found = environment[words.slice(4)];
    if (!found)
      throw new ConfigError(
        `${file}: ${key} names the variable ${words.slice(4)}, which is not set.`,
        `${file}: ${key} が指す環境変数 ${words.slice(4)} が設定されていません。`,
      );
    return found;
  };
  return {
    ...parsed.data,
    agents: parsed.data.agents.map((agent) => ({
      ...agent,
      passkey: secret(`agents.${agent.id}.passkey`, agent.passkey),
    })),
    coordinator_token: secret('coordinator_token', parsed.data.coordinator_token),
  };
}
