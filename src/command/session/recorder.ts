import type {
  CommandHistory,
  CommandRecording,
  EffectsJudge,
  WatchedHold,
} from '../../contract/capabilities/command-life.ts';
import type { LandingKeeper } from '../../contract/capabilities/landing.ts';

/** How each path's former state is known: from the layer that it wrote to, or from what was kept while watching. */
export type Recorder = LayerRecorder | WatchedRecorder | { readonly kind: 'none' };

export interface LayerRecorder {
  /** The layer of a `dry-run` is discarded. */
  readonly kind: 'layer' | 'dry-run';
  /** Undefined: what it writes is not judged. */
  readonly judge?: EffectsJudge | undefined;
  /** Keeps what the landing replaces. */
  readonly keeper?: LandingKeeper | undefined;
  /** For a landing by a later call. */
  readonly history?: CommandHistory | undefined;
}

export interface WatchedRecorder {
  readonly kind: 'watched';
  readonly judge: EffectsJudge;
  readonly recording: CommandRecording;
  readonly ask: WatchedHold['ask'];
}
