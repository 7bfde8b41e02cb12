import type { HistoryEntry, HistoryQuery } from '../contract/capabilities/history.ts';
import type { Memories } from '../contract/capabilities/memory.ts';
import type { PublishedPort } from '../contract/capabilities/process.ts';
import type { NodeStore } from '../contract/nodes.ts';
import type { ConsoleSessions } from '../contract/people/console.ts';
import type { MemoryBrowser } from '../contract/people/memory-browser.ts';
import type { NoticeStore, NotifySettings } from '../contract/people/notice.ts';
import type { Operator } from '../contract/people/operator.ts';
import type { PasskeyStore } from '../contract/people/passkey.ts';
import type { PolicyDecision, RuleLine } from '../contract/policy.ts';
import type { ApprovalStore, AuditLog, RateStore } from '../contract/records.ts';
import type { SharedServer } from '../contract/shared-server.ts';
import type { TeamAdmin } from '../contract/team/admin.ts';
import type { Locale, Text } from '../contract/text/text.ts';
import type { ServerStatus } from '../contract/upstream.ts';

/** The functions that the console is given: the same that the command line uses. */
export interface ConsoleDependencies {
  readonly locale: Locale;
  /** The only name of the loopback interface that has a login; undefined if all have. */
  readonly ownHost: string | undefined;
  readonly served: {
    readonly roots: readonly string[];
    readonly mode: string;
    readonly toolsets: readonly string[];
    readonly sandbox: string;
    readonly version: string;
  };
  now(): number;
  /** How long a call waits for its answer. */
  readonly waitMs: number;
  sessions(): Promise<ConsoleSessions>;
  rates(): Promise<RateStore>;
  audit(): Promise<AuditLog>;
  approvals(): Promise<ApprovalStore>;
  memories(owner: string): Promise<Memories>;
  memoryBrowser(): Promise<MemoryBrowser>;
  team(): Promise<TeamAdmin>;
  readonly notify: NotifySettings;
  /** Sends the result of a button press to the address that Slack gave with it. */
  replyToPress(url: string, body: string): Promise<void>;
  notices(): Promise<NoticeStore>;
  passkeys(): Promise<PasskeyStore>;
  /** The key with which browsers subscribe to web push. */
  pushKey(): Promise<string>;
  readonly history: HistoryPages | undefined;
  /** The servers on this store. */
  nodes(): Promise<NodeStore>;
  /** The servers that clients at this machine share; undefined where nobody can tell. */
  readonly shared: (() => Promise<readonly SharedServer[]>) | undefined;
  /** The ports of commands of this server that browsers reach. */
  published(): Promise<readonly PublishedPort[]>;
  /** Undefined if none is configured. */
  readonly servers: (() => Promise<readonly ServerStatus[]>) | undefined;
  /** The person's acts, common to every face. */
  operator(): Promise<Operator>;
  readonly policy: PolicyPages;
  asset(name: string): Promise<Asset | undefined>;
  /** Gets failures that the person is not told. */
  onFault(error: unknown): void;
}

export interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

export interface HistoryPages {
  list(query: HistoryQuery): Promise<readonly HistoryEntry[]>;
  get(id: string): Promise<HistoryEntry | undefined>;
  /** A unified diff, or a line that says why there is none. */
  diff(entry: HistoryEntry, locale: Locale): Promise<string>;
}

export interface PolicyPages {
  explain(): Promise<{
    readonly mode: string;
    readonly meaning: Text;
    readonly operator: readonly {
      readonly id: string;
      readonly decision: PolicyDecision;
      readonly because: string;
      readonly about: string;
    }[];
    readonly builtin: readonly Pick<RuleLine, 'id' | 'decision' | 'because' | 'examples'>[];
  }>;
  test(json: string): Promise<{
    readonly tool: string;
    readonly decision: PolicyDecision | 'invalid';
    readonly rule?: string | undefined;
    readonly because: Text;
    readonly suggestion?: Text | undefined;
    readonly grant?: string | undefined;
  }>;
}
