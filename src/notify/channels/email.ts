import type { ChannelSettings } from '../../contract/people/notice.ts';
import { text } from '../../contract/text/text.ts';
import { isLoopbackHost } from '../../ground/secure-url.ts';
import { DeliveryFailure } from '../failure.ts';
import type { Notice } from '../notice.ts';

/** Plain text by SMTP. Passwords are sent only under TLS, except to a server on this machine. */
export async function sendEmail(
  { id, title, body, link, kind }: Notice,
  settings: Extract<ChannelSettings, { kind: 'email' }>,
): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const { host, port, secure, user, password, from, to } = settings;
  const isHere = isLoopbackHost(host);
  const transport = createTransport({
    host,
    port,
    secure,
    requireTLS: !secure && password !== undefined && !isHere,
    ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from,
      to: [...to],
      subject: title,
      text: [body, link].filter((part) => part !== undefined && part !== '').join('\n\n'),
      // Prevents automatic replies.
      headers: { 'auto-submitted': 'auto-generated', 'x-sekisho-notice': `${kind} ${id}` },
    });
  } catch (error) {
    throw failureOf(error);
  } finally {
    transport.close();
  }
}

function failureOf(error: unknown): DeliveryFailure {
  const { code = '', responseCode } = error as { readonly code?: string; readonly responseCode?: number };
  const known = /^[A-Z]{1,30}$/.test(code) ? code : 'error';
  const detail = responseCode === undefined ? known : `${known} ${responseCode}`;
  return new DeliveryFailure(
    text(
      `The mail server did not accept it (${detail}).`,
      `メールサーバーが受け付けませんでした（${detail}）。`,
    ),
    // 5xx replies are final, and wrong credentials stay wrong.
    { isFinal: (responseCode ?? 0) >= 500 || code === 'EAUTH' },
  );
}
