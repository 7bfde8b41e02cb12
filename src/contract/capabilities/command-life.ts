import type { EffectRules, EffectVerdict } from '../effects.ts';
import type { Text } from '../text/text.ts';
import type { DryRun, Effects } from './dry-run.ts';
import type { LandingKeeper } from './landing.ts';
import type { HeldLayer, HeldRequest, RequestAnswer, RunResult } from './process.ts';

/** The means that a call lends to its commands. */
export interface CommandLife {
  readonly judge: EffectsJudge;
  /** Undefined if the operator keeps none of commands. */
  readonly history?: CommandHistory | undefined;
  /** Counts the bytes that an ended command has sent; undefined if nothing is capped. */
  readonly sent?: ((bytes: number) => void) | undefined;
}

/** Decides about the effects of one call's commands, on a layer or watched: by rules, and by a person where they ask. */
export interface EffectsJudge extends Pick<EffectRules, 'readChanges' | 'isObeyed'> {
  /** They must run on a layer, and land only by `settle`. */
  readonly isTried: boolean;
  /** May the effects stay without a question? */
  allows(effects: Effects): boolean;
  /** The decision that the effects of a dry run would get. */
  foresee(effects: Effects): EffectVerdict;
  /** Settles the layer that the same call left for a person, when it was sent before; undefined if none waits. */
  settleWaiting(): Promise<RunResult> | undefined;
  /** Lands or discards a layer that may not land by itself. Throws the error for the model if nothing is kept, or not yet. */
  settle(ended: EndedCommand): Promise<RunResult>;
  /** The same after the call's reply; returns the text that is shown with its output. */
  settleLate(ended: EndedCommand): Promise<string>;
  /** `isAnswered`: the call has had its reply. */
  hold(isAnswered: boolean): WatchedHold;
  /** May a held request of a command leave? `ended` aborts when the command has ended. */
  askAboutRequest(held: HeldRequest, ended: AbortSignal): Promise<RequestAnswer>;
  /** A command sent the stand-in of a secret where it may not go. */
  leaked?(leak: LeakedSecret): void;
  /** The call gets its reply, and its command goes on. */
  goesOn(): void;
  /** A command runs on the folders themselves and not on a layer. */
  ranDirectly(why: Text): void;
}

/** A request that was refused because of the stand-in in it, which its path shows as the name of the secret. */
export interface LeakedSecret extends Pick<HeldRequest, 'method' | 'host' | 'path'> {
  readonly secret: string;
  readonly because: Text;
}

export interface EndedCommand {
  readonly layer: HeldLayer;
  readonly result: RunResult;
}

/** The questions about one watched command. */
export interface WatchedHold {
  /** It passes the limit of a rule, and is paused meanwhile: may it continue? */
  ask(soFar: DryRun, ended: AbortSignal): Promise<boolean>;
  /** Throws the error for the model if it may not. */
  assertNotRefused(): void;
}

/** Keeps what commands change, for undoing. */
export interface CommandHistory {
  /** For the layer of a command that the current call runs, or lands. */
  keeper(): LandingKeeper;
  /** For a command of the current call on the folders themselves. Undefined: all of its roots may be written. */
  record(writable: readonly string[] | undefined): Promise<CommandRecording>;
}

/** How to keep what a command destroys in the folders themselves. */
export interface CommandRecording {
  /** Host path of a separate folder for the copies. */
  readonly folder: string;
  /** Names of folders whose contents are not kept. */
  readonly ignore: readonly string[];
  readonly isOurs: LandingKeeper['isOurs'];
  readonly mostBytes: LandingKeeper['mostBytes'];
  /** Called when a limit pauses it, and when it continues. If it ends while paused, its changes are undone. */
  readonly onHeld: (isHeld: boolean) => void;
  /** Records the changes when it has ended. Returns notes for its reply. */
  end(): Promise<string>;
}
