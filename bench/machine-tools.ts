// The tools as the program builds them, called in this process.

import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../src/lib/new-id.ts';
import { chooseSandbox } from '../src/sandbox/choose.ts';
import { commandEnvironment } from '../src/sandbox/environment.ts';
import { protectedPaths } from '../src/sandbox/protected.ts';
import type { Sandbox } from '../src/sandbox/sandbox.ts';
import { createCodeExecuteTool } from '../src/tools/code/execute.ts';
import { nothingSeen } from '../src/tools/fs/seen.ts';
import { createLater } from '../src/tools/later.ts';
import { createBashTool } from '../src/tools/shell/bash.ts';
import { type ToolArgs, type ToolContext, ToolFailure, type ToolOutput, type ToolSpec } from '../src/tools/tool.ts';
import type { Changes } from '../src/undo/changes.ts';
import { OWNER } from '../src/vocabulary/memory-scope.ts';
import { createWorkspace } from '../src/workspace/confined.ts';

export interface Bed {
  readonly workspace: string;
  readonly home: string;
  sandbox(): Promise<Sandbox>;
  bash: ToolSpec;
  codeExecute: ToolSpec;
  /** A failure of the tool's own shows its reason. */
  call(tool: ToolSpec, args: ToolArgs, changes?: Changes): Promise<ToolOutput | { failed: string | undefined }>;
}

/** Everything below `base`, which the caller removes. */
export async function createBed(base: string): Promise<Bed> {
  const workspace = join(base, 'workspace');
  const home = join(base, 'home');
  mkdirSync(workspace, { recursive: true });
  mkdirSync(join(home, 'outputs'), { recursive: true });
  const opened = await createWorkspace({ root: workspace });
  const variables = process.env;
  let chosen: Promise<Sandbox> | undefined;
  // Never less than it: without bubblewrap these figures mean nothing.
  const sandbox = (): Promise<Sandbox> =>
    (chosen ??= chooseSandbox({
      choice: 'bubblewrap',
      userHome: base,
      lainclawHome: home,
      temporary: tmpdir(),
      variables,
      newId,
    }));
  const place = async (_scope: string, name: string): Promise<string> =>
    join(home, 'outputs', `${name}-${randomUUID()}`);
  const environment = commandEnvironment(variables);
  const left = createLater();
  return {
    workspace,
    home,
    sandbox,
    bash: createBashTool({
      sandbox,
      environment,
      protectedPaths: (root) => protectedPaths({ workspace: root, userHome: base, lainclawHome: home }),
    }),
    codeExecute: createCodeExecuteTool({
      sandbox,
      environment,
      skillFolders: [],
    }),
    async call(
      tool,
      args,
      changes = { async record() {}, async recordMade() {}, applyTogether: async () => ({ ok: true }) },
    ) {
      const context: ToolContext = {
        workspace: opened,
        reader: OWNER,
        seen: nothingSeen,
        changes,
        signal: new AbortController().signal,
        now: Date.now,
        progress() {},
        spoolPath: () => place('bench', 'spool'),
        keptPath: (name) => place('bench', name),
        afterwards: left.add,
      };
      await left.done();
      try {
        return await tool.execute(args, context);
      } catch (error) {
        if (error instanceof ToolFailure) return { failed: error.reason ?? error.message };
        throw error;
      }
    },
  };
}

export function succeeded(output: ToolOutput | { failed: string | undefined }): ToolOutput {
  if ('failed' in output) throw new Error(`the tool failed: ${output.failed}`);
  return output;
}
