import { randomUUID } from 'node:crypto';
import type { EffectsJudge } from '../../contract/capabilities/command-life.ts';
import type { HeldRequest, RequestAnswer } from '../../contract/capabilities/process.ts';
import type { EffectVerdict } from '../../contract/effects.ts';
import { ToolError } from '../../contract/error.ts';
import type { AuditLog, QuestionParts } from '../../contract/records.ts';
import { cleanLine, cleanText } from '../../contract/text/clean-text.ts';
import { type Locale, type Text, text } from '../../contract/text/text.ts';
import { counted } from '../../ground/counted.ts';
import { factGrant } from '../../ground/questions/would-cover.ts';
import { callDigest } from '../approve.ts';
import { consentTo } from '../asking/consent.ts';
import { callLines, grantLines, headlineOf, questionParts, reasonLines } from '../asking/question.ts';
import type { RunNotes } from '../run.ts';
import type { Permit } from '../slips.ts';
import { createHold, whileItWaits } from './holding.ts';
import { recordLeaks } from './leak.ts';
import { pendingLayerMs } from './pending-layers.ts';
import { holdLate, type SettleDependencies, settle } from './settle.ts';

/**
 * The one place where the effects of a call's commands are decided about. The same call sent again, whose layer waits for
 * a person, continues with that layer and runs nothing.
 */
export function createEffectsJudge(
  permit: Permit,
  dependencies: SettleDependencies & { readonly audit: () => Promise<AuditLog> },
  notes: RunNotes,
): EffectsJudge {
  const digest = callDigest(permit, permit.risk);
  const { pending, rules } = dependencies;
  const isTried = permit.onLayer === true;
  let isAnswered = false;
  return {
    isTried,
    readChanges: rules.readChanges,
    isObeyed: rules.isObeyed,
    allows: (effects) => rules.decide(effects, isTried).decision === 'allow',
    foresee: (effects) => rules.decide(effects, true),
    settleWaiting() {
      const waiting = pending.take(permit, digest);
      return waiting && settle(waiting, permit, digest, dependencies, notes);
    },
    settle: (ended) => settle({ ...ended, digest: randomUUID() }, permit, digest, dependencies, notes),
    settleLate: (ended) => holdLate({ ...ended, digest: randomUUID() }, permit, digest, dependencies),
    hold: (isAnswered) => createHold(permit, dependencies, notes, isAnswered),
    askAboutRequest: askAboutRequests(permit, dependencies, notes, () => isAnswered),
    leaked: recordLeaks(permit, dependencies.audit),
    goesOn() {
      isAnswered = true;
    },
    ranDirectly(why) {
      notes.facts.direct = why;
    },
  };
}

/**
 * Asks about a request that a command sends to an inspected host and that does more than read; it is held meanwhile. A
 * question without an answer stays open, and a later yes lets the same request pass once. `isAnswered`: the call has had
 * its reply, so only the queue can be asked.
 */
function askAboutRequests(
  permit: Permit,
  dependencies: SettleDependencies,
  notes: RunNotes,
  isAnswered: () => boolean,
): EffectsJudge['askAboutRequest'] {
  const requests: object[] = [];

  return async (held, ended) => {
    const { kind, method, host, path, digest } = held;
    // Nothing is lost while a port waits, and there is nothing to ask about after its command.
    const isListening = kind === 'listen';
    const verdict = dependencies.rules.decideRequest(held);
    const { rule = `request-${kind}`, writtenAt, answer } = verdict ?? {};
    const grant = answer ? undefined : grantOf(permit, held);
    const because = reasonOf(held, verdict);
    const fact: Record<string, unknown> = {
      kind,
      method,
      host,
      path,
      ...(grant !== undefined && { grant: factGrant(grant) }),
      ...(verdict && { rule }),
    };
    if (requests.push(fact) > mostFacts) requests.shift();
    notes.facts.requests = requests;
    if (verdict?.decision === 'allow') {
      fact.allowedBy = `rule ${rule}`;
      return { isAllowed: true, by: `rule ${rule}` };
    }
    if (verdict?.decision === 'deny') {
      fact.refused = 'denied';
      return { isAllowed: false, because: refusedBy(verdict) };
    }
    try {
      const { approver } = await consentTo(
        whileItWaits(permit, isAnswered(), ended),
        {
          digest,
          rule,
          writtenAt,
          answer,
          grant,
          message: () => questionOf(permit, held, { rule, writtenAt, answer, because, grant }),
          parts: partsOf(permit, held, because),
          onPending: ({ id }) => {
            fact.question = id;
          },
        },
        isListening && isAnswered() ? { ...dependencies, waitMs: pendingLayerMs } : dependencies,
      );
      notes.knows({ approver });
      fact.allowedBy = approver;
      return { isAllowed: true, by: approver };
    } catch (error) {
      fact.refused = error instanceof ToolError ? error.code : 'unanswered';
      if (isListening && ended.aborted && typeof fact.question === 'string')
        await (await dependencies.approvals()).decide(
          ...([fact.question, 'declined', 'the server, as its command was ended', 'once'] as const),
          dependencies.now(),
        );
      return refusalFor(error);
    }
  };
}

