import type { Text } from './text/text.ts';

/** How much of a question a notice says: how many wait; whose and of which tool; or the question's own words. */
export const details = ['none', 'summary', 'full'] as const;
export type Detail = (typeof details)[number];

/** What a message elsewhere may do beside leading here: nothing, say no, or both. */
export const actionKinds = ['none', 'deny', 'both'] as const;
export type Actions = (typeof actionKinds)[number];

/** Where notices go, by the form that is spoken there. Secrets are filled in. */
export type ChannelSettings =
  | { readonly kind: 'desktop' }
  | { readonly kind: 'terminal'; readonly form: 'osc9' | 'osc777' }
  | { readonly kind: 'push' }
  | {
      readonly kind: 'ntfy';
      /** With the topic as its last part. */
      readonly url: string;
      readonly token: string | undefined;
      readonly actions: Actions;
    }
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: string | undefined }
  | {
      readonly kind: 'slack';
      readonly url: string;
      readonly signingSecret: string | undefined;
      /** Whose presses of a button count, by their Slack member ids. */
      readonly people: readonly string[];
      readonly actions: Actions;
    }
  | { readonly kind: 'telegram'; readonly url: string; readonly token: string; readonly chat: string }
  | {
      readonly kind: 'email';
      readonly host: string;
      readonly port: number;
      /** TLS from the first byte; otherwise STARTTLS. */
      readonly secure: boolean;
      readonly user: string | undefined;
      readonly password: string | undefined;
      readonly from: string;
      readonly to: readonly string[];
    };

export type Channel = ChannelSettings & { readonly name: string };

/** What happened since the one before, once at each of these times of the day. */
export interface DigestTimes {
  /** As minutes of the day, in order. */
  readonly atMinutes: readonly number[];
  /** Absent: the machine's. */
  readonly timeZone: string | undefined;
  /** Names of channels. */
  readonly to: readonly string[];
}

/** Hours in which nobody is woken, as minutes of the day; `from` may be later than `to`. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
  /** Absent: the machine's. */
  readonly timeZone: string | undefined;
}

export interface NotifySettings {
  readonly channels: readonly Channel[];
  readonly detail: Detail;
  /** A channel gets at most one notice in this time; what is asked meanwhile is in the next. */
  readonly everyMs: number;
  readonly quiet: QuietHours | undefined;
  /** Who hears of it when nobody has answered for that long. They hear of nothing before. */
  readonly escalate: { readonly afterMs: number; readonly to: readonly string[] } | undefined;
  readonly digest: DigestTimes | undefined;
  /** Origins of push services beside those of browsers. */
  readonly pushServices: readonly string[];
}

export type NoticeKind = 'question' | 'escalation' | 'digest' | 'test';

/** `dropped`: every question of it was answered or expired before it could be delivered, or a digest had nothing to tell. */
export type NoticeStatus = 'waiting' | 'sent' | 'failed' | 'dropped';

/** One notice on one channel, and what became of it. */
export interface NoticeRecord {
  readonly id: string;
  readonly atMs: number;
  readonly channel: string;
  readonly kind: NoticeKind;
  /** Ids of the questions. */
  readonly questions: readonly string[];
  readonly status: NoticeStatus;
  readonly attempts: number;
  /** When it is tried next, while it waits. */
  readonly nextAtMs?: number | undefined;
  readonly endedAtMs?: number | undefined;
  /** What went wrong last. Holds no address and no secret. */
  readonly problem?: Text | undefined;
}

/** A question as a link or a notice is bound to it. */
export interface Bound {
  readonly id: string;
  readonly digest: string;
}

/** What an address that stands in a notice opens. Only a hash of its secret is kept. */
export interface NoticeLink {
  /** `view` shows questions; the others answer one, once. */
  readonly kind: 'view' | 'approved' | 'declined';
  readonly channel: string;
  readonly questions: readonly Bound[];
  readonly expiresAtMs: number;
}

/** A browser that web push reaches. */
export interface PushDevice {
  readonly id: string;
  /** Who switched notices on there, as the log names them. */
  readonly person: string;
  /** What it calls itself, for the list. */
  readonly label: string;
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly locale: string;
  readonly createdAtMs: number;
}

export interface NoticeStore {
  /**
   * Takes the questions that this channel was not told of yet, as one notice to be delivered at once; of any number of
   * servers one gets each. Undefined where there is none, or the channel had a notice after `quietSinceMs`.
   */
  claim(claim: {
    readonly channel: string;
    readonly kind: 'question' | 'escalation' | 'digest';
    /** Of a digest, the one name of its time. */
    readonly questions: readonly string[];
    readonly quietSinceMs: number;
    readonly nowMs: number;
  }): Promise<NoticeRecord | undefined>;
  /** Which of the questions a channel was told of. */
  told(channel: string, questions: readonly string[]): Promise<ReadonlySet<string>>;
  /** When the channel had its last notice of questions. */
  lastAtMs(channel: string): Promise<number | undefined>;
  /** Begins a notice of no question. */
  test(channel: string, nowMs: number): Promise<NoticeRecord>;
  /** Takes what is due of these channels for one attempt; whoever dies with it lets others have it after `leaseMs`. */
  take(channels: readonly string[], nowMs: number, leaseMs: number): Promise<readonly NoticeRecord[]>;
  /** When the next is due. */
  nextAtMs(channels: readonly string[]): Promise<number | undefined>;
  settle(
    id: string,
    end: {
      readonly status: NoticeStatus;
      readonly problem?: Text | undefined;
      readonly nextAtMs?: number | undefined;
      readonly nowMs: number;
    },
  ): Promise<void>;
  /** The newest first. */
  list(limit: number): Promise<readonly NoticeRecord[]>;
  /** Resolves when questions change, and at the latest after that time. Ask before you look, wait after. */
  changed(timeoutMs: number, signal: AbortSignal): Promise<void>;

  /** Makes a link, and returns the secret part of its address. */
  createLink(link: NoticeLink): Promise<string>;
  /** Undefined where it is unknown, used or late. */
  findLink(secret: string, nowMs: number): Promise<NoticeLink | undefined>;
  /** The same for one use: nobody has it after that. */
  takeLink(secret: string, nowMs: number): Promise<NoticeLink | undefined>;

  addDevice(device: Omit<PushDevice, 'id'>): Promise<PushDevice>;
  devices(): Promise<readonly PushDevice[]>;
  removeDevice(id: string): Promise<boolean>;
}
