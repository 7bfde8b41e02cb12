import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { SshAccess, SshHost } from '../../contract/capabilities/signing.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { nameOf, type Target } from '../proxy/rules.ts';
import { isSignedBy } from './host-key.ts';
import { messagesIn, Reading, stringOf } from './wire.ts';

export interface SshAgentOptions {
  readonly access: SshAccess;
  /** Whether a person lets this session sign in to a host. */
  readonly opens: (client: Socket, host: Target) => Promise<boolean>;
  readonly refused: (because: Text) => void;
}

/**
 * The agent that commands of one outlet find (draft-miller-ssh-agent): a person's own, for logins at listed hosts only.
 * OpenSSH binds its connection to the agent to the host (PROTOCOL.agent, session-bind@openssh.com). A binding holds if a
 * pinned key signed it, and if that signature went over a connection of this outlet: a session that was begun elsewhere
 * is none of its commands'.
 */
export class SshAgent {
  readonly #options: SshAgentOptions;
  /** The bytes that each host sent over an open connection before it was encrypted. */
  readonly #beginnings = new Set<Beginning>();

  constructor(options: SshAgentOptions) {
    this.#options = options;
  }

  isFor(target: Target): boolean {
    return this.#hostOf(target) !== undefined;
  }

  /** Keeps the beginning of what a host says, where its key signs the session. */
  follow(target: Target, upstream: Socket): void {
    const host = this.#hostOf(target);
    if (!host) return;
    const beginning: Beginning = { host, bytes: Buffer.alloc(0) };
    this.#beginnings.add(beginning);
    upstream.once('close', () => this.#beginnings.delete(beginning));
    upstream.on('data', function take(chunk: Buffer) {
      beginning.bytes = Buffer.concat([beginning.bytes, chunk]);
      if (beginning.bytes.length > maxBeginningBytes) upstream.off('data', take);
    });
  }

  /** Answers each message of a client, in order. */
  async serve(client: Socket): Promise<void> {
    const bindings: (Binding | undefined)[] = [];
    for await (const message of messagesIn(client)) {
      const answer = await this.#answer(client, message, bindings).catch(() => failure);
      if (client.destroyed) return;
      client.write(stringOf(answer));
    }
    client.end();
  }

  async #answer(client: Socket, message: Buffer, bindings: (Binding | undefined)[]): Promise<Buffer> {
    if (message[0] === requestIdentities && message.length === 1) return this.#identities();
    if (message[0] === extension) {
      const binding = this.#bindingIn(message);
      // A refused one counts, so that a client cannot try until one holds.
      bindings.push(binding);
      return binding ? success : failure;
    }
    if (message[0] !== signRequest) return failure;
    const [binding] = bindings;
    const because = bindings.length > 1 ? boundTwice : this.#whyNot(message, binding);
    if (because || !binding) {
      this.#options.refused(because ?? unbound);
      return failure;
    }
    if (!(await this.#options.opens(client, binding.host))) return failure;
    const answer = await this.#ask(binding.message, message);
    return answer[0] === signResponse ? answer : failure;
  }

  #hostOf(target: Target): SshHost | undefined {
    return this.#options.access.hosts.find(({ host, port }) => host === target.host && port === target.port);
  }

  /** Undefined if the message binds to nothing that may be signed for. */
  #bindingIn(message: Buffer): Binding | undefined {
    const reading = new Reading(message.subarray(1));
    if (reading.text() !== 'session-bind@openssh.com') return undefined;
    const [hostKey, session, signature] = [reading.string(), reading.string(), reading.string()];
    const isForwarded = reading.byte() !== 0;
    if (!reading.isOver || isForwarded || !isSignedBy(hostKey, session, signature)) return undefined;
    const pinned = `${new Reading(hostKey).text()} ${hostKey.toString('base64')}`;
    const signed = stringOf(signature);
    const found = [...this.#beginnings].find(
      ({ host, bytes }) => host.keys.includes(pinned) && bytes.includes(signed),
    );
    return found && { host: found.host, hostKey, session, message };
  }

