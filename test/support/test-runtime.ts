// A runtime on a home of its own, for tests of what is built on it.
import { readEnvironment } from '../../src/config/environment.ts';
import { createRuntime, type Runtime } from '../../src/runtime/runtime.ts';

export function testRuntime(home: string, { cwd = home }: { cwd?: string } = {}): Promise<Runtime> {
  const environment = readEnvironment({ variables: { LAINCLAW_HOME: home }, cwd, program: [] });
  return createRuntime({ environment, warn() {} });
}
