// Everything ambient in one place: environment variables, home, working directory. Read once, at the start.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export interface Environment {
  /** Where Lainclaw keeps its files. */
  home: string;
  cwd: string;
  /** How this program was started: the Node binary, its flags and the entry file. */
  program: readonly string[];
  /** Of this program. */
  version: string;
  variables: Readonly<Record<string, string | undefined>>;
}

export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
  cwd: string = process.cwd(),
  program: readonly string[] = [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
  version = '',
): Environment {
  const home = variables.LAINCLAW_HOME || join(homedir(), '.lainclaw');
  return { home: isAbsolute(home) ? home : resolve(cwd, home), cwd, variables, program, version };
}
