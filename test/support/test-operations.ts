// Operations on a home of their own, called as an API calls them: by name, with input that nobody has typed.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { OPERATIONS } from '../../src/operations/all.ts';
import { invokeOperation } from '../../src/operations/invoke.ts';
import type { OperationContext } from '../../src/operations/operation.ts';
import { valueProblem } from '../../src/tools/validate.ts';
import { testRuntime } from './test-runtime.ts';

export interface TestOperationsOptions extends Partial<OperationContext> {
  variables?: Record<string, string>;
}

export async function testOperations({ variables, ...more }: TestOperationsOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'lainclaw-operations-'));
  mkdirSync(join(folder, 'project'));
  const runtime = await testRuntime(join(folder, 'home'), { cwd: join(folder, 'project'), variables });
  onTestFinished(async () => {
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const context: OperationContext = { runtime, signal: new AbortController().signal, warn, ...more };
  const invoke = (name: string, input: Record<string, unknown> = {}) =>
    invokeOperation(operationCalled(name), input, context);
  /** The output, and what is wrong with it by the schema of the operation. `further`: of the context. */
  const checked = async (
    name: string,
    input: Record<string, unknown> = {},
    further: Partial<OperationContext> = {},
  ) => {
    const output = await invokeOperation(operationCalled(name), input, { ...context, ...further });
    return { output, problem: await valueProblem({ ...operationCalled(name).output }, output) };
  };
  return { invoke, checked, runtime, folder, warnings };
}

function operationCalled(name: string) {
  const operation = OPERATIONS.find((each) => each.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  return operation;
}