  #whyNot(message: Buffer, binding: Binding | undefined): Text | undefined {
    const request = new Reading(message.subarray(1));
    const [key, data] = [request.string(), request.string()];
    const login = loginIn(data);
    if (!login) return noLogin;
    if (!binding) return unbound;
    const isSame =
      login.session.equals(binding.session) &&
      login.key.equals(key) &&
      (login.hostKey?.equals(binding.hostKey) ?? true);
    if (!isSame) return elsewhere(nameOf(binding.host));
    return this.#mayUse(key) ? undefined : otherKey;
  }

  #mayUse(key: Buffer): boolean {
    const { keys } = this.#options.access;
    const digest = createHash('sha256').update(key).digest('base64').replace(/=+$/, '');
    return keys?.includes(`SHA256:${digest}`) ?? true;
  }

  async #identities(): Promise<Buffer> {
    const answer = await this.#ask(Buffer.from([requestIdentities]));
    const listed = new Reading(answer.subarray(5));
    const shown: Buffer[] = [];
    for (let left = answer.readUInt32BE(1); left > 0; left--) {
      const [key, comment] = [listed.string(), listed.string()];
      if (this.#mayUse(key)) shown.push(Buffer.concat([stringOf(key), stringOf(comment)]));
    }
    const head = Buffer.alloc(5);
    head.writeUInt8(identitiesAnswer);
    head.writeUInt32BE(shown.length, 1);
    return Buffer.concat([head, ...shown]);
  }

  /** The person's agent's answer to the last of these; it, too, may have a key that is bound to hosts. */
  async #ask(...messages: readonly Buffer[]): Promise<Buffer> {
    const { agent } = this.#options.access;
    if (agent === undefined) {
      this.#options.refused(noAgent);
      return failure;
    }
    const socket = connect(agent);
    using _ = defer(() => socket.destroy());
    // A security key waits for a touch.
    socket.setTimeout(patienceMs, () => socket.destroy());
    const answers = messagesIn(socket);
    let answer: Buffer = failure;
    for (const message of messages) {
      socket.write(stringOf(message));
      const { value } = await answers.next();
      answer = value ?? failure;
    }
    return answer;
  }
}

interface Beginning {
  readonly host: SshHost;
  bytes: Buffer;
}

interface Binding {
  readonly host: SshHost;
  readonly hostKey: Buffer;
  readonly session: Buffer;
  readonly message: Buffer;
}

/** The fields that a login by key signs (RFC 4252, section 7); undefined for anything else. */
function loginIn(data: Buffer) {
  try {
    const reading = new Reading(data);
    const session = reading.string();
    if (reading.byte() !== userauthRequest) return undefined;
    const [, service, method] = [reading.text(), reading.text(), reading.text()];
    const isBound = method === 'publickey-hostbound-v00@openssh.com';
    if (service !== 'ssh-connection' || !(isBound || method === 'publickey') || reading.byte() !== 1)
      return undefined;
    const [, key] = [reading.string(), reading.string()];
    const hostKey = isBound ? reading.string() : undefined;
    return reading.isOver ? { session, key, hostKey } : undefined;
  } catch {
    return undefined;
  }
}

const requestIdentities = 11;
const identitiesAnswer = 12;
const signRequest = 13;
const signResponse = 14;
const extension = 27;
const userauthRequest = 50;
const failure = Buffer.from([5]);
const success = Buffer.from([6]);
const patienceMs = 2 * 60_000;
/** Key exchanges of all kinds in use fit, with certificates and keys for the time after quantum computers. */
const maxBeginningBytes = 64 * 1024;

const noLogin = text(
  'A program asked the ssh agent to sign something other than a login by ssh.',
  'プログラムが ssh エージェントに、ssh のログイン以外の署名を求めました。',
);
const unbound = text(
  'A login is only signed for a connection that a command of this session opened to a host of signing.ssh, which proved itself by its known key, with an ssh of OpenSSH 8.9 or newer.',
  'ログインに署名するのは、このセッションのコマンドが signing.ssh のホストに開き、ホストが既知の鍵で証明した接続だけです（OpenSSH 8.9 以降の ssh が必要です）。',
);
const boundTwice = text('A forwarded agent signs nothing.', '転送されたエージェントは署名しません。');
const otherKey = text(
  'A program asked for a key that signing.ssh.keys does not list.',
  'プログラムが signing.ssh.keys にない鍵を求めました。',
);
const noAgent = text(
  'The server knows no ssh agent: set SSH_AUTH_SOCK where it starts, or signing.ssh.agent.',
  'サーバーに ssh エージェントがありません。起動時の SSH_AUTH_SOCK か signing.ssh.agent を設定してください。',
);

function elsewhere(host: string): Text {
  return text(
    `A program asked for the signature of a login that does not belong to its connection to ${host}.`,
    `プログラムが、${host} への接続のものではないログインの署名を求めました。`,
  );
}
