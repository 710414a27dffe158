// The question whether a project may instruct the assistant, and whether a clone counts as the person's own. A person is asked once; without
// an answer the question comes again.
import { isWithin } from '../instructions/project-root.ts';
import type { RuntimeWorkspace } from '../runtime/workspace.ts';
import type { Trust } from '../storage/storage.ts';
import { printable } from './terminal.ts';
import type { Person } from './terminal-prompter.ts';

export async function askTrust(
  person: Pick<Person, 'confirm'>,
  { workspace, trust }: { workspace: Pick<RuntimeWorkspace, 'files' | 'instructions'>; trust: Trust },
  signal: AbortSignal,
): Promise<void> {
  const found = await findUndecided(workspace, trust);
  if (!found) return;
  const { folder, question } = found;
  const isTrusted = await person.confirm(printable(question), signal);
  if (isTrusted) await trust.add(folder);
  else await trust.decline(folder);
}

interface Undecided {
  folder: string;
  question: string;
}

/** A project with instructions, or a clone. */
async function findUndecided(
  { files, instructions }: Pick<RuntimeWorkspace, 'files' | 'instructions'>,
  trust: Trust,
): Promise<Undecided | undefined> {
  const project = await (await instructions()).undecided(files.root);
  if (project) {
    const { folder } = project;
    const named = project.files.join(', ');
    return { folder, question: `Trust this folder's ${named}? The assistant would follow what it says.\n  ${folder}` };
  }
  const { foreignFolder } = await import('../tools/tainted-content/foreign-folder.ts');
  const [trusted, declined] = await Promise.all([trust.list(), trust.declined()]);
  const isTrusted = async (at: string): Promise<boolean> => trusted.some((each) => isWithin(at, each.folder));
  const folder = await foreignFolder(files.root, isTrusted);
  if (folder === undefined || declined.includes(folder)) return undefined;
  const meaning =
    'It was cloned. Otherwise the assistant, once it has read them, asks before anything that lasts or leaves.';
  return { folder, question: `Trust the files of this folder as your own? ${meaning}\n  ${folder}` };
}
