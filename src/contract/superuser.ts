/** Programs that run their arguments as another user. An approval of part of such a command must not cover the rest. */
export const superuserPrograms = 'sudo su doas pkexec runuser run0 gosu su-exec sudoedit dzdo please'.split(
  ' ',
);
