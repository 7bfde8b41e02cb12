import { readFileSync } from 'node:fs';
import {
  openCheckpoint,
  type PolicyInspector,
  renderExplanation,
  renderPreview,
} from '../checkpoint/index.ts';
import { loadSettings } from '../config/load.ts';
import type { Flags, Settings } from '../config/settings.ts';
import { ConfigError } from '../contract/error.ts';
import type { Options } from './common/options.ts';
import { note, say, sayJson } from './common/say.ts';
import { ruleWarningLines } from './serving/rule-warnings.ts';

/** Lists the rules in force. */
export function explain(flags: Flags, options: Options): Promise<number> {
  return withPolicy(flags, options, async (policy, { locale }) => {
    const explained = policy.explain();
    if (options.json) sayJson(explained, 2);
    else say(renderExplanation(explained, locale));
    return 0;
  });
}

/** Predicts the outcome of a call, or of the effects in a file; nothing is run or recorded. */
export function test(json: string | undefined, flags: Flags, options: Options): Promise<number> {
  const { effects } = options;
  if ((json === undefined) === (typeof effects !== 'string'))
    throw new ConfigError(
      '`sekisho policy test` takes a call, or --effects with a file.',
      '`sekisho policy test` には、呼び出しか --effects のファイルのどちらかを指定してください。',
    );
  return withPolicy(flags, options, async (policy, { locale }) => {
    const preview =
      json === undefined ? policy.testEffects(readEffects(String(effects))) : await policy.test(json);
    if (options.json) sayJson(preview);
    else say(renderPreview(preview, locale));
    return { allow: 0, ask: 1, deny: 2, invalid: 3, try: 4 }[preview.decision];
  });
}

function readEffects(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`--effects: ${path} cannot be read.`, `--effects: ${path} を読み込めません。`, {
      cause,
    });
  }
}

async function withPolicy(
  flags: Flags,
  options: Options,
  work: (policy: PolicyInspector, settings: Settings) => Promise<number>,
): Promise<number> {
  const settings = loadSettings(flags);
  await using checkpoint = await openCheckpoint(settings, { localRole: options.as as string | undefined });
  const policy = await checkpoint.policy();
  const code = await work(policy, settings);
  for (const line of ruleWarningLines(await policy.warnings(), settings.locale)) note(line);
  return code;
}
