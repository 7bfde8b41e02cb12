/** The public API. Adding a line here is a promise. */
export { type Checkpoint, openCheckpoint } from './checkpoint.ts';
export { type Flags, loadSettings, type Settings } from './config/load.ts';
