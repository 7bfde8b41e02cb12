// Our declarations name Node's own types; TypeScript 7 looks for them only where somebody asks.
/// <reference types="node" preserve="true" />

/** The public API. Adding a line here is a promise. `docs/library.md` shows it at work. */
export {
  type Checkpoint,
  type CheckpointOptions,
  type HttpServing,
  openCheckpoint,
  type StdioServing,
  serveHttp,
  serveStdio,
} from './checkpoint/index.ts';
export { loadSettings } from './config/load.ts';
export type { Flags, Settings } from './config/settings.ts';
export type { Capabilities, CapabilityName } from './contract/capabilities/capabilities.ts';
export { ConfigError, type ErrorCode, ToolError } from './contract/error.ts';
export { type Locale, type Text, text, verbatim } from './contract/text/text.ts';
export { defineTool, defineToolset } from './contract/tool/define-tool.ts';
export type { Tool, ToolContext, ToolDefinition, Toolset } from './contract/tool/tool.ts';
export type { Permission } from './contract/tool/tool-card.ts';
