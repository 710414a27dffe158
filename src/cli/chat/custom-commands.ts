// Commands that people write themselves: `commands/<name>.md` in the home, and `.lainclaw/commands/<name>.md` of a workspace that is trusted. The
// text is a prompt; `$ARGUMENTS` is what was typed behind the command, `$1` to `$9` its words. The file is read when the command is used, so that
// it can be changed meanwhile.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isWithin } from '../../instructions/project-root.ts';
import { parseFrontMatter } from '../../lib/front-matter.ts';
import { readBeneath } from '../../workspace/read-beneath.ts';
import type { ChatCommand } from './commands.ts';

const FOLDER = 'commands';
const LARGEST = 65_536;
const NAME = /^[a-z][a-z0-9_-]{0,31}$/;
const DESCRIPTION_SHOWN = 100;
/** Typed by a person, this runs a command on their machine, a command of the chat, or a tool. */
const MORE_THAN_A_QUESTION = /^(?:!|\/|tool:)/;

export interface CustomCommandsDependencies {
  home: string;
  root: string;
  trustedFolders(): Promise<readonly { folder: string }[]>;
  /** Names that are taken. */
  taken: readonly string[];
  /** Sends a message as if the person had written it. */
  send(text: string): void;
}

export interface CustomCommands {
  commands: ChatCommand[];
  /** What cannot be used, and why, in words. */
  problems: string[];
}

interface Place {
  folder: string;
  /** Below the folder. */
  path: string;
  about: string;
  /** Its files are the owner's: only then may a text be more than a question. */
  isOwn: boolean;
}

/** Those of the workspace come before those of the home. */
export async function loadCustomCommands(dependencies: CustomCommandsDependencies): Promise<CustomCommands> {
  const { home, root, trustedFolders, taken, send } = dependencies;
  const places: Place[] = [
    { folder: root, path: join('.lainclaw', FOLDER), about: 'this project', isOwn: false },
    { folder: home, path: FOLDER, about: 'yours', isOwn: true },
  ];
  const isTrusted = (await trustedFolders()).some(({ folder }) => isWithin(root, folder));
  const commands: ChatCommand[] = [];
  const problems: string[] = [];
  for (const place of places) {
    const names = await commandsIn(join(place.folder, place.path));
    if (place.folder === root && names.length > 0 && !isTrusted) {
      const listed = names.map((name) => `/${name}`).join(', ');
      problems.push(`${listed} of this project can be used once it is trusted: lainclaw trust add ${root}`);
      continue;
    }
    for (const name of names) {
      const path = join(place.path, `${name}.md`);
      const problem = NAME.test(name) ? takenBy(name, commands, taken) : 'its name is not of a-z, 0-9, _ and -';
      const read = problem === undefined ? await readCommandFile(place.folder, path) : { problem };
      if ('problem' in read) problems.push(`${path} is not a command: ${read.problem}`);
      else commands.push(commandOf(name, read, place, path, send));
    }
  }
  return { commands, problems };
}

async function commandsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder).catch((): string[] => []);
  return entries
    .filter((entry) => entry.endsWith('.md'))
    .map((entry) => entry.slice(0, -'.md'.length))
    .sort();
}

/** Why a command of this name cannot be used; undefined when it can. A project's command hides the person's own of the same name. */
function takenBy(name: string, commands: readonly ChatCommand[], taken: readonly string[]): string | undefined {
  if (taken.includes(name)) return `/${name} is a command of the chat`;
  return commands.some((command) => command.name === name) ? `this project has its own /${name}` : undefined;
}

interface CommandFile {
  description: string;
  argumentHint: string;
  template: string;
}

async function readCommandFile(folder: string, path: string): Promise<CommandFile | { problem: string }> {
  try {
    const found = await readBeneath(folder, path, LARGEST);
    if (!found) return { problem: 'it is gone' };
    if (found.isCut) return { problem: `it is over the limit of ${LARGEST} bytes` };
    return await parseCommand(found.text);
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

async function parseCommand(text: string): Promise<CommandFile | { problem: string }> {
  const bytes = Buffer.from(text);
  const front = text.startsWith('---')
    ? await parseFrontMatter(bytes, ['description', 'argument-hint'])
    : ({ ok: true, value: {}, end: 0 } as const);
  if (!front.ok) return { problem: front.reason };
  const template = bytes.subarray(front.end).toString('utf8').trim();
  if (template === '') return { problem: 'it has no text' };
  const facts = (front.value ?? {}) as { description?: unknown; 'argument-hint'?: unknown };
  const { description = template.split('\n', 1)[0], 'argument-hint': hint } = facts;
  const placeholders = /\$(?:ARGUMENTS|[1-9])/.test(template) ? '<arguments>' : '';
  return {
    description: oneLine(description).slice(0, DESCRIPTION_SHOWN),
    argumentHint: hint === undefined ? placeholders : oneLine(hint),
    template,
  };
}

function commandOf(
  name: string,
  { description, argumentHint }: CommandFile,
  { folder, about, isOwn }: Place,
  path: string,
  send: (text: string) => void,
): ChatCommand {
  return {
    name,
    usage: [`/${name}`, argumentHint].filter(Boolean).join(' '),
    about: `${description} (${about})`,
    isImmediate: false,
    async run(argument) {
      const read = await readCommandFile(folder, path);
      if ('problem' in read) return `\`${path}\` cannot be used: ${read.problem}`;
      const text = expandTemplate(read.template, argument).trim();
      const [prefix] = isOwn ? [] : (MORE_THAN_A_QUESTION.exec(text) ?? []);
      if (prefix !== undefined)
        return `\`${path}\` cannot be used: its text begins with \`${prefix}\`, and a project's command can only ask.`;
      send(text);
      return undefined;
    },
  };
}

/** What was typed and has no place in the template follows it. */
export function expandTemplate(template: string, argument: string): string {
  const words = wordsOf(argument);
  let hasPlace = false;
  const expanded = template.replace(/\$(ARGUMENTS|[1-9])/g, (_found, which: string) => {
    hasPlace = true;
    return which === 'ARGUMENTS' ? argument : (words[Number(which) - 1] ?? '');
  });
  return hasPlace || argument === '' ? expanded : `${expanded}\n\n${argument}`;
}

/** Words, or a text in quotes. */
function wordsOf(argument: string): string[] {
  return [...argument.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

function oneLine(value: unknown): string {
  return String(value ?? '')
    .replace(/[\s`]+/g, ' ')
    .trim();
}
