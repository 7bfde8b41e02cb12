import type { Secrets } from '../contract/capabilities/secrets.ts';
import { orElse } from '../ground/or-else.ts';
import { secretName } from '../ground/secrets/named.ts';
import { formsOf } from '../network/edge/keys/forms.ts';

/** Puts `${secret:NAME}` in place of each value of a credential in a reply or a record, in the forms that the edge knows. */
export function createHider(secrets: Secrets): <T>(value: T) => T {
  return <T>(value: T) => {
    const sought = secrets.rules.flatMap(({ name, as }) => {
      const whole = orElse(() => secrets.valueOf(name), undefined);
      if (whole === undefined) return [];
      // The id of a key of AWS is no secret.
      const parts = as.includes('sigv4') ? whole.split(':').slice(1) : [whole];
      return parts.flatMap(formsOf).map((form) => ({ form, put: secretName(name) }));
    });
    return sought.length > 0 ? (hidden(value, sought) as T) : value;
  };
}

/** The same object if it holds none. */
function hidden(value: unknown, sought: readonly { readonly form: string; readonly put: string }[]): unknown {
  if (typeof value === 'string')
    return sought.reduce(
      (rest, { form, put }) => (rest.includes(form) ? rest.replaceAll(form, put) : rest),
      value,
    );
  if (Array.isArray(value)) {
    const members = value.map((member) => hidden(member, sought));
    return members.some((member, index) => member !== value[index]) ? members : value;
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, hidden(member, sought)] as const);
  const isSame = members.every(([key, member]) => member === (value as Record<string, unknown>)[key]);
  return isSame ? value : { ...value, ...Object.fromEntries(members) };
}
