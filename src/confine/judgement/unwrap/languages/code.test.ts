import { describe, expect, test } from 'vitest';
import { createCommandJudge } from '../../judge.ts';

const judge = createCommandJudge();
const context = { dialect: 'plain', roots: ['/workspace'], workingFolder: '/workspace' } as const;
const ruleOf = (script: string) => judge.judge({ kind: 'script', script, shell: 'bash' }, context).rule;

describe('code for an interpreter', () => {
  test.each([
    `python3 -c "import shutil; shutil.rmtree('.')"`,
    `python3 -c "import shutil,os; shutil.rmtree(os.getcwd())"`,
    `python3.12 -c "from shutil import rmtree; rmtree('/workspace')"`,
    `python3 -c "import os; os.system('rm -rf ./*')"`,
    `python3 -c "import subprocess; subprocess.run(['rm', '-rf', '.'])"`,
    `python3 - <<'E'\nimport shutil, os\nshutil.rmtree(os.path.expanduser('~'))\nE`,
    `python3 -c "import os; [os.remove(os.path.join(d,f)) for d,_,fs in os.walk('.') for f in fs]"`,
    `node -e "require('fs').rmSync('.', {recursive: true})"`,
    `node -e "require('child_process').execSync('rm -rf *')"`,
    `node -e "require('child_process').spawnSync('rm', ['-rf', '.'])"`,
    `ruby -rfileutils -e 'FileUtils.rm_rf(Dir.pwd)'`,
    "ruby -e '`rm -rf ~`'",
    `perl -MFile::Path -e 'remove_tree(".")'`,
    `php -r 'shell_exec("rm -rf ~");'`,
    `lua -e 'os.execute("rm -rf .")'`,
    `julia -e 'rm(".", recursive=true)'`,
    `deno eval 'Deno.removeSync(".", {recursive: true})'`,
    'cmake -E rm -rf .',
    `python3 - <<'E'\nimport os\nfor d, _, fs in os.walk(os.getcwd()):\n    for f in fs:\n        os.unlink(os.path.join(d, f))\nE`,
    `python3 -c "from pathlib import Path; [p.unlink() for p in Path('.').rglob('*') if p.is_file()]"`,
    `ruby -e 'Dir.glob("**/*").each { |f| File.delete(f) if File.file?(f) }'`,
  ])('that removes the workspace is judged as rm: %s', (script) => {
    expect(ruleOf(script)).toBe('rm-everything');
  });

  test.each([
    `python3 -c "import shutil; shutil.rmtree('build', ignore_errors=True)"`,
    `python3 -c "import os; os.system('make -s test')"`,
    `python3 -c "import subprocess; print(subprocess.check_output(['git', 'rev-parse', 'HEAD']))"`,
    `python3 -c "import os; [os.remove(f) for f in os.listdir('.') if f.endswith('.pyc')]"`,
    `python3 -c "from pathlib import Path; [p.unlink() for p in Path('.').rglob('*') if p.suffix == '.pyc']"`,
    `python3 -c "exec('print(1)')"`,
    `node -e "require('fs').rmSync('dist', {recursive: true, force: true})"`,
    `node -e "console.log(/a/.exec('rm -rf .'))"`,
    `node -e "console.log(require('fs').readdirSync('.').length)"`,
    'node build.js "rmSync(\'.\')"',
    `ruby -e 'puts Dir["**/*.rb"].size'`,
    'cmake -E rm -rf build',
  ])('that does no more than people do is allowed: %s', (script) => {
    expect(ruleOf(script)).toBe('default');
  });
});
