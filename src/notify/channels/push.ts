import { createECDH } from 'node:crypto';
import type { PushDevice } from '../../contract/people/notice.ts';
import { text } from '../../contract/text/text.ts';
import { DeliveryFailure } from '../failure.ts';
import type { Notice } from '../notice.ts';
import { isGone, post } from './post.ts';

/** Our identity for push services: our own key pair (VAPID, RFC 8292). Both base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
  /** A contact for the service's operators: an https address or a mailto. */
  readonly subject: string;
}

export interface Pushing {
  readonly keys: VapidKeys;
  readonly services: readonly string[];
  /** The notice for this device, with a link for it alone. */
  noticeFor(device: PushDevice): Promise<Notice>;
  forget(device: PushDevice): Promise<unknown>;
}

/**
 * Sends to every device, encrypted for that device (RFC 8291). Devices unknown to their service are removed. If another
 * device fails, it throws and all are tried again: a device replaces a notice that has the same tag.
 */
export async function sendPush(
  devices: readonly PushDevice[],
  pushing: Pushing,
  signal: AbortSignal,
): Promise<void> {
  if (devices.length === 0)
    throw new DeliveryFailure(
      text('No device has turned notices on.', '通知を有効にした端末がありません。'),
      { isFinal: true },
    );
  const outcomes = await Promise.allSettled(devices.map((device) => sendTo(device, pushing, signal)));
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (failed.length > 0) throw failed[0];
}

async function sendTo(device: PushDevice, pushing: Pushing, signal: AbortSignal): Promise<void> {
  if (!isPushService(device.endpoint, pushing.services))
    throw new DeliveryFailure(
      text('A device’s address is not a push service.', '端末の送信先がプッシュサービスではありません。'),
      { isFinal: true },
    );
  const { default: webPush } = await import('web-push');
  const { id, kind, title, body, link, locale } = await pushing.noticeFor(device);
  const payload = JSON.stringify({ id, kind, title, body, link, locale });
  const request = webPush.generateRequestDetails(
    { endpoint: device.endpoint, keys: { ...device.keys } },
    payload,
    {
      vapidDetails: { ...pushing.keys },
      contentEncoding: 'aes128gcm',
      urgency: 'high',
      TTL: 24 * 60 * 60,
    },
  );
  const headers = Object.entries(request.headers as Record<string, string | number>)
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    .map(([name, value]) => [name, String(value)]);
  try {
    const body = new Uint8Array(request.body);
    await post({ url: request.endpoint, headers: Object.fromEntries(headers), body }, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
    await pushing.forget(device);
  }
}

/** Push services of browsers and those that the operator names: a page must not make us send elsewhere. */
function isPushService(endpoint: string, more: readonly string[]): boolean {
  const url = URL.parse(endpoint);
  if (url === null) return false;
  if (url.username !== '' || url.password !== '') return false;
  if (more.includes(url.origin)) return true;
  if (url.protocol !== 'https:' || url.port !== '') return false;
  return browsers.includes(url.hostname) || families.some((family) => url.hostname.endsWith(`.${family}`));
}

const browsers = ['fcm.googleapis.com', 'updates.push.services.mozilla.com', 'web.push.apple.com'];
const families = ['push.apple.com', 'notify.windows.com', 'push.services.mozilla.com'];

/** A P-256 key pair from 32 secret bytes, base64url, so that all servers of one state folder are the same sender. */
export function vapidKeysFrom(secret: Uint8Array): {
  readonly publicKey: string;
  readonly privateKey: string;
} {
  const curve = createECDH('prime256v1');
  // Throws for about one secret in 2^32 (no valid P-256 key), and always for the same ones.
  curve.setPrivateKey(secret);
  return {
    publicKey: curve.getPublicKey('base64url'),
    privateKey: Buffer.from(secret).toString('base64url'),
  };
}
