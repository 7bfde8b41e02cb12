/** Copies every record into an empty store of either kind, and reports the number of rows per table. */
export async function copyRecords(
  {
    from,
    to,
    stateFolder,
  }: { readonly from: string; readonly to: string; readonly stateFolder: string | undefined },
  tell: (table: string, rows: number) => void,
): Promise<void> {
  const { copyStore } = await import('../../store/copy.ts');
  const { openStore } = await import('../../store/open-store.ts');
  const source = await openStore({ url: from, stateFolder });
  const target = await openStore({ url: to, stateFolder });
  try {
    await copyStore(await source.engine(), await target.engine(), tell);
  } finally {
    await target.close();
    await source.close();
  }
}
