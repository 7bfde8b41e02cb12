import * as z from 'zod';
import type { DecideEffects, EffectVerdict } from '../../../contract/effects.ts';
import { ConfigError } from '../../../contract/error.ts';
import { describeIssue } from '../../../contract/text/describe-issue.ts';
import { text } from '../../../contract/text/text.ts';

const effects = z.array(
  z.strictObject({
    change: z.enum(['deleted', 'created', 'changed']),
    path: z.string().min(1),
    kind: z.enum(['file', 'folder', 'symlink', 'other']).default('file'),
    files: z.number().int().min(0).optional(),
    bytes: z.number().int().min(0).optional(),
  }),
);

/**
 * Says what would become of effects that are written down, `[{"change": "deleted", "path": "a.txt"}]`. Throws a
 * `ConfigError` where they are none.
 */
export function testEffects(json: string, decide: DecideEffects): EffectVerdict {
  const parsed = effects.safeParse(parsedJson(json));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.') ?? '';
    const problem = issue && describeIssue(issue);
    throw new ConfigError(
      text(
        `the effects must be a JSON list such as ${example}${place && ` (${place} ${problem?.en})`}`,
        `変更は ${example} のような JSON の一覧でなければなりません${place && `（${place} は${problem?.ja}）`}`,
      ),
    );
  }
  const changes = parsed.data.map((change) => ({
    root: '/',
    ...change,
    // Nothing is said of its lines: it stays the text that it was.
    ...(change.change === 'changed' && change.bytes === undefined && { lines: { added: 1, removed: 1 } }),
  }));
  return decide({ changes, total: changes.length, filesBefore: Infinity, diff: '', isDiffCut: false });
}

const example = '[{"change": "deleted", "path": "old", "kind": "folder", "files": 12}]';

function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // No JSON: the caller says what effects look like.
    return undefined;
  }
}
