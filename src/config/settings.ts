import type { Dialect } from '../contract/capabilities/judgement.ts';
import type { ModelSettings } from '../contract/capabilities/model.ts';
import type { EffectRule } from '../contract/effects.ts';
import type { OauthTrust } from '../contract/identity.ts';
import type { CapSettings, RateRule } from '../contract/limits.ts';
import type { NotifySettings } from '../contract/people/notice.ts';
import type { Mode, PolicyRule } from '../contract/policy.ts';
import type { Locale } from '../contract/text/text.ts';
import type { ServerSettings } from '../contract/upstream.ts';
import type { HistorySettings } from './history.ts';
import type { MemorySettings } from './memory.ts';
import type { ConfigFile } from './schema.ts';
import type { SecretSettings } from './secrets/secrets.ts';
import type { SigningSettings } from './secrets/signing.ts';
import type { SingleTool, ToolsetName } from './toolset-names.ts';

/** The flags of the command line; all are optional and take precedence over the file. */
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

/** A section of the file, with a default for each key that it leaves out; `Otherwise` are filled in another way. */
type Filled<Name extends keyof ConfigFile, Otherwise extends string = never> = {
  readonly [Key in Exclude<keyof Given<Name>, Otherwise>]-?: Fixed<NonNullable<Given<Name>[Key]>>;
};
type Given<Name extends keyof ConfigFile> = NonNullable<ConfigFile[Name]>;
type Fixed<Value> = Value extends readonly (infer One)[] ? readonly One[] : Value;

/** The settings that start-up derives from file, environment and flags. Paths are absolute. */
export interface Settings {
  readonly roots: readonly {
    readonly path: string;
    readonly writable: boolean;
    /** The path as given, which may be a link. */
    readonly named: string;
  }[];
  /** Files outside the roots that `--allow-path` names; commands can read them. */
  readonly files: Settings['roots'];
  /** The root, if it follows from the current folder and neither flag nor file names one. */
  readonly startedIn: string | undefined;
  /** The project of these settings, as its key in `projects`. */
  readonly project: string | undefined;
  /** The folder in which the client works, if it is below the root. */
  readonly startedBelow: string | undefined;
  /** Whether clients over stdio share one server, as they do unless it is false. */
  readonly resident: boolean | undefined;
  readonly protectedNames: readonly string[];
  readonly toolsets: readonly ToolsetName[];
  readonly only: SingleTool | undefined;
  readonly mode: Mode;
  readonly locale: Locale;
  readonly stateFolder: string;
  /** Shell-quoted flags that another command needs to find these records; usually empty. */
  readonly recordFlags: string;
  /** The server's own paths inside a root, such as when the home folder is served: no tool may see them. */
  readonly hiddenPaths: readonly string[];
  readonly storeUrl: string;
  /** Exists while a person has stopped all work of the servers on these records, or of all this user's. */
  readonly haltFile: string;
  readonly http: Filled<'http', 'oauth' | 'publicUrl'> & {
    readonly oauth: OauthTrust | undefined;
    /** An origin; undefined if the server is not reachable from elsewhere. */
    readonly publicUrl: string | undefined;
  };
  /** The treatment of a session's write over a change of others. */
  readonly stale: 'tell' | 'refuse' | 'off';
  readonly hooks: Filled<'hooks'>;
  readonly notify: NotifySettings;
  readonly rules: readonly PolicyRule[];
  /** Rules of the same list that are about what a command did. */
  readonly effectRules: readonly EffectRule[];
  readonly rateRules: readonly RateRule[];
  readonly limits: { readonly repeats: number } & CapSettings;
  readonly approval: Filled<'approval'>;
  readonly process: Filled<'process', 'network' | 'judgement' | 'publish'> & {
    readonly network: readonly string[];
    /** As in the file: sets by name, e.g. "npm". */
    readonly networkAsNamed: readonly string[];
    /** Those of the hosts that are passed on unread: named so, or ports of this machine's loopback. */
    readonly tunnels: readonly string[];
    readonly judgement: Dialect | undefined;
    /** The ports that may be published: the first and the last of each range. */
    readonly publish: readonly (readonly [number, number])[];
  };
  readonly secrets: readonly SecretSettings[];
  readonly signing: SigningSettings;
  readonly agentCli: Filled<'agent-cli'>;
  readonly assistant: Filled<'assistant', 'timeZone'> & { readonly timeZone: string | undefined };
  readonly web: Filled<'web', 'allowHosts'> & { readonly allowHosts: readonly string[] | undefined };
  readonly vault: { readonly root: string } & Pick<
    NonNullable<ConfigFile['vault']>,
    'hardMaxChars' | 'defaultChunkLines' | 'maxChunkLines' | 'extras'
  >;
  /** How long to keep what grows with every call. Undefined: forever. */
  readonly retention: { readonly auditMs: number | undefined; readonly eventsMs: number | undefined };
  readonly history: HistorySettings;
  readonly pipeline: Filled<'pipeline'>;
  readonly memory: MemorySettings;
  readonly models: Readonly<Record<string, ModelSettings>>;
  readonly ask: Filled<'ask', 'model' | 'toolsets'> & { readonly model: string | undefined };
  readonly servers: readonly ServerSettings[];
}