/** The record of a call lists the newest. */
const mostFacts = 32;

function refusalFor(error: unknown): RequestAnswer {
  if (!(error instanceof ToolError)) return { isAllowed: false, because: unanswered, isOpen: true };
  const { en, ja } = error.text;
  const more = error.suggestion;
  return {
    isAllowed: false,
    because: more ? text(`${en} ${more.en}`, `${ja}${more.ja}`) : error.text,
    isOpen: error.code !== 'denied',
  };
}

const unanswered = text(
  'The question about this request was not answered.',
  'このリクエストについての質問に回答がありませんでした。',
);

/** The extent of a standing approval: requests of this kind to this host, to paths of this pattern. */
function grantOf({ tool }: Permit, { kind, scheme, host, pathPattern }: HeldRequest): string {
  const request = { kind, to: `${scheme}://${host}${pathPattern}` };
  return JSON.stringify({ tool: tool.name, request, decision: 'allow' });
}

function reasonOf({ summary, host }: HeldRequest, verdict: EffectVerdict | undefined): Text {
  const inOne = (locale: Locale) =>
    [
      `${cleanLine(summary[locale])} (${host})`,
      ...(verdict ? [cleanLine(verdict.because[locale])] : []),
    ].join(': ');
  return text(inOne('en'), inOne('ja'));
}

function refusedBy({ rule, because }: EffectVerdict): Text {
  return text(
    `The rule ${rule} refuses this request: ${because.en}.`,
    `ルール ${rule} がこのリクエストを拒否しました: ${because.ja}。`,
  );
}

function questionOf(
  permit: Permit,
  held: HeldRequest,
  why: Parameters<typeof reasonLines>[0] & { readonly grant: string | undefined },
): Text {
  const inOne = (locale: Locale) =>
    [
      headlineOf(`${held.method} ${held.host}${held.path}`, why.because[locale]),
      ...callLines(permit, locale),
      ...requestLines(held, locale),
      ...reasonLines(why, locale),
      heldWords(held)[locale],
      ...(why.grant === undefined ? [] : grantLines(why.grant, undefined, locale)),
    ].join('\n');
  return text(inOne('en'), inOne('ja'));
}

/** The same for a page. */
function partsOf(permit: Permit, held: HeldRequest, because: Text): QuestionParts {
  const parts = questionParts(permit, { because }, permit.call.arrival.client);
  const details = (locale: Locale) =>
    [...requestLines(held, locale), heldWords(held)[locale], parts.details[locale]]
      .filter((line) => line !== '')
      .join('\n');
  return { ...parts, details: text(details('en'), details('ja')) };
}

function heldWords({ kind }: HeldRequest): Text {
  return kind === 'listen' ? labels.closed : labels.held;
}

function requestLines(held: HeldRequest, locale: Locale): readonly string[] {
  const { method, scheme, host, path, program, bodyBytes, notes } = held;
  const size = bodyBytes === undefined ? labels.unknown[locale] : counted(bodyBytes, 'byte');
  return [
    `${labels.request[locale]}: ${cleanLine(`${method} ${scheme}://${host}${path}`).slice(0, maxPathChars)}`,
    ...(program === undefined
      ? []
      : [`${labels.program[locale]}: ${cleanLine(program).slice(0, maxNameChars)}`]),
    ...notes.map((note) => `- ${cleanLine(note[locale])}`),
    ...(bodyBytes === 0 ? [] : [`${labels.body[locale]} (${size}):`, ...firstLines(held, locale)]),
  ];
}

/** Marked, so that none of them passes for one of ours. */
function firstLines({ bodyStart, isBodyWhole }: HeldRequest, locale: Locale): readonly string[] {
  const shown = Buffer.from(bodyStart.subarray(0, maxBodyBytes));
  const words = cleanText(shown.toString('utf8'));
  if (isBinary(shown)) return [`  | ${labels.binary[locale]}`];
  const lines = words.split('\n');
  const isCut = !isBodyWhole || bodyStart.length > maxBodyBytes || lines.length > maxLines;
  return [...lines.slice(0, maxLines), ...(isCut ? ['…'] : [])].map((line) => `  | ${line}`);
}

function isBinary(bytes: Buffer): boolean {
  return bytes.includes(0) || bytes.toString('utf8').split('\ufffd').length > bytes.length / 50 + 2;
}

const maxBodyBytes = 2000;
const maxLines = 30;
const maxPathChars = 2000;
const maxNameChars = 200;

const labels = {
  request: text('Request', 'リクエスト'),
  program: text('The program calls itself', 'プログラムの自称'),
  body: text('It would send', '送信する内容'),
  unknown: text('of unknown length', '長さは不明'),
  binary: text('(not text)', '(テキストではありません)'),
  closed: text(
    'The port is not open yet. The command goes on, whatever you answer.',
    'このポートはまだ開かれていません。回答にかかわらず、コマンドは続行します。',
  ),
  held: text(
    'The request is held, and nothing of it has left yet. If you do not agree, or nobody answers in time, it is refused.',
    'このリクエストは保留中で、まだ何も送信されていません。承認しない場合や、時間内に回答がない場合は拒否されます。',
  ),
} as const;
