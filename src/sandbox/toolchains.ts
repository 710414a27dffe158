// The parts of the person's home that a command can read: directories where languages and their tools are installed, and
// git's settings. Nothing else of the home is visible. A further directory is shown when PATH leads into it.
import { basename, dirname, join } from 'node:path';
import { isInside } from './path-inside.ts';

const TOOLCHAINS: readonly string[] = [
  // JavaScript
  '.nvm',
  '.local/share/nvm',
  '.fnm',
  '.local/share/fnm',
  '.nodenv',
  '.n',
  'n',
  '.volta',
  '.bun',
  '.deno',
  '.npm-global',
  '.local/share/pnpm',
  // Python
  '.pyenv',
  '.local/share/uv',
  '.local/pipx',
  '.local/share/pipx',
  '.virtualenvs',
  '.local/share/virtualenvs',
  '.rye',
  'miniconda3',
  'anaconda3',
  'miniforge3',
  'mambaforge',
  // Rust, Go, C
  '.cargo',
  '.rustup',
  'go',
  '.goenv',
  '.gvm',
  'sdk',
  '.conan2/p',
  // Java
  '.sdkman/candidates',
  '.sdkman/bin',
  '.jenv',
  '.jdks',
  '.m2/repository',
  '.gradle',
  // The rest
  '.rbenv',
  '.rvm',
  '.gem',
  '.local/share/gem',
  '.ghcup',
  '.cabal',
  '.stack',
  '.opam',
  '.elan',
  '.dotnet',
  '.nuget/packages',
  '.pub-cache',
  'flutter',
  '.composer/vendor',
  '.config/composer/vendor',
  '.juliaup',
  '.julia',
  'perl5',
  '.luarocks',
  '.swiftly',
  '.asdf',
  '.local/share/mise',
  '.nix-profile',
  '.local/state/nix',
  '.local/bin',
  '.local/lib',
  'bin',
  '.gitconfig',
  '.config/git',
  '.terminfo',
];

/** Toolchains outside the person's home, some of them in hidden directories. */
export const SHARED_TOOLCHAINS: readonly string[] = ['/home/linuxbrew', '/run/current-system', '/run/booted-system'];

/** Absolute paths; not all of them exist. `mayExist` is asked about paths below the home. */
export function toolchainsOf(home: string, searchPath: string, mayExist: (path: string) => boolean): string[] {
  const known = TOOLCHAINS.filter(mayExist).map((path) => join(home, path));
  const onPath = searchPath
    .split(':')
    .filter((directory) => directory !== home && isInside(home, directory))
    .filter((directory) => !known.some((path) => isInside(path, directory)))
    .map((directory) => installationOf(home, directory));
  return [...known, ...onPath];
}

/** `~/tools/llvm/bin` needs `~/tools/llvm`; `~/bin` must not show the whole home. */
function installationOf(home: string, directory: string): string {
  const parent = dirname(directory);
  const isPartOfMore = ['bin', '.bin', 'sbin', 'shims'].includes(basename(directory));
  return isPartOfMore && parent !== home && isInside(home, parent) ? parent : directory;
}
