import { text } from '../../../contract/text/text.ts';
import { readGitLine } from '../unwrap/git.ts';
import { readOptions } from '../words/options.ts';
import { mayBeOption, type Word } from '../words/word.ts';
import type { CommandRule } from './rule.ts';

/** Settings and options of git that start programs. What is known to be only data is listed; the rest is refused. */
export const gitRules: readonly CommandRule[] = [
  {
    id: 'git-setting',
    decision: 'deny',
    programs: ['git'],
    because: text(
      'this git setting or option can start programs',
      'この git の設定またはオプションはプログラムを起動できます',
    ),
    suggestion: text('Run git without it.', 'その設定やオプションなしで git を実行してください。'),
    fits: ({ args }) => gitStartsPrograms(args),
    match: [
      'git -c core.pager=x log',
      'git -c core.sshCommand=x fetch',
      'git config core.fsmonitor x',
      'git --exec-path=. x',
      'git clone -c core.hooksPath=. x',
      'git clone ext::sh x',
      'git --config-env=a=B x',
      'git grep -Ovi x',
      'git config --global core.editor x',
    ],
    notMatch: [
      'git -c user.name=a commit',
      'git config user.email a@b',
      'git config --get core.editor',
      'git -c core.quotepath=off status',
      'git config --list',
      'git grep -n core.pager',
      'git log -p',
    ],
  },
];

const dataSetting =
  /^(user\.(name|email|signingkey|useconfigonly)|author\.\w+|committer\.\w+|color\.[\w.-]+|advice\.\w+|column\.\w+|init\.defaultbranch|core\.(quotepath|autocrlf|eol|safecrlf|filemode|ignorecase|abbrev|bare|symlinks|whitespace|longpaths|precomposeunicode|commentchar|compression|bigfilethreshold|preloadindex|untrackedcache|sparsecheckout|excludesfile|logallrefupdates|protecthfs|protectntfs|trustctime|checkstat)|commit\.(gpgsign|verbose|cleanup|status)|tag\.(gpgsign|sort)|gc\.\w+|maintenance\.\w+|log\.\w+|diff\.(renames|renamelimit|algorithm|colormoved\w*|context|noprefix|mnemonicprefix|wserrorhighlight|submodule|ignoresubmodules|relative|statgraphwidth|suppressblankempty|indentheuristic|interhunkcontext|tool)|merge\.(ff|conflictstyle|renames|renamelimit|stat|tool|log|branchdesc|verbosity|autostash)|pull\.\w+|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags|parallel|writecommitgraph|recursesubmodules)|rebase\.(autostash|autosquash|stat|updaterefs|missingcommitscheck|backend)|rerere\.\w+|status\.\w+|branch\.(autosetupmerge|autosetuprebase|sort)|branch\..+\.(remote|merge|rebase|description)|remote\..+\.(fetch|prune|tagopt|url|pushurl)|format\.(pretty|subjectprefix|signoff|numbered)|blame\.\w+|grep\.(linenumber|extendedregexp|patterntype|column|threads|fullname)|help\.autocorrect=(never|prompt|show|0|false)|safe\.directory|http\.(postbuffer|lowspeed\w+|extraheader|useragent|version|sslverify|maxrequests)|protocol\.version|pack\.\w+|index\.\w+|feature\.\w+|checkout\.\w+|clone\.(defaultremotename|rejectshallow)|stash\.\w+|submodule\.(recurse|fetchjobs)|transfer\.\w+|i18n\.\w+|lfs\.\w+|alias\..*|pager\.\w+=(false|true|cat|less)|core\.(pager|editor)=(cat|less|true|vim?|nano|)|sequence\.editor=(true|:|cat))/i;

function gitStartsPrograms(args: readonly Word[]): boolean {
  const line = readGitLine(args);
  if (line.redirected) return true;
  if (line.settings.some((word) => !isDataSetting(word.prefix))) return true;
  const verb = line.verb?.value;
  const starts = (pattern: RegExp) => line.rest.some((word) => pattern.test(word.prefix));
  if (starts(/^ext::/)) return true;
  switch (verb) {
    case 'config':
      return configStartsPrograms(line.rest);
    case 'clone':
    case 'submodule': {
      const given = readOptions(line.rest, {
        valued: 'cbojru',
        longValued: ['config', 'branch', 'origin', 'template'],
      }).given;
      return (
        given.some(
          (option) =>
            (option.name === 'c' || option.name === 'config') && !isDataSetting(option.value?.prefix ?? ''),
        ) || starts(/^--templ/)
      );
    }
    case 'init':
      return starts(/^--templ/);
    case 'grep':
      return starts(/^(-O.|--open-files-in-pager=)/);
    case 'daemon':
    case 'instaweb':
    case 'upload-pack':
    case 'receive-pack':
    case 'shell':
    case 'fast-import':
    case 'remote-ext':
    case 'credential':
    case 'hook':
      return true;
    default:
      return false;
  }
}

function isDataSetting(setting: string): boolean {
  const found = dataSetting.exec(setting)?.[0];
  return (
    found !== undefined &&
    (found.includes('=')
      ? setting === found
      : /^(=|$)/.test(setting.slice(found.length)) || found.toLowerCase().startsWith('alias.'))
  );
}

function configStartsPrograms(words: readonly Word[]): boolean {
  if (
    words.some((word) =>
      /^--(get|get-all|get-regexp|list|unset|unset-all|get-urlmatch|name-only|show-origin|get-color|remove-section)$|^-l$/.test(
        word.value ?? '',
      ),
    )
  )
    return false;
  const valued = new Set(['-f', '--file', '--blob', '--type', '--default', '--comment', '--value', '--url']);
  const operands = words.filter(
    (word, at) => !word.prefix.startsWith('-') && !valued.has(words[at - 1]?.value ?? ''),
  );
  if (words.some((word) => word.value === '-e' || word.value === '--edit' || word.value === 'edit'))
    return true;
  const named = /^(set|add|rename-section)$/.test(operands[0]?.value ?? '') ? operands.slice(1) : operands;
  if (/^(get|list|unset|remove-section|get-all)$/.test(operands[0]?.value ?? '')) return false;
  const [key, value] = named;
  if (!key) return false;
  if (!value) return mayBeOption(key);
  return !isDataSetting(`${key.prefix}${key.value === undefined ? '\0' : ''}=${value.value ?? '\0'}`);
}
