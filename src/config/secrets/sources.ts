import { readFileSync } from 'node:fs';
import type { Secrets } from '../../contract/capabilities/secrets.ts';
import { text } from '../../contract/text/text.ts';
import { whyUnfit } from '../../ground/secrets/stand-in.ts';
import { type Found, firstLineFrom } from './from-command.ts';
import type { KeptSecrets } from './kept-secrets.ts';
import type { SecretSettings } from './secrets.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The values are looked up each time. One that cannot be told from other text counts as not set. */
export function openSecrets(
  settings: readonly SecretSettings[],
  environment: Variables,
  kept: Pick<KeptSecrets, 'read'>,
): Secrets {
  const slow = new Map(settings.flatMap((each) => slowSourceOf(each, environment) ?? []));
  const named = new Map(settings.map((each) => [each.name, each]));
  const find = (name: string): Found => {
    const { from, as = [] } = named.get(name) ?? {};
    const found =
      slow.get(name)?.found ??
      (typeof from !== 'object' || 'command' in from
        ? foundIn(kept.read().get(name), notKept(name))
        : 'env' in from
          ? foundIn(environment[from.env], notInVariable(from.env))
          : firstLineOf(from.file));
    const why = 'value' in found ? whyUnfit(found.value, as) : undefined;
    return why ? { why } : found;
  };
  return {
    rules: settings,
    valueOf(name) {
      const found = find(name);
      return 'value' in found ? found.value : undefined;
    },
    whyNone(name) {
      const found = find(name);
      return 'why' in found ? found.why : undefined;
    },
    refresh(names) {
      const waiting = names.flatMap((name) => slow.get(name)?.refresh() ?? []);
      return waiting.length > 0 ? Promise.all(waiting) : undefined;
    },
  };
}

/** A value that takes waiting, which is read once at a time and then kept. */
class SlowSource {
  found: Found = { why: text('It has not been read yet.', 'まだ読み込まれていません。') };
  readonly #read: () => Promise<Found>;
  readonly #keptMs: number;
  #dueAt = 0;
  #reading: Promise<void> | undefined;

  constructor(read: () => Promise<Found>, keptMs: number) {
    this.#read = read;
    this.#keptMs = keptMs;
  }

  refresh(): Promise<void> | undefined {
    if (this.#reading || performance.now() < this.#dueAt) return this.#reading;
    this.#reading = this.#read().then((found) => {
      this.found = found;
      // A failure may pass, but must not start a program for each request.
      this.#dueAt = performance.now() + ('value' in found ? this.#keptMs : Math.min(this.#keptMs, failedMs));
      this.#reading = undefined;
    });
    return this.#reading;
  }
}

const failedMs = 10_000;

function slowSourceOf(
  { name, from }: SecretSettings,
  environment: Variables,
): [string, SlowSource][] | undefined {
  if (from === 'keyring') {
    const read = async () => (await import('./keyring.ts')).fromKeyring(name);
    // It is asked each time, so that a value which is removed there goes nowhere.
    return [[name, new SlowSource(read, 0)]];
  }
  if (from === undefined || !('command' in from)) return undefined;
  const { command, seconds = Number.POSITIVE_INFINITY } = from;
  return [[name, new SlowSource(() => firstLineFrom(command, environment), seconds * 1000)]];
}

function foundIn(value: string | undefined, why: ReturnType<typeof notKept>): Found {
  return value === undefined ? { why } : { value };
}

function firstLineOf(path: string): Found {
  try {
    return { value: readFileSync(path, 'utf8').split(/\r?\n/, 1)[0] ?? '' };
  } catch {
    return { why: text(`The file ${path} cannot be read.`, `ファイル ${path} を読めません。`) };
  }
}

function notKept(name: string) {
  return text(
    `None is kept. Set it: sekisho secret set ${name}`,
    `保存された値がありません。sekisho secret set ${name} で設定してください。`,
  );
}

function notInVariable(variable: string) {
  return text(`The variable ${variable} is not set.`, `変数 ${variable} が設定されていません。`);
}
