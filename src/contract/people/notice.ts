import type { Text } from '../text/text.ts';

/** How much a notice says: how many questions wait; also who asks and by which tool; or the question itself. */
export const details = ['none', 'summary', 'full'] as const;
export type Detail = (typeof details)[number];

/** The actions that a notice offers beside its link: none, decline, or approve and decline. */
export const actionKinds = ['none', 'deny', 'both'] as const;
export type Actions = (typeof actionKinds)[number];

/** Destinations of notices by protocol. Secrets are filled in. */
export type ChannelSettings =
  | { readonly kind: 'desktop' }
  | { readonly kind: 'terminal'; readonly form: 'osc9' | 'osc777' }
  | { readonly kind: 'push' }
  | {
      readonly kind: 'ntfy';
      /** Includes the topic as its last part. */
      readonly url: string;
      readonly token: string | undefined;
      readonly actions: Actions;
    }
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: string | undefined }
  | {
      readonly kind: 'slack';
      readonly url: string;
      readonly signingSecret: string | undefined;
      /** Slack member ids of the people who may press a button. */
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

/** A summary since the last one, sent at each of these times of the day. */
export interface DigestTimes {
  /** As minutes of the day, in order. */
  readonly atMinutes: readonly number[];
  /** Default: the machine's. */
  readonly timeZone: string | undefined;
  /** Names of channels. */
  readonly to: readonly string[];
}

/** Hours without notices, as minutes of the day; `from` may be later than `to`. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
  /** Default: the machine's. */
  readonly timeZone: string | undefined;
}

export interface NotifySettings {
  readonly channels: readonly Channel[];
  readonly detail: Detail;
  /** A channel gets at most one notice in this time; the next one covers questions that come in between. */
  readonly everyMs: number;
  readonly quiet: QuietHours | undefined;
  /** Channels that are notified only after a question was open for that long. */
  readonly escalate: { readonly afterMs: number; readonly to: readonly string[] } | undefined;
  readonly digest: DigestTimes | undefined;
  /** Origins of push services in addition to those of browsers. */
  readonly pushServices: readonly string[];
}

export type NoticeKind = 'question' | 'escalation' | 'digest' | 'test';

/** `dropped`: all its questions were answered or expired before delivery, or a digest was empty. */
export type NoticeStatus = 'waiting' | 'sent' | 'failed' | 'dropped';

/** One notice on one channel, and its delivery. */
export interface NoticeRecord {
  readonly id: string;
  readonly atMs: number;
  readonly channel: string;
  readonly kind: NoticeKind;
  /** Ids of the questions. */
  readonly questions: readonly string[];
  readonly status: NoticeStatus;
  readonly attempts: number;
  /** The time of the next attempt, while it waits. */
  readonly nextAtMs?: number | undefined;
  readonly endedAtMs?: number | undefined;
  /** The last error. Contains no address and no secret. */
  readonly problem?: Text | undefined;
}

/** The question that a link or a notice is bound to. */
export interface Bound {
  readonly id: string;
  readonly digest: string;
}

/** The target of an address in a notice. Only a hash of its secret is stored. */
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
  /** The person who turned on notices in it, as named in the log. */
  readonly person: string;
  /** Its name for the list. */
  readonly label: string;
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly locale: string;
  readonly createdAtMs: number;
}

export interface NoticeStore {
  /**
   * Takes the questions that this channel was not notified of yet as one notice, for immediate delivery; with several
   * servers, only one gets each. Undefined if there are none, or the channel had a notice after `quietSinceMs`.
   */
  claim(claim: {
    readonly channel: string;
    readonly kind: 'question' | 'escalation' | 'digest';
    /** For a digest, one name derived from its time. */
    readonly questions: readonly string[];
    readonly quietSinceMs: number;
    readonly nowMs: number;
  }): Promise<NoticeRecord | undefined>;
  /** The questions among these that the channel was notified of. */
  alreadyNotified(channel: string, questions: readonly string[]): Promise<ReadonlySet<string>>;
  /** When the channel had its last notice of questions. */
  lastAtMs(channel: string): Promise<number | undefined>;
  /** Begins a notice without a question. */
  test(channel: string, nowMs: number): Promise<NoticeRecord>;
  /** Takes the due notices of these channels for one attempt; after `leaseMs` others may take them. */
  take(channels: readonly string[], nowMs: number, leaseMs: number): Promise<readonly NoticeRecord[]>;
  /** The time when the next is due. */
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
  /** Resolves when questions change, or after that time. Call it before reading, await it after. */
  changed(timeoutMs: number, signal: AbortSignal): Promise<void>;

  /** Creates a link and returns the secret part of its address. */
  createLink(link: NoticeLink): Promise<string>;
  /** Undefined if the link is unknown, used or expired. */
  findLink(secret: string, nowMs: number): Promise<NoticeLink | undefined>;
  /** Like `findLink`, but uses up the link. */
  takeLink(secret: string, nowMs: number): Promise<NoticeLink | undefined>;

  addDevice(device: Omit<PushDevice, 'id'>): Promise<PushDevice>;
  devices(): Promise<readonly PushDevice[]>;
  removeDevice(id: string): Promise<boolean>;
}
