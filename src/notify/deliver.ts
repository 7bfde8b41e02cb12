import type {
  Channel,
  NoticeLink,
  NoticeRecord,
  NoticeStore,
  NotifySettings,
} from '../contract/people/notice.ts';
import type { Digest } from '../contract/people/story.ts';
import type { ApprovalRecord, ApprovalStore } from '../contract/records.ts';
import { isLocale, type Locale, type Text, text } from '../contract/text/text.ts';
import type { VapidKeys } from './channels/push.ts';
import type { Terminal } from './channels/terminal.ts';
import { composeDigest, digestSinceMs } from './digest.ts';
import { DeliveryFailure } from './failure.ts';
import { composeNotice, type Notice } from './notice.ts';

export interface DeliveryDependencies {
  readonly settings: NotifySettings;
  readonly locale: Locale;
  notices(): Promise<NoticeStore>;
  approvals(): Promise<ApprovalStore>;
  /** Summarizes what happened since then. */
  digest(sinceMs: number): Promise<Digest>;
  /** Whether any passkey exists. Then a link alone must not approve anything. */
  hasPasskey(): Promise<boolean>;
  /** The base of addresses in notices; undefined if the server is not reachable from elsewhere. */
  base(): string | undefined;
  vapid(): Promise<Omit<VapidKeys, 'subject'>>;
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  now(): number;
}

/** Delivers notices that were taken, one attempt each. */
export class Delivery {
  readonly #given: DeliveryDependencies;
  readonly #signal: AbortSignal;

  constructor(given: DeliveryDependencies, signal: AbortSignal) {
    this.#given = given;
    this.#signal = signal;
  }

