/** What a server sends unasked, at a pace that we can bear. */
export interface Flood {
  /** May this message go on? What tells of a changed list is kept for later, so that the last change is heard of. */
  admits(method: string): boolean;
  close(): void;
}

/** Notifications and requests of a server in one second; a busy honest one sends a few dozen. */
const maxASecond = 500;
/** A changed list is asked for anew, which costs more. */
const maxListsASecond = 10;

export function createFlood(later: (method: string) => void, windowMs = 1000): Flood {
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  const lists = new Map<string, number>();
  const due = new Set<string>();

  function renew(): void {
    timer = undefined;
    count = 0;
    lists.clear();
    const methods = [...due];
    due.clear();
    for (const method of methods) later(method);
  }

  return {
    admits(method) {
      timer ??= setTimeout(renew, windowMs).unref();
      if (method.endsWith('/list_changed')) {
        const told = (lists.get(method) ?? 0) + 1;
        lists.set(method, told);
        if (told <= maxListsASecond) return true;
        // Names that the server makes up are not collected.
        if (due.size < 10) due.add(method);
        return false;
      }
      count += 1;
      return count <= maxASecond;
    },
    close() {
      clearTimeout(timer);
      due.clear();
    },
  };
}
