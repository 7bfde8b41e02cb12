type Schema = Readonly<Record<string, unknown>>;

/** The member that `a.b` names in a listed schema, whether it is required, and whether it may be null. */
export function listedMember(schema: Schema, path: string) {
  let inner = schema;
  let member = schema;
  let isRequired = true;
  let isNullable = false;
  for (const name of path.split('.')) {
    const next = (inner.properties as Readonly<Record<string, Schema>> | undefined)?.[name];
    if (next === undefined) return undefined;
    member = next;
    isRequired &&= requiredIn(inner).includes(name);
    const forms = (member.anyOf ?? member.oneOf ?? [member]) as readonly Schema[];
    isNullable = forms.some(({ type }) => type === 'null');
    inner = forms.find(({ type }) => type !== 'null') ?? member;
  }
  // A list of strings is of strings; a line number is a number.
  const type = inner.type ?? (inner.enum ? 'string' : undefined);
  return { type, isRequired, isNullable, fallback: member.default };
}

/** Required of a result: what an error has instead stands beside it. */
function requiredIn({ required, anyOf }: Schema): readonly unknown[] {
  if (Array.isArray(required)) return required;
  const forms = Array.isArray(anyOf) ? (anyOf as readonly Schema[]).map((form) => form.required) : [];
  return (forms.find((each) => Array.isArray(each) && !each.includes('error')) as readonly unknown[]) ?? [];
}
