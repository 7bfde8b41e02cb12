/** Whether programs keep credentials at this path; not for public keys and sample files. */
export function isCredentialPath(path: string): boolean {
  return /(?:^|[\\/])(?:\.ssh(?:[\\/](?!known_hosts|config$|[^\\/]*\.pub$)|$)|id_(?:rsa|dsa|ecdsa|ed25519)$|\.aws[\\/]credentials$|\.env(?:\.(?!example|sample|template|dist)[\w-]+)?$|\.netrc$|\.pgpass$|\.git-credentials$|\.docker[\\/]config\.json$|\.kube[\\/]config$|\.gnupg(?:[\\/]|$)|etc[\\/](?:shadow|sudoers)$)/.test(
    path,
  );
}

/** Whether it is the name of an environment variable with a credential, e.g. `GITHUB_TOKEN`. */
export function isCredentialName(word: string): boolean {
  return /^(?=[A-Z])[A-Z0-9_]{0,60}(?:SECRET|TOKEN|PASSWORD|PASSWD|_KEY|CREDENTIALS?|DATABASE_URL)[A-Z0-9_]{0,40}$/.test(
    word,
  );
}

/** Whether the machine later runs or obeys this file by itself: of cron, a login shell, systemd, a git hook. */
export function runsLater(path: string): boolean {
  return /(?:^|[\\/])(?:etc[\\/]cron|var[\\/]spool[\\/]cron|etc[\\/](?:profile|systemd|init\.d|ld\.so\.preload)|\.config[\\/](?:autostart|systemd)|\.(?:bashrc|zshrc|zshenv|profile|bash_profile)$|\.git[\\/]hooks[\\/]|\.ssh[\\/]authorized_keys|LaunchAgents[\\/])/.test(
    path,
  );
}
