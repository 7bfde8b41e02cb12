import { type Text, text } from '../../contract/text/text.ts';

const form = /\$\{secret:([a-z][a-z\d-]{0,63})\}/g;

/** How a setting names a credential, in place of its value. */
export function secretName(name: string): string {
  return `\${secret:${name}}`;
}

/** The credentials that these settings name, once each. */
export function secretsIn(settings: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set(Object.values(settings).flatMap((words) => [...words.matchAll(form)].map(nameOf)))];
}

/** The settings with what `lookUp` returns in place of these names. */
export function fillSecrets(
  settings: Readonly<Record<string, string>>,
  lookUp: (name: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, words]) => [
      key,
      words.replace(form, (_, name: string) => lookUp(name)),
    ]),
  );
}

function nameOf([, name = '']: RegExpExecArray): string {
  return name;
}

/** The reason may name a path of the host, which is for the person alone. */
export function hasNone(name: string): Text {
  return text(
    `The secret “${name}” has no value. \`sekisho secret test ${name}\` says why.`,
    `シークレット「${name}」に値がありません。理由は \`sekisho secret test ${name}\` で確認できます。`,
  );
}
