import { randomUUID } from 'node:crypto';

const form = /^\.sekisho-[0-9a-f]{16}\.tmp$/;

/** Is this one of the names that a write uses until it is whole? Listings leave them out. */
export function isTemporaryName(name: string): boolean {
  return name.length === 29 && form.test(name);
}

/** Of a UUID, whose random bytes Node has at hand. */
export function temporaryName(): string {
  return `.sekisho-${randomUUID().replaceAll('-', '').slice(-16)}.tmp`;
}