  /** Attempts once to deliver the notice; returns its record afterwards. */
  async deliver(record: NoticeRecord): Promise<NoticeRecord> {
    const { settings, now } = this.#given;
    const notices = await this.#given.notices();
    const channel = settings.channels.find(({ name }) => name === record.channel);
    const waiting = await stillWaiting(record, await this.#given.approvals());
    const end = async (
      status: NoticeRecord['status'],
      more: { readonly problem?: Text; readonly nextAtMs?: number } = {},
    ): Promise<NoticeRecord> => {
      const nowMs = now();
      await notices.settle(record.id, { status, ...more, nowMs });
      const ended = status === 'waiting' ? {} : { endedAtMs: nowMs };
      return { ...record, nextAtMs: undefined, status, ...more, ...ended };
    };
    if (!channel) return end('failed', { problem: notConfigured });
    const isOfQuestions = record.kind === 'question' || record.kind === 'escalation';
    if (waiting.length === 0 && isOfQuestions) return end('dropped');
    try {
      const sinceMs = record.kind === 'digest' ? digestSinceMs(settings.digest, record.atMs) : undefined;
      const digest = sinceMs === undefined ? undefined : await this.#given.digest(sinceMs);
      if (digest?.calls === 0 && digest.questions.waiting === 0) return await end('dropped');
      await this.#send(this.#noticeOf(record, waiting, digest), channel, waiting);
      return await end('sent');
    } catch (error) {
      if (!(error instanceof DeliveryFailure)) {
        await end('failed', { problem: ownFault });
        throw error;
      }
      // The server is stopping: the next one tries at once.
      if (this.#signal.aborted) return end('waiting', { problem: error.problem, nextAtMs: now() });
      const pauseMs = error.retryAfterMs ?? pauses[record.attempts - 1];
      if (error.isFinal || pauseMs === undefined || record.kind === 'test')
        return end('failed', { problem: error.problem });
      return end('waiting', { problem: error.problem, nextAtMs: now() + pauseMs });
    }
  }

  #noticeOf(
    { id, kind, atMs }: NoticeRecord,
    questions: readonly ApprovalRecord[],
    digest: Digest | undefined,
  ): NoticeIn {
    const { detail } = this.#given.settings;
    return (locale) =>
      digest
        ? composeDigest({ id, atMs, digest, detail, locale })
        : composeNotice({ id, kind, atMs, questions, detail, locale });
  }

  async #send(noticeIn: NoticeIn, channel: Channel, waiting: readonly ApprovalRecord[]): Promise<void> {
    const { locale, environment, terminal, now } = this.#given;
    const signal = this.#signal;
    const base = this.#given.base();
    const notice = noticeIn(locale);
    const linked = { ...notice, link: base && `${base}${pageOf(notice)}` };
    switch (channel.kind) {
      case 'desktop':
        return (await import('./channels/desktop.ts')).sendDesktop(linked, environment, signal);
      case 'terminal':
        return (await import('./channels/terminal.ts')).sendTerminal(linked, channel, terminal);
      case 'webhook':
        return (await import('./channels/webhook.ts')).sendWebhook(linked, channel, now(), signal);
      case 'telegram':
        return (await import('./channels/telegram.ts')).sendTelegram(linked, channel, signal);
      case 'email':
        return (await import('./channels/email.ts')).sendEmail(linked, channel);
      case 'ntfy': {
        const { sendNtfy } = await import('./channels/ntfy.ts');
        const at = base && `${base}/notices/answer/`;
        const links = at && (await this.#answers(channel, waiting, at));
        return sendNtfy({ ...linked, ...links }, channel, signal);
      }
      case 'slack': {
        const { sendSlack } = await import('./channels/slack.ts');
        const links = base && (await this.#answers(channel, waiting, ''));
        return sendSlack({ ...linked, ...links }, channel, signal);
      }
      case 'push':
        return this.#push(noticeIn, waiting);
    }
  }

  /** Links that answer from within the message: for a single question only, each for one use. */
  async #answers(
    { name, actions: wanted }: Extract<Channel, { kind: 'ntfy' | 'slack' }>,
    [question, ...others]: readonly ApprovalRecord[],
    at: string,
  ): Promise<Pick<Notice, 'deny' | 'allow'>> {
    if (wanted === 'none' || question === undefined || others.length > 0) return {};
    // Only our console and terminal may answer this one; a button would be refused.
    if (question.answer === 'person') return {};
    const link = async (kind: 'approved' | 'declined') => at + (await this.#linkTo(kind, name, [question]));
    const mayAllow = wanted === 'both' && !(await this.#given.hasPasskey());
    return { deny: await link('declined'), allow: mayAllow ? await link('approved') : undefined };
  }

  async #linkTo(
    kind: NoticeLink['kind'],
    channel: string,
    questions: readonly ApprovalRecord[],
  ): Promise<string> {
    return (await this.#given.notices()).createLink({
      kind,
      channel,
      questions: questions.map(({ id, digest }) => ({ id, digest })),
      expiresAtMs: Math.max(...questions.map(({ expiresAtMs }) => expiresAtMs)),
    });
  }

  async #push(noticeIn: NoticeIn, waiting: readonly ApprovalRecord[]): Promise<void> {
    const { sendPush } = await import('./channels/push.ts');
    const { settings, locale: otherwise } = this.#given;
    const notices = await this.#given.notices();
    const base = this.#given.base();
    const subject = base?.startsWith('https://') ? base : 'mailto:operator@localhost.invalid';
    await sendPush(
      await notices.devices(),
      {
        keys: { ...(await this.#given.vapid()), subject },
        services: settings.pushServices,
        noticeFor: async ({ locale }) => {
          const composed = noticeIn(isLocale(locale) ? locale : otherwise);
          // A path, because the device knows its origin. The link is for this device alone.
          const link =
            waiting.length === 0 ? pageOf(composed) : `/q/${await this.#linkTo('view', 'push', waiting)}`;
          return { ...composed, link };
        },
        forget: (device) => notices.removeDevice(device.id),
      },
      this.#signal,
    );
  }
}

type NoticeIn = (locale: Locale) => Notice;

function pageOf({ kind }: Notice): string {
  return kind === 'digest' ? '/sessions' : kind === 'test' ? '/notices' : '/approvals';
}

async function stillWaiting(
  { questions }: NoticeRecord,
  approvals: ApprovalStore,
): Promise<readonly ApprovalRecord[]> {
  const records = await Promise.all(questions.map((id) => approvals.get(id)));
  return records.filter((record) => record?.status === 'pending') as ApprovalRecord[];
}

const notConfigured = text('The channel is no longer configured.', 'このチャンネルの設定はなくなりました。');
const ownFault = text('The reason is in the log of the server.', '理由はサーバーのログにあります。');

/** Pauses between attempts; after the last one the notice has failed. */
const pauses = [1000, 3000, 10_000, 30_000, 120_000, 600_000];
