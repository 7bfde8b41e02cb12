/** The code of a system error, such as `ENOENT`; undefined for any other value. */
export function errnoCode(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
