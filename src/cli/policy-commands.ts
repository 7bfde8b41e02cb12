import { createCatalog } from '../call/catalog.ts';
import { decide } from '../call/decide.ts';
import { createPolicy } from '../call/policy.ts';
import { createLender } from '../checkpoint-lending.ts';
import { createRooms } from '../checkpoint-rooms.ts';
import { createTeamRoom } from '../checkpoint-team.ts';
import { loadTools } from '../checkpoint-toolsets.ts';
import { type Flags, loadSettings } from '../config/load.ts';
import { listBuiltinRules } from '../confine/judgement/rule-lines.ts';
import type { Caller } from '../contract/caller.ts';
import type { CapabilityName } from '../contract/capabilities.ts';
import type { RiskContext } from '../contract/tool.ts';
import { explainPolicy, renderExplanation, renderTrial, testPolicy } from './policy.ts';
import { say } from './say.ts';

type Options = Readonly<Record<string, unknown>>;

/** Lists the rules in force. */
export async function explain(flags: Flags, options: Options): Promise<number> {
  const settings = loadSettings(flags);
  const explained = explainPolicy({
    mode: settings.mode,
    rules: settings.rules,
    builtin: listBuiltinRules(),
  });
  say(options.json ? JSON.stringify(explained, null, 2) : renderExplanation(explained, settings.locale));
  return 0;
}

/** Says what would happen to a call; nothing is run or recorded. Exit code 0 for allow, 1 for ask, 2 for deny. */
export async function test(json: string, flags: Flags, options: Options): Promise<number> {
  const settings = loadSettings(flags);
  const rooms = createRooms(settings);
  try {
    const catalog = createCatalog(await loadTools(settings), settings.mode);
    const lend = createLender(rooms, createTeamRoom(settings, rooms.store, Date.now), async () => catalog);
    const caller: Caller = { kind: 'local', principal: 'local', sessionId: 'policy-test', remote: false };
    const policy = createPolicy({
      mode: settings.mode,
      rules: settings.rules,
      judge: await rooms.judge(),
      roots: settings.roots.map((root) => root.path),
    });
    const trial = await testPolicy(json, {
      find: (name) => catalog.find(name),
      caller,
      refusal: (tool) => {
        const decision = decide(tool, caller, settings.mode);
        return decision.allowed ? undefined : decision.message;
      },
      risk: async (tool, input) => {
        if (!tool.risk) return {};
        const context: Record<string, unknown> = { caller };
        for (const name of tool.uses) context[name] = await lend(name, { tool, caller });
        return tool.risk(input, context as unknown as RiskContext<CapabilityName>);
      },
      policy,
    });
    say(options.json ? JSON.stringify(trial) : renderTrial(trial, settings.locale));
    return { allow: 0, ask: 1, deny: 2, invalid: 2 }[trial.decision];
  } finally {
    await rooms.close();
  }
}
