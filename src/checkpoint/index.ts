/** The only entrance of the composition root: other rooms import nothing else from it. */

export { type PolicyPreview, renderExplanation, renderPreview } from '../call/policy/policy-preview.ts';
export { reachesCommands } from '../command/sandbox/environment.ts';
export { trimAllocator } from '../command/seccomp/kernel.ts';
export { makeStateFolder } from '../store/usable.ts';
export { copyRecords } from './fleet/copy-records.ts';
export { verifyMirrors } from './fleet/mirrors.ts';
export { openPeers, type Peers } from './fleet/peers.ts';
export { type Checkpoint, type CheckpointOptions, openCheckpoint } from './open-checkpoint.ts';
export { consoleName } from './operating/console-name.ts';
export type { PolicyInspector, RuleWarning } from './policy.ts';
export { type HeldClient, type HttpServing, type StdioServing, serveHttp, serveStdio } from './serving.ts';
export { toolsetThat } from './toolsets.ts';
