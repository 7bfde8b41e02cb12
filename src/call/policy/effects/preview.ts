import * as z from 'zod';
import type { DryRunChange, Losses } from '../../../contract/capabilities/dry-run.ts';
import type { EffectRules, EffectVerdict } from '../../../contract/effects.ts';
import { ConfigError } from '../../../contract/error.ts';
import { describeIssue } from '../../../contract/text/describe-issue.ts';
import { generatedFolders } from '../../../ground/generated-folders.ts';
import { orElse } from '../../../ground/or-else.ts';
import { factsOf } from './facts.ts';

const effects = z.array(
  z.strictObject({
    change: z.enum(['deleted', 'created', 'changed']),
    path: z.string().min(1),
    kind: z.enum(['file', 'folder', 'symlink', 'other']).default('file'),
    files: z.int().min(0).optional(),
    bytes: z.int().min(0).optional(),
  }),
);

/** Decides about JSON effects, `[{"change": "deleted", "path": "a.txt"}]`. Throws a `ConfigError` if invalid. */
export function testEffects(json: string, rules: EffectRules): EffectVerdict {
  const parsed = effects.safeParse(parsedJson(json));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.') ?? '';
    const problem = issue && describeIssue(issue);
    throw new ConfigError(
      `the effects must be a JSON list such as ${example}${place && ` (${place} ${problem?.en})`}`,
      `変更は ${example} のような JSON の一覧でなければなりません${place && `（${place} は${problem?.ja}）`}`,
    );
  }
  const changes = parsed.data.map((change) => ({ root: '/', ...change }));
  return rules.decide({ changes, total: changes.length, losses: lossesIn(changes, rules) }, false);
}

/** Assumes that no other copy of the lost files exists, and that there were many more files. */
function lossesIn(changes: readonly DryRunChange[], { isObeyed }: EffectRules): Losses {
  const missed = changes.filter(({ path }) => !path.split('/').some((name) => generatedFolders.has(name)));
  const { lostFiles } = factsOf({ changes: missed, total: missed.length, losses: none });
  return {
    ...none,
    files: lostFiles,
    repositories: changes
      .filter(({ change, path }) => change === 'deleted' && /(^|\/)\.git(\/(HEAD|objects|refs))?$/.test(path))
      .map(({ path }) => path),
    names: changes
      .filter(
        ({ change, path }) =>
          change === 'deleted' && /(^|\/)\.git\/refs\/(heads|tags|stash)(\/|$)/.test(path),
      )
      .map(({ path }) => path),
    obeyed: changes
      .filter(({ change, path }) => change !== 'deleted' && isObeyed(path))
      .map(({ path }) => path),
  };
}

const none: Losses = {
  files: 0,
  earlier: 0,
  withKept: 0,
  of: Infinity,
  repositories: [],
  names: [],
  obeyed: [],
};

const example = '[{"change": "deleted", "path": "old", "kind": "folder", "files": 12}]';

function parsedJson(json: string): unknown {
  // Invalid JSON: the caller explains the format.
  return orElse(() => JSON.parse(json), undefined);
}
