/** Paths under which programs keep what lets somebody in; public halves and samples are none. */
export function isCredentialPath(path: string): boolean {
  return /(?:^|[\\/])(?:\.ssh(?:[\\/](?!known_hosts|config$|[^\\/]*\.pub$)|$)|id_(?:rsa|dsa|ecdsa|ed25519)$|\.aws[\\/]credentials$|\.env(?:\.(?!example|sample|template|dist)[\w-]+)?$|\.netrc$|\.pgpass$|\.git-credentials$|\.docker[\\/]config\.json$|\.kube[\\/]config$|\.gnupg(?:[\\/]|$)|etc[\\/](?:shadow|sudoers)$)/.test(
    path,
  );
}

/** Names of variables that hold one. */
export function nameOfCredential(word: string): boolean {
  return /^(?=[A-Z])[A-Z0-9_]{0,60}(?:SECRET|TOKEN|PASSWORD|PASSWD|_KEY|CREDENTIALS?|DATABASE_URL)[A-Z0-9_]{0,40}$/.test(
    word,
  );
}

/** Files that a machine runs or obeys by itself. */
export function runsLater(path: string): boolean {
  return /(?:^|[\\/])(?:etc[\\/]cron|var[\\/]spool[\\/]cron|etc[\\/](?:profile|systemd|init\.d|ld\.so\.preload)|\.config[\\/](?:autostart|systemd)|\.(?:bashrc|zshrc|zshenv|profile|bash_profile)$|\.git[\\/]hooks[\\/]|\.ssh[\\/]authorized_keys|LaunchAgents[\\/])/.test(
    path,
  );
}
