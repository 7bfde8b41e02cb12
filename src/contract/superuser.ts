/** Programs that run what they are given as another user. No part of such a command stands for the rest. */
export const superuserPrograms = [
  'sudo',
  'su',
  'doas',
  'pkexec',
  'runuser',
  'run0',
  'gosu',
  'su-exec',
  'sudoedit',
  'dzdo',
  'please',
] as const;
