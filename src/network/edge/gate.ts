import { createHash } from 'node:crypto';
import type { LeakedSecret } from '../../contract/capabilities/command-life.ts';
import type { HeldRequest, RequestAnswer, SentRequest } from '../../contract/capabilities/process.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { unlessAborted } from '../../ground/waiting/abort.ts';
import { nameOf, type Target } from '../proxy/rules.ts';
import { isSwitch } from './fields.ts';
import type { Keys, Lending } from './keys/keys.ts';
import { lastingHeaders } from './kinds/carried.ts';
import { judgeRequest } from './kinds/judge.ts';
import type { EdgeRequest, RequestVerdict } from './request.ts';

/** A command whose requests a person can be asked about. */
export interface Asker {
  readonly ask: Ask;
  /** Whether it has opened the connection with this port of the sandbox's loopback. */
  readonly isFrom: (port: number) => boolean;
  /** Is told that it sent the stand-in of a secret where it may not go. */
  readonly leaked?: (leak: LeakedSecret) => void;
  /** The services that a person has let its session connect to. */
  readonly services: Set<string>;
}

/** Asks a person about a held request. */
export type Ask = (held: HeldRequest) => Promise<RequestAnswer>;

/** Judges the requests of one outlet, and holds those that do more than read until a person has answered. */
export type Gate = ReturnType<typeof createGate>;

export interface Waiting {
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
  /** The port that the client's connection came from. */
  readonly port: number | undefined;
}

export interface Holding extends Pick<Waiting, 'port'> {
  /** Is told that the request waits. Returns a signal that aborts when the client has left. */
  readonly hold: () => AbortSignal;
}

export type Judged =
  /** `lending`: its credentials, if its host may get or show any. */
  | { readonly passes: true; readonly lending?: Lending | undefined }
  | { readonly passes: false; readonly verdict: RequestVerdict; readonly because: Text };

export interface GateOptions {
  /** Notes a request that did more than read, or was not let through. */
  readonly note: (target: Target, sent: SentRequest) => void;
  readonly keys?: Keys | undefined;
  /** If no person is asked, everything passes that its credentials let pass. Default: one is. */
  readonly asks?: boolean | undefined;
  /** Whether a person's ssh agent signs for this host. */
  readonly isSsh?: ((target: Target) => boolean) | undefined;
}

interface Question {
  readonly asker: Asker | undefined;
  readonly answer: Promise<RequestAnswer>;
}

export function createGate({ note, keys, asks = true, isSsh }: GateOptions) {
  const asking: Asker[] = [];
  const questions = new Map<string, Question>();

  /** Undefined if it is not known, or there is only one. */
  function senderOf(port: number | undefined): Asker | undefined {
    return asking.length > 1 && port !== undefined ? asking.find(({ isFrom }) => isFrom(port)) : undefined;
  }

  /** Equal requests share a question, as a client that is tired of waiting sends its request again. */
  function questionOf(held: HeldRequest, port: number | undefined): Question {
    const known = questions.get(held.digest);
    if (known) return known;
    const found = senderOf(port);
    const asker = found ?? asking.at(-1);
    if (!asker) return { asker, answer: Promise.resolve({ isAllowed: false, because: nobody }) };
    if (questions.size >= maxQuestions)
      return { asker, answer: Promise.resolve({ isAllowed: false, because: tooMany }) };
    const isSure = found !== undefined || asking.length === 1;
    const asked = isSure ? held : { ...held, notes: [...held.notes, ofSome] };
    const question = { asker, answer: asker.ask(asked) };
    questions.set(held.digest, question);
    question.answer.then(
      (answer) => {
        // A later answer to an open question fits the same request.
        if (!answer.isAllowed && answer.isOpen) questions.delete(held.digest);
      },
      () => questions.delete(held.digest),
    );
    return question;
  }

  async function answerTo(held: HeldRequest, { signal, port }: Waiting): Promise<RequestAnswer> {
    const question = questionOf(held, port);
    const answer = await unlessAborted(question.answer, signal);
    if (!answer.isAllowed) return answer;
    // A yes is for one request.
    if (questions.get(held.digest) !== question) return { isAllowed: false, because: sentAlready };
    questions.delete(held.digest);
    return answer;
  }

  return {
    /** When the client has left, the question stays open for the same request. */
    async judge(request: EdgeRequest, { port, hold }: Holding): Promise<Judged> {
      const blind = keys?.blind(request) ?? request;
      const verdict = asStream(request, judgeRequest(blind));
      const refused = (because: Text, leaks?: string) => {
        const { method, target: path } = blind;
        note(request, { kind: verdict.kind, method, path, because: because.en });
        const sender = senderOf(port) ?? asking.at(-1);
        if (leaks) sender?.leaked?.({ secret: leaks, host: nameOf(request), method, path, because });
      };
      const due = keys?.refresh(request);
      if (due) await due;
      const lent = keys?.lend(request, refused);
      if (lent && 'because' in lent) return { passes: false, verdict, because: lent.because };
      if (verdict.kind === 'read' || !asks) return { passes: true, lending: lent };
      const held = heldFrom(blind, verdict);
      const answer = await answerTo(held, { port, signal: hold() });
      note(request, noted(held, answer));
      if (answer.isAllowed) return { passes: true, lending: lent };
      return { passes: false, verdict, because: answer.because };
    },
    /** A connection in a protocol that is not looked into: a yes lasts for the command's session. */
    async opens(target: Target, waiting: Waiting): Promise<boolean> {
      const name = nameOf(target);
      if (!asks || asking.some(({ services }) => services.has(name))) return true;
      const held = heldConnection(name, isSsh?.(target) ? signsIn : unread);
      const { asker, answer } = questionOf(held, waiting.port);
      const answered = await unlessAborted(answer, waiting.signal);
      if (!answered.isAllowed) {
        note(target, noted(held, answered));
        return false;
      }
      questions.delete(held.digest);
      // Several connections may have waited for the same answer.
      if (asker?.services.has(name)) return true;
      asker?.services.add(name);
      note(target, noted(held, answered));
      return true;
    },
    /** Whether a person lets something happen that no request asks for. */
    async agrees(held: HeldRequest, waiting: Waiting): Promise<RequestAnswer> {
      const answer = await answerTo(held, waiting);
      note(signing, noted(held, answer));
      return answer;
    },
    /** A request is asked about through the command that sent it. Returns the function that takes it back. */
    attend(asker: Asker): () => void {
      asking.push(asker);
      return () => {
        asking.splice(asking.indexOf(asker), 1);
        // A no lasts as long as its command, whose programs may try again.
        for (const [digest, question] of questions) if (question.asker === asker) questions.delete(digest);
      };
    },
  };
}

