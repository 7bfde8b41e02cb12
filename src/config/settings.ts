import type { Dialect } from '../contract/capabilities/judgement.ts';
import type { ModelSettings } from '../contract/capabilities/model.ts';
import type { EffectRule } from '../contract/effects.ts';
import type { OauthTrust } from '../contract/identity.ts';
import type { NotifySettings } from '../contract/notice.ts';
import type { Mode, PolicyRule } from '../contract/policy.ts';
import type { Locale } from '../contract/text/text.ts';
import type { ServerSettings } from '../contract/upstream.ts';
import type { HistorySettings } from './history.ts';
import type { MemorySettings } from './memory.ts';
import type { ConfigFile } from './schema.ts';
import type { SingleTool, ToolsetName } from './toolset-names.ts';

/** What the command line said; everything is optional and wins over the file. */
export interface Flags {
  readonly config?: string | undefined;
  readonly profile?: string | undefined;
  readonly root?: string | undefined;
  readonly allowPath?: readonly string[] | undefined;
  readonly toolsets?: readonly string[] | undefined;
  readonly only?: string | undefined;
  readonly mode?: string | undefined;
  readonly locale?: string | undefined;
  readonly state?: string | undefined;
  readonly allowMime?: readonly string[] | undefined;
  readonly allowExecutable?: boolean | undefined;
  readonly sandbox?: string | undefined;
  readonly envFile?: string | undefined;
}

/** The one value that start-up makes of file, environment and flags. Paths are absolute. */
export interface Settings {
  readonly roots: readonly {
    readonly path: string;
    readonly writable: boolean;
    /** As it was given, where a link leads there. */
    readonly named: string;
  }[];
  /** Files outside of them that `--allow-path` names; commands can read them. */
  readonly files: Settings['roots'];
  /** The root, where neither flag nor file chose it and it follows from the current folder. */
  readonly startedIn: string | undefined;
  /** The project whose settings these are, as the key in `projects` is written. */
  readonly project: string | undefined;
  /** The folder in which the client works, where that lies below the root. */
  readonly startedBelow: string | undefined;
  readonly protectedNames: readonly string[];
  readonly toolsets: readonly ToolsetName[];
  readonly only: SingleTool | undefined;
  readonly mode: Mode;
  readonly locale: Locale;
  readonly stateFolder: string;
  /** What another command needs to find these records, as a shell takes it; mostly nothing. */
  readonly recordFlags: string;
  /** What of the server's own lies inside a root, as where the home folder is served: no tool may see it. */
  readonly hiddenPaths: readonly string[];
  readonly storeUrl: string;
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly allowedHosts: readonly string[];
    readonly allowedOrigins: readonly string[];
    readonly maxBodyBytes: number;
    readonly oauth: OauthTrust | undefined;
    readonly console: boolean;
    /** An origin; absent: nobody comes from elsewhere. */
    readonly publicUrl: string | undefined;
    /** Between being told to stop and taking no more calls. */
    readonly drainMs: number;
    /** Have the other servers of the store the same files? */
    readonly roots: 'own' | 'shared';
  };
  /** What hooks do in a folder that is no project: judge by the settings for all, or leave the client's tools alone. */
  readonly hooks: { readonly elsewhere: 'judge' | 'leave' };
  readonly notify: NotifySettings;
  readonly rules: readonly PolicyRule[];
  /** Those of the same list that speak of what a command did. */
  readonly effectRules: readonly EffectRule[];
  readonly rateRules: readonly {
    readonly id: string;
    readonly toolsets?: readonly string[] | undefined;
    readonly appliesTo: 'remote' | 'everyone';
    readonly perMinute: number;
  }[];
  readonly approval: { readonly waitMs: number; readonly expiryMs: number };
  readonly process: {
    readonly sandbox: 'required' | 'off';
    readonly environment: readonly string[];
    readonly readable: readonly string[];
    readonly network: readonly string[];
    /** As the file has it: sets by their names, e.g. "npm". */
    readonly networkAsNamed: readonly string[];
    readonly judgement: Dialect | undefined;
    /** What the built-in rules say against it and a layer contains has a command tried first. */
    readonly tryFirst: boolean;
    readonly cacheBytes: number;
    readonly layer: 'auto' | 'off';
    readonly onFailure: 'keep' | 'discard';
    readonly maxTimeoutMs: number;
    readonly maxBackgroundMs: number;
  };
  readonly agentCli: { readonly allowMime: readonly string[]; readonly allowExecutable: boolean };
  readonly assistant: { readonly layout: 'output' | 'workspace'; readonly timeZone: string | undefined };
  readonly web: {
    readonly allowHosts: readonly string[] | undefined;
    readonly denyHosts: readonly string[];
    readonly allowPrivate: readonly string[];
    readonly robots: boolean;
  };
  readonly vault: { readonly root: string } & Pick<
    NonNullable<ConfigFile['vault']>,
    'hardMaxChars' | 'defaultChunkLines' | 'maxChunkLines' | 'extras'
  >;
  /** How long what grows with every call is kept; absent: for ever. */
  readonly retention: { readonly auditMs: number | undefined; readonly eventsMs: number | undefined };
  readonly history: HistorySettings;
  readonly pipeline: { readonly extended: boolean };
  readonly memory: MemorySettings;
  readonly models: Readonly<Record<string, ModelSettings>>;
  readonly ask: {
    readonly model: string | undefined;
    readonly maxRounds: number;
    readonly perMinute: number;
  };
  readonly servers: readonly ServerSettings[];
}
