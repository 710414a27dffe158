// The question whether a project may instruct the assistant. A person is asked once; without an answer the question comes again.
import type { RuntimeWorkspace } from '../runtime/workspace.ts';
import type { Trust } from '../storage/storage.ts';
import { printable } from './terminal.ts';
import type { Person } from './terminal-prompter.ts';

export async function askTrust(
  person: Pick<Person, 'confirm'>,
  { workspace, trust }: { workspace: Pick<RuntimeWorkspace, 'files' | 'instructions'>; trust: Trust },
  signal: AbortSignal,
): Promise<void> {
  const project = await (await workspace.instructions()).undecided(workspace.files.root);
  if (!project) return;
  const { folder, files } = project;
  const question = `Trust this folder's ${files.join(', ')}? The assistant would follow what it says.\n  ${folder}`;
  const isTrusted = await person.confirm(printable(question), signal);
  if (isTrusted) await trust.add(folder);
  else await trust.decline(folder);
}