const maxQuestions = 64;

/** Stands for a host where a person's key signs. */
export const signing: Target = { host: 'signing', port: 0 };

function noted({ kind, method, path }: HeldRequest, answer: RequestAnswer): SentRequest {
  const how = answer.isAllowed ? { allowedBy: answer.by } : { because: answer.because.en };
  return { kind, method, path, ...how };
}

function heldConnection(host: string, note: Text): HeldRequest {
  return {
    kind: 'send',
    method: 'CONNECT',
    scheme: 'tcp',
    host,
    path: '',
    pathPattern: '',
    summary: text('opens a connection that is not looked into', '検査されない接続を開きます'),
    notes: [note],
    program: undefined,
    bodyBytes: 0,
    bodyStart: new Uint8Array(),
    isBodyWhole: true,
    digest: createHash('sha256').update(`tcp ${host}`).digest('hex'),
  };
}

const unread = text(
  'It speaks no HTTP, so whatever is sent over it is not seen. A yes lasts for this session.',
  'HTTP ではないため、送信される内容は確認できません。承認はこのセッションの間有効です。',
);
const signsIn = text(
  'By ssh, as you: your agent signs the login, and commands can do there whatever your key may. What is sent is not seen. A yes lasts for this session.',
  'ssh で、あなたとして接続します。あなたのエージェントがログインに署名し、コマンドはあなたの鍵に許されるすべての操作ができます。送信される内容は確認できません。承認はこのセッションの間有効です。',
);
const ofSome = text(
  'Several commands of this session run; which of them sends this is not known.',
  'このセッションでは複数のコマンドが実行中で、どれが送信するのかは分かりません。',
);
const mayDiffer = text(
  'Its size and first 64 KiB are compared when it is sent again after a later yes; what follows them is not.',
  '後で承認されて再送信されたときに照合するのは、サイズと先頭の 64 KiB だけです。それより後は照合しません。',
);

/** The bytes after a switch of protocols are not read, so the switch itself is asked about. */
function asStream({ headers }: EdgeRequest, verdict: RequestVerdict): RequestVerdict {
  if (!isSwitch(headers)) return verdict;
  const opens = text(
    'opens a stream in both directions, whose messages are not looked into',
    '双方向のストリームを開きます。その中のメッセージは検査されません',
  );
  return { ...verdict, kind: verdict.kind === 'read' ? 'send' : verdict.kind, summary: opens };
}

function heldFrom(request: EdgeRequest, { kind, summary, pathPattern, notes }: RequestVerdict): HeldRequest {
  const { method, host, port, scheme, target, headers, bodyStart, bodyBytes } = request;
  const named = (name: string) => headers.find(([each]) => each.toLowerCase() === name)?.[1];
  const usual = port === (scheme === 'https' ? 443 : 80);
  const boundary = /boundary="?([^";]+)/i.exec(named('content-type') ?? '')?.[1];
  const body = bodyStart.toString('latin1');
  const digest = createHash('sha256')
    .update(JSON.stringify([method, scheme, nameOf({ host, port }), target, bodyBytes ?? null]))
    .update(JSON.stringify(lastingHeaders(headers)))
    // Clients choose another separator for the same form each time.
    .update(boundary === undefined ? body : body.replaceAll(boundary, 'boundary'))
    .digest('hex');
  return {
    kind,
    method,
    scheme,
    host: usual ? host : nameOf({ host, port }),
    path: target,
    pathPattern,
    summary,
    notes: request.bodyIsWhole ? notes : [...notes, mayDiffer],
    program: named('user-agent'),
    bodyBytes,
    bodyStart,
    isBodyWhole: request.bodyIsWhole,
    digest,
  };
}

const nobody = text(
  'No command is running that a person could be asked about.',
  '人に確認できる実行中のコマンドがありません。',
);
const tooMany = text('Too many requests wait for a person.', '人の回答を待つリクエストが多すぎます。');
const sentAlready = text(
  'The same request was sent already with that approval.',
  'この承認では、同じリクエストがすでに送信されています。',
);
