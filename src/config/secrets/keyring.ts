import type { AsyncEntry } from '@napi-rs/keyring';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { unlessAborted } from '../../ground/waiting/abort.ts';
import type { Found } from './from-command.ts';

/** The value of a name in the desktop's keyring (the Secret Service of Linux). */
export async function fromKeyring(name: string): Promise<Found> {
  try {
    const value = await inTime((await entryOf(name)).getPassword());
    return value == null ? { why: noneKept(name) } : { value };
  } catch {
    return { why: noKeyring };
  }
}

/** Keeps a value there, or removes the name; false if there is none to remove. Throws `unavailable` without a keyring. */
export async function keepInKeyring(name: string, value: string | undefined): Promise<boolean> {
  try {
    const entry = await entryOf(name);
    if (value === undefined) return await inTime(entry.deleteCredential());
    await inTime(entry.setPassword(value));
    return true;
  } catch (cause) {
    throw new ToolError('unavailable', noKeyring.en, noKeyring.ja, { cause });
  }
}

/** The library would otherwise use the kernel's keyring, which is empty after a restart. */
async function entryOf(name: string): Promise<AsyncEntry> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return new AsyncEntry('sekisho', name, { linux: { store: 'secret-service' } });
}

/** A keyring that is locked waits for its person. */
function inTime<T>(work: Promise<T>): Promise<T> {
  return unlessAborted(work, AbortSignal.timeout(patienceMs));
}

const patienceMs = 30_000;

const noKeyring = text(
  'No keyring answers, or it stays locked: a desktop has one (Secret Service over D-Bus). Unlock it, or remove `from` and use `sekisho secret set`.',
  'キーリングが応答しないか、ロックされたままです（デスクトップの D-Bus の Secret Service が必要です）。ロックを解除するか、`from` を削除して `sekisho secret set` を使ってください。',
);

function noneKept(name: string) {
  return text(
    `The keyring has none. Set it: sekisho secret set ${name}`,
    `キーリングにありません。sekisho secret set ${name} で設定してください。`,
  );
}
