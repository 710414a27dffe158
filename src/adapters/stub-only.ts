import type { Adapter } from './adapter.ts';
import { createStubAdapter } from './stub.ts';

export function createProviders(): { names(): string[]; get(name: string): Adapter | undefined } {
  const stub = createStubAdapter();
  return { names: () => [stub.provider], get: (name) => (name === stub.provider ? stub : undefined) };
}
