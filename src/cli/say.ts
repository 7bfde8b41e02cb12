/** A line for the person or the program that ran the command. */
export function say(words: string): void {
  process.stdout.write(`${words}\n`);
}

/** A line beside the output: notes, warnings. In `serve`, stdout belongs to the protocol. */
export function note(words: string): void {
  process.stderr.write(`${words}\n`);
}
