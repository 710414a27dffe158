// A runtime on a home of its own, for tests of what is built on it.
import { readEnvironment } from '../../src/config/environment.ts';
import { createRuntime, type Runtime } from '../../src/runtime/runtime.ts';

export interface TestRuntimeOptions {
  cwd?: string;
  variables?: Record<string, string>;
}

export function testRuntime(home: string, { cwd = home, variables }: TestRuntimeOptions = {}): Promise<Runtime> {
  const environment = readEnvironment({ variables: { ...variables, LAINCLAW_HOME: home }, cwd, program: [] });
  return createRuntime({ environment, warn() {} });
}
