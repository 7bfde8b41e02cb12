/** The program's descriptors that others read; `mark` is left to the program that it becomes. */
export const descriptors = { up: 90, notes: 91, mark: 96 } as const;
/** The names of its files in memory, as `/proc/PID/fd` shows them. */
export const memoryNames = { up: 'sekisho-up', notes: 'sekisho-notes' } as const;
