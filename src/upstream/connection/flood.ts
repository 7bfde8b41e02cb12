/** Notifications and requests of a server per second; a busy honest one sends a few dozen. */
const maxASecond = 500;
/** After a list change we fetch the list again, which costs more. */
const maxListsASecond = 10;
/** No person answers more, and the form of each takes a millisecond to check. */
const maxQuestionsASecond = 20;

/** Limits the unsolicited messages of a server. */
export function createFlood(later: (method: string) => void, windowMs = 1000) {
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  let questions = 0;
  const lists = new Map<string, number>();
  const due = new Set<string>();

  function renew(): void {
    timer = undefined;
    count = 0;
    questions = 0;
    lists.clear();
    const methods = [...due];
    due.clear();
    for (const method of methods) later(method);
  }

  return {
    /** Whether to pass this message on. Excess list changes are delivered later, so that the last is not lost. */
    admits(method: string) {
      timer ??= setTimeout(renew, windowMs).unref();
      if (method.endsWith('/list_changed')) {
        const told = (lists.get(method) ?? 0) + 1;
        lists.set(method, told);
        if (told <= maxListsASecond) return true;
        // Method names are the server's, so their number is limited.
        if (due.size < 10) due.add(method);
        return false;
      }
      count += 1;
      if (method !== 'elicitation/create') return count <= maxASecond;
      questions += 1;
      return questions <= maxQuestionsASecond;
    },
    close() {
      clearTimeout(timer);
      due.clear();
    },
  };
}
