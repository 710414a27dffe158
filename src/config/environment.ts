// Everything ambient in one place: environment variables, home, working directory, clock. Read once, at the start.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export interface Environment {
  /** Where Lainclaw keeps its files. */
  home: string;
  /** The home directory of the person who runs it. */
  userHome: string;
  cwd: string;
  /** How this program was started: the Node binary, its flags and the entry file. */
  program: readonly string[];
  /** Of this program. */
  version: string;
  variables: Readonly<Record<string, string | undefined>>;
  /** The time of day, in milliseconds since 1970. It may jump, also backwards. */
  now(): number;
}

/** What an environment is made of; what is left out is this process's own. */
export interface EnvironmentSource extends Partial<Omit<Environment, 'home' | 'userHome'>> {}

export function readEnvironment({
  variables = process.env,
  cwd = process.cwd(),
  program = [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
  version = '',
  now = () => Date.now(),
}: EnvironmentSource = {}): Environment {
  const userHome = variables.HOME || homedir();
  const home = variables.LAINCLAW_HOME || join(userHome, '.lainclaw');
  return { home: isAbsolute(home) ? home : resolve(cwd, home), userHome, cwd, variables, program, version, now };
}
