/**
 * Names that programs outside the sandbox obey later, or that the server itself depends on; each one name or several
 * joined by `/`. No tool writes them at any depth, and commands can only read existing ones.
 */
export const obeyedNames: readonly string[] = [
  ...['.gitconfig', '.config/git', '.config/jj', '.jj/repo/config.toml', '.hgrc', '.hg/hgrc', '.ssh'],
  ...['.mcp.json', '.vscode'],
  ...['.cursor/mcp.json', '.cursor/hooks.json', '.claude/settings.json', '.claude/settings.local.json'],
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.mkshrc'],
  ...['.cshrc', '.tcshrc', '.login', '.logout', '.config/fish'],
  // Our own: a mirror of records, the vault's notes about notes, configuration.
  ...['.shelpa', '.system', '.sekisho', 'sekisho.jsonc', 'sekisho.json'],
];
