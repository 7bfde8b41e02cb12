import * as z from 'zod';
import { actionKinds, details } from '../../contract/people/notice.ts';
import { between, choice, section } from '../section.ts';

const nonEmpty = z.string().min(1).max(2000);
const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time such as "22:00"');
const actions = z.enum(actionKinds).optional();

export const channelSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('desktop') }),
  z.strictObject({ kind: z.literal('terminal'), form: z.enum(['osc9', 'osc777']).optional() }),
  z.strictObject({ kind: z.literal('push') }),
  z.strictObject({ kind: z.literal('ntfy'), url: nonEmpty, token: nonEmpty.optional(), actions }),
  z.strictObject({ kind: z.literal('webhook'), url: nonEmpty, secret: nonEmpty.optional() }),
  z.strictObject({
    kind: z.literal('slack'),
    url: nonEmpty,
    signingSecret: nonEmpty.optional(),
    people: z.array(nonEmpty).optional(),
    actions,
  }),
  z.strictObject({
    kind: z.literal('telegram'),
    token: nonEmpty,
    chat: z.union([nonEmpty, z.int()]),
    url: nonEmpty.optional(),
  }),
  z.strictObject({
    kind: z.literal('email'),
    smtp: nonEmpty,
    password: nonEmpty.optional(),
    from: nonEmpty,
    to: z.union([nonEmpty, z.array(nonEmpty).min(1).max(50)]),
  }),
]);

/** The key `notify`; `docs/notices.md` describes it. */
export const notifySchema = section({
  detail: choice(
    details,
    'How much a notice tells. "none": only that a question waits; "summary": the tool, the caller and the rule; "full": the question with its command and paths. Default: "summary".',
  ),
  everyMs: between(
    1000,
    86_400_000,
    'Each channel gets at most one notice in this time; it combines all questions asked meanwhile. Default: one minute.',
  ),
  quiet: z
    .strictObject({
      from: clock.describe(
        'When the quiet hours begin, e.g. "22:00". During quiet hours, no notices are sent.',
      ),
      to: clock.describe('When they end, e.g. "07:00". Questions that still wait are then reported.'),
      timeZone: nonEmpty.optional().describe('Their time zone, e.g. "Asia/Tokyo". Default: the machine\'s.'),
    })
    .describe(
      'Hours without notices, e.g. {"from": "22:00", "to": "07:00", "timeZone": "Asia/Tokyo"}. Questions that still wait are reported when they end.',
    ),
  escalate: z
    .strictObject({
      afterMs: between(
        1000,
        86_400_000,
        'A second person is notified about a question that nobody has answered for this long, e.g. 600000.',
      ),
      to: z.array(nonEmpty).min(1).describe('Channels of the second person, e.g. ["boss"].'),
    })
    .describe(
      'Channels of a second person, who is notified about a question only if nobody has answered it for this long: {"afterMs": 600000, "to": ["boss"]}.',
    ),
  digest: z
    .strictObject({
      at: z
        .union([clock, z.array(clock).min(1).max(24)])
        .describe(
          'Times of the day at which a digest is sent, e.g. ["08:00", "13:00"]. Sent by `serve --http`.',
        ),
      timeZone: nonEmpty.optional().describe('Their time zone, e.g. "Asia/Tokyo". Default: the machine\'s.'),
      to: z
        .array(nonEmpty)
        .min(1)
        .optional()
        .describe(
          'Channels of the digest, e.g. ["mail"]. Default: every channel that is not in notify.escalate.to.',
        ),
    })
    .describe(
      'A notice, at each of these times of the day, about what happened since the last one, e.g. {"at": ["08:00", "13:00"], "timeZone": "Asia/Tokyo", "to": ["mail"]}; without "to", on every channel that is not in "escalate". Sent by `serve --http`.',
    ),
  pushServices: z
    .array(nonEmpty)
    .describe(
      'Origins of web push services in addition to those of Chrome, Firefox, Safari and Edge, e.g. ["https://push.example.com"].',
    ),
  channels: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/), channelSchema)
    .describe(
      'Where notices go, under names that you choose: {kind: "desktop"}, {kind: "terminal", form}, {kind: "push"}, {kind: "ntfy", url, token, actions}, {kind: "webhook", url, secret}, {kind: "slack", url, signingSecret, people, actions}, {kind: "telegram", token, chat}, {kind: "email", smtp, password, from, to}. Write secrets as ${VARIABLE}. "push" needs no entry once a device has turned it on.',
    ),
});
