import { randomUUID } from 'node:crypto';

const form = /^\.sekisho-[0-9a-f]{16}\.tmp$/;

/** Whether a name is the temporary name of a write; listings leave these out. */
export function isTemporaryName(name: string): boolean {
  return name.length === 29 && form.test(name);
}

/** From a UUID, whose random bytes Node has in stock. */
export function temporaryName(): string {
  return `.sekisho-${randomUUID().replaceAll('-', '').slice(-16)}.tmp`;
}
