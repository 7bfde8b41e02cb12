import { isOneField, type Word } from '../words/word.ts';
import { type Inner, unread } from './inner.ts';

const none =
  /^--(help|version|unshare-(all|user|user-try|ipc|pid|net|uts|cgroup|cgroup-try)|share-net|disable-userns|assert-userns-disabled|clearenv|new-session|die-with-parent|as-pid-1|level-prefix|tmp-overlay)$/;
const two = /^--((dev-|ro-)?bind(-try|-fd|-data)?|ro-bind-(try|fd|data)|symlink|setenv|file|chmod)$/;
const one =
  /^--(argv0|userns2?|pidns|uid|gid|hostname|chdir|unsetenv|lock-file|sync-fd|remount-ro|overlay-src|ro-overlay|exec-label|file-label|proc|dev|tmpfs|mqueue|dir|seccomp|add-seccomp-fd|block-fd|userns-block-fd|info-fd|json-status-fd|cap-(add|drop)|perms|size)$/;

/** The command behind bubblewrap's options; `--args` reads more of them where nobody sees. */
export function unwrapBwrap(words: readonly Word[]): readonly Inner[] {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (word.value === '--') return commandAt(words, at + 1);
    if (word.value === undefined) return [unread(word)];
    if (!word.value.startsWith('-')) return commandAt(words, at);
    const values = none.test(word.value)
      ? 0
      : two.test(word.value)
        ? 2
        : one.test(word.value)
          ? 1
          : undefined;
    const given = words.slice(at + 1, at + 1 + (values ?? 0));
    if (values === undefined || !given.every(isOneField)) return [unread(word)];
    at += values;
  }
  return [];
}

function commandAt(words: readonly Word[], at: number): readonly Inner[] {
  return at < words.length ? [{ kind: 'command', words: words.slice(at) }] : [];
}
