/** The only entrance of the composition root: other rooms import nothing else from it. */

export { type PolicyPreview, renderExplanation, renderPreview } from '../call/policy/policy-preview.ts';
export { reachesCommands } from '../command/sandbox/environment.ts';
export { trimAllocator } from '../command/seccomp/kernel.ts';
export { makeStateFolder } from '../store/usable.ts';
export { consoleName } from './console-name.ts';
export { copyRecords } from './copy-records.ts';
export { verifyMirrors } from './mirrors.ts';
export { type Checkpoint, type CheckpointOptions, openCheckpoint } from './open-checkpoint.ts';
export { openPeers, type Peers } from './peers.ts';
export type { PolicyInspector, RuleWarning } from './policy.ts';
export { type HeldClient, type HttpServing, type StdioServing, serveHttp, serveStdio } from './serving.ts';
export { toolsetThat } from './toolsets.ts';
