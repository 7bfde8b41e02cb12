import { text } from '../../../contract/text/text.ts';
import { mayBeOption, type Word } from '../../words/word.ts';
import type { CommandRule, Scene } from '../rule.ts';
import { installsFromManifest } from './manifest-install.ts';
import { changesPackages, packageManagers, systemManagers } from './package-managers.ts';
import { packageRunners, runsNewPackage } from './package-runners.ts';
import { staysHere } from './stays-here.ts';

const languages: readonly string[] = ['python', 'python2', 'python3', 'py', 'pypy3', 'ruby', 'perl'];

/** Package managers that install or remove. */
export const packageRules: readonly CommandRule[] = [
  {
    id: 'package-manager',
    decision: 'ask',
    programs: [...packageManagers, ...packageRunners, ...languages],
    because: text(
      'it installs, downloads and runs, or removes packages',
      'パッケージをインストール、ダウンロードして実行、または削除します',
    ),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    needs: 'hosts',
    fits: ({ program, args }, scene) => {
      if (languages.includes(program)) return moduleInstalls(args, scene);
      if (packageRunners.includes(program) && runsNewPackage(program, args, scene)) return true;
      if (!packageManagers.includes(program)) return false;
      if (scene.confinement && staysHere(program, args)) return false;
      // System folders are read-only in a sandbox, so the command fails by itself.
      if (scene.confinement && scene.dialect === 'plain' && systemManagers.has(program)) return false;
      if (installsFromManifest(program, args, scene)) return false;
      return changesPackages(program, args);
    },
    examples: ['npx cowsay', 'npx -y create-react-app x', 'npx -p cowsay cowsay hi'],
  },
];

/** `python -m pip install x`: an interpreter runs an installing module. */
function moduleInstalls(args: readonly Word[], scene: Scene): boolean {
  const at = args.findIndex(
    (word) => /^-(MCPAN$|[A-Za-ln-z]*m)/.test(word.prefix) || (mayBeOption(word) && word.prefix.length < 2),
  );
  const [option, next] = [args[at], args[at + 1]];
  if (!option) return false;
  if (option.value === '-MCPAN') return true;
  const attached = /^-[A-Za-ln-z]*m(.+)$/.exec(option.prefix)?.[1];
  const module = attached ?? next?.value;
  const rest = args.slice(at + 1);
  if (module === 'ensurepip' || module === 'easy_install')
    return !rest.some(({ value }) => value === '--version');
  if (!/^(pip\d?|pipx|uv)$/.test(module ?? '')) return false;
  if (next?.value === 'pip') {
    const words = rest.slice(1);
    if (scene.confinement && staysHere('pip', words)) return false;
    if (installsFromManifest('pip', words, scene)) return false;
  }
  return changesPackages('pip', module === next?.value ? rest.slice(1) : rest);
}
