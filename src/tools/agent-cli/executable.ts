import type { Place } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';

/** Throws `denied` for what a system would run: by extension, first characters, or the replaced file's rights. */
export function assertNotExecutable(
  file: Pick<Place, 'path' | 'shown' | 'exists' | 'stat'>,
  content: string,
): void {
  const found = byName(file.path) ?? byContent(content) ?? byMode(file);
  if (!found) return;
  throw new ToolError(
    'denied',
    `${file.shown} would be executable (${found.en}); programs and scripts are not written.`,
    `${file.shown} は実行可能ファイルになります (${found.ja})。プログラムやスクリプトは書き込めません。`,
    text(
      'The operator can allow it: start with --allow-executable.',
      '運用者が --allow-executable を付けて起動すると書き込めます。',
    ),
  );
}

/** Reads the extension as a system does: Windows ignores trailing dots and spaces. */
function byName(path: string): Text | undefined {
  const name = path
    .slice(path.lastIndexOf('/') + 1)
    .normalize('NFKC')
    .toLowerCase();
  // `x.sh:stream` names a stream of x.sh on Windows.
  const extension = /\.([^.:]*)(?::.*)?$/.exec(name.replace(/[. ]+$/, ''))?.[1];
  return extension !== undefined && executableExtensions.has(extension)
    ? text(`extension .${extension}`, `拡張子 .${extension}`)
    : undefined;
}

function byContent(content: string): Text | undefined {
  // A byte order mark hides a shebang from the kernel, but shells skip it.
  const start = content.startsWith('\ufeff') ? content.slice(1, 9) : content.slice(0, 8);
  if (start.startsWith('#!')) return text('it starts with #!', '#! で始まる');
  if (start.startsWith('\x7fELF')) return text('an ELF program', 'ELF プログラム');
  // `MZ` alone may begin a sentence; a program continues with bytes that no text has.
  if (start.startsWith('MZ') && /[\0-\x08]/.test(content.slice(2, 64)))
    return text('a PE program', 'PE プログラム');
  return undefined;
}

function byMode(file: Pick<Place, 'exists' | 'stat'>): Text | undefined {
  if (!file.exists()) return undefined;
  const { kind, mode } = file.stat();
  return kind === 'file' && (mode & 0o111) !== 0
    ? text('the file there has an execute bit', '既存のファイルに実行ビットがある')
    : undefined;
}

const executableExtensions = new Set([
  // Windows: programs, installers, scripts, and files that a double click runs.
  ...'exe com bat cmd ps1 psm1 psd1 ps1xml msi msp mst scr pif cpl hta vbs vbe vb wsf wsh wsc jse'.split(' '),
  ...'sct lnk scf reg msc gadget application appref-ms msix appx xll dll sys drv ocx'.split(' '),
  // Unix: shells, libraries, packages, launchers.
  ...'sh bash zsh fish csh tcsh ksh dash ash so dylib ko elf run bin appimage desktop'.split(' '),
  ...'deb rpm snap flatpak'.split(' '),
  // Other systems' programs.
  ...'app command scpt applescript pkg mpkg dmg jar war ear jnlp apk aab ipa xpi crx'.split(' '),
]);
