/** The one entrance of the composition root: nothing else of it is imported from outside. */
export { copyRecords } from './copy-records.ts';
export { verifyMirrors } from './mirrors.ts';
export { type Checkpoint, type CheckpointOptions, openCheckpoint } from './open.ts';
export { type PolicyInspector, type RuleWarning, renderExplanation, renderTrial } from './policy.ts';
export { type HttpServing, type StdioServing, serveHttp, serveStdio } from './serving.ts';
export { toolsetThat } from './toolsets.ts';
