import { basename, dirname } from 'node:path';

/** The command that installs a package where this program looks for it. `program`: a folder of it. */
export function installCommand(packageName: string, program: string = import.meta.dirname): string {
  const root = program.replace(/^(.*)[\\/](?:dist|src)(?:[\\/].*)?$/, '$1');
  const modules = dirname(root);
  if (basename(modules) !== 'node_modules') return `npm install --prefix ${root} --no-save ${packageName}`;
  const owner = dirname(modules);
  return basename(owner) === 'lib' ? `npm install -g ${packageName}` : `npm install --prefix ${owner} ${packageName}`;
}
