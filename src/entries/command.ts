// Our declarations name Node's own types; TypeScript 7 looks for them only where somebody asks.
/// <reference types="node" preserve="true" />

/** `sekisho/command`: runs commands behind walls on a layer, without a checkpoint. `docs/library.md` shows it at work. */
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createEffectRules } from '../call/policy/effects/decide.ts';
import { CommandRunner } from '../command/commands.ts';
import { recoverLayers } from '../command/layer/left.ts';
import type { EffectsJudge } from '../contract/capabilities/command-life.ts';
import type { DryRun } from '../contract/capabilities/dry-run.ts';
import type { Judgement } from '../contract/capabilities/judgement.ts';
import type { HeldLayer, HeldRequest, Landed, RunResult } from '../contract/capabilities/process.ts';
import type { EffectRule, EffectRules, EffectVerdict } from '../contract/effects.ts';
import { ToolError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';
import { isInside } from '../ground/inside.ts';
import { obeyedNames } from '../ground/obeyed/obeyed-names.ts';
import { createCommandJudge } from '../judgement/judge.ts';
import { createProxyRules } from '../network/proxy/rules.ts';

export type { DryRunChange, Losses } from '../contract/capabilities/dry-run.ts';
export { ConfigError, type ErrorCode, ToolError } from '../contract/error.ts';
export type { DryRun, EffectRule, EffectVerdict, HeldRequest, Judgement, Landed };

export interface WallsOptions {
  /** The folders that commands see and write, on their layer. All else of the machine's files is hidden or read-only. */
  readonly folders: readonly string[];
  /** A folder for the layers, in none of `folders`: the same at each start, so that a begun `keep` is finished after a crash. */
  readonly layers: string;
  /** More folders that commands may read. */
  readonly readable?: readonly string[] | undefined;
  /** Names of this process's variables that commands see, besides PATH, LANG and the like. */
  readonly environment?: readonly string[] | undefined;
  /** Hosts that commands may reach, e.g. "registry.npmjs.org" or "127.0.0.1:5432". Default: none. */
  readonly hosts?: readonly string[] | undefined;
  /** May a request leave that does more than read? It is held meanwhile. Default: none may. */
  readonly mayLeave?: ((request: HeldRequest) => Promise<boolean>) | undefined;
  /** Rules about effects that `verdict` follows, before the built-in ones. */
  readonly rules?: readonly EffectRule[] | undefined;
}

export interface RunOptions {
  /** An absolute path in one of `folders`. Default: the first of them. */
  readonly workingFolder?: string | undefined;
  /** Default: two minutes. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** A command that has ended. None of its writes is in place yet. */
export interface Ended extends Pick<RunResult, 'exitCode' | 'signal' | 'timedOut' | 'stdout' | 'stderr'> {
  readonly effects: DryRun;
  /** The decision of the rules about these effects, and the reason. */
  readonly verdict: EffectVerdict;
  /** Puts the changes in place. What others changed meanwhile is overwritten and listed. Throws if it was done before. */
  keep(): Promise<Landed>;
  /** Throws if the changes were kept. */
  discard(): Promise<void>;
}

export interface Walls {
  /** Reads a line without running it: the commands in it, and the decision of the built-in rules about them. */
  read(line: string): Judgement;
  /** Runs a line of shell. Throws `unavailable` where no layer works, and `cancelled` when the signal aborts. */
  run(line: string, options?: RunOptions): Promise<Ended>;
  /** Ends what runs. Writes that were neither kept nor discarded are gone. */
  close(): Promise<void>;
}

/** Opens walls around commands. Starts nothing before the first of them. Throws `ConfigError` for bad hosts or rules. */
export async function openWalls(options: WallsOptions): Promise<Walls> {
  const folders = options.folders.map((folder) => realpathSync(folder));
  const [first] = folders;
  if (first === undefined) throw new TypeError('folders: name at least one');
  const layers = realpathSync(options.layers);
  if (folders.some((folder) => isInside(layers, folder) || isInside(folder, layers)))
    throw new TypeError('layers: commands could reach this folder; name one outside of `folders`');
  const network = { entries: options.hosts ?? [], tunnels: [], key: 'hosts' };
  createProxyRules(network.entries, network.key);
  const rules = createEffectRules(options.rules ?? [], 'workspace-write');
  const judge = createCommandJudge();
  await recoverLayers(layers);
  const runner = new CommandRunner({
    roots: folders.map((hostPath) => ({ hostPath, writable: true })),
    sandbox: 'required',
    readable: options.readable,
    environment: options.environment,
    network,
    layers,
    ownPaths: [layers],
    readOnlyNames: obeyedNames,
  });
  const unsettled = new Set<HeldLayer>();
  const { shell } = runner.forSession('reader');
  const scriptOf = (script: string) => ({ kind: 'script', script, shell }) as const;
  return {
    read: (line) =>
      judge.judge(scriptOf(line), {
        dialect: 'plain',
        roots: folders,
        workingFolder: first,
        onLayer: true,
        confinement: { network: network.entries },
      }),
    async run(line, { workingFolder = first, timeoutMs = 120_000, signal, environment } = {}) {
      const none = await runner.withoutLayer();
      if (none) throw unavailable(none);
      let layer: HeldLayer | undefined;
      const judging = holdLayer(rules, options.mayLeave, (held) => {
        layer = held;
        unsettled.add(held);
      });
      const { exitCode, timedOut, stdout, stderr, ...ran } = await runner
        .forSession(randomUUID(), { judge: judging })
        .run(scriptOf(line), {
          workingFolder,
          timeoutMs,
          signal: signal ?? new AbortController().signal,
          environment,
        });
      if (!layer) throw new Error('a command that is tried hands over its layer');
      const { effects } = layer;
      const { signal: killedBy } = ran;
      const verdict = rules.decide(effects, true);
      return {
        exitCode,
        signal: killedBy,
        timedOut,
        stdout,
        stderr,
        effects,
        verdict,
        ...settling(layer, unsettled),
      };
    },
    async close() {
      await runner.close();
      await Promise.all([...unsettled].map((layer) => layer.discard()));
    },
  };
}

function settling(layer: HeldLayer, unsettled: Set<HeldLayer>): Pick<Ended, 'keep' | 'discard'> {
  let settled: 'kept' | 'discarded' | undefined;
  const settle = (how: 'kept' | 'discarded') => {
    if (settled) throw new Error(`the changes were ${settled} before`);
    settled = how;
    unsettled.delete(layer);
  };
  return {
    async keep() {
      settle('kept');
      const { conflicts, refused, notes } = await layer.land();
      return { conflicts, refused, notes };
    },
    async discard() {
      if (settled === 'discarded') return;
      settle('discarded');
      await layer.discard();
    },
  };
}

/** Decides nothing itself: the caller gets the layer of the command. */
function holdLayer(
  { readChanges, isObeyed, decide }: EffectRules,
  mayLeave: WallsOptions['mayLeave'],
  take: (layer: HeldLayer) => void,
): EffectsJudge {
  return {
    isTried: true,
    readChanges,
    isObeyed,
    allows: () => false,
    foresee: (effects) => decide(effects, true),
    settleWaiting: () => undefined,
    settle({ layer, result }) {
      take(layer);
      return Promise.resolve(result);
    },
    settleLate: ({ layer }) => layer.discard().then(() => ''),
    hold: () => {
      throw unavailable(whyGone);
    },
    async askAboutRequest(held) {
      return (await mayLeave?.(held))
        ? { isAllowed: true, by: 'mayLeave' }
        : { isAllowed: false, because: whyNotSent };
    },
    goesOn() {},
    ranDirectly(why) {
      throw unavailable(why);
    },
  };
}

function unavailable(why: Text): ToolError {
  return new ToolError(
    'unavailable',
    `Commands cannot run on a layer here: ${why.en}.`,
    `ここではコマンドをレイヤーで実行できません: ${why.ja}。`,
  );
}

const whyGone: Text = text('nothing watches the folders', 'フォルダーを監視するものがありません');
const whyNotSent: Text = text('it would do more than read', '読み取り以上のことをします');
