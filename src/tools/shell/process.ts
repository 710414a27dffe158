import type { BackgroundProcess } from '../../sandbox/background/background-process.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { visible } from '../permissions/question.ts';
import { noSubject } from '../subject.ts';
import { type ToolContext, ToolFailure, type ToolOutput, type ToolSpec } from '../tool.ts';
import { outputOf } from './background.ts';
import { orProcessFailure } from './open-session-processes.ts';
import type { SessionProcesses } from './session-processes.ts';

const DEFAULT_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 600_000;
const ENDING_MS = 5_000;

export function createProcessTool(): ToolSpec {
  return defineTool({
    name: 'process',
    schema: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['list', 'read', 'write', 'wait', 'kill'] },
        id: { type: 'string', minLength: 1 },
        text: { type: 'string', maxLength: 100_000 },
        since: { type: 'integer', minimum: 0 },
        timeoutMs: { type: 'integer', minimum: 1, maximum: LONGEST_WAIT_MS, default: DEFAULT_WAIT_MS },
      },
      required: ['action'],
      additionalProperties: false,
    },
    effect: 'exec',
    isFolded: true,
    requiresPermission: false,
    // What is typed into a shell is a command; into anything else, it is judged as strictly.
    subject: ({ action, text = '' }) =>
      action === 'write' ? { kind: 'command', command: text, runs: 'typed-into-process' } : noSubject(),
    rules: { pattern: 'command' },
    isContained: async ({ action, id }, { processes }) =>
      action !== 'write' || ((await chosen(processes, id).catch(() => undefined))?.isConfined ?? false),
    async preview({ action, id, text = '' }, { processes }) {
      if (action !== 'write') return { summary: `${action} ${id ?? ''}`.trim(), text: id ?? action, paths: [] };
      const process = await chosen(processes, id);
      const into = `${process.id}, which runs: ${visible(process.command)}`;
      return { summary: `Type into ${into}`, text: `into ${into}\n\n${visible(text)}`, paths: [] };
    },
    timeoutMs: DEFAULT_WAIT_MS,
    timeoutOf: ({ timeoutMs }) => timeoutMs + ENDING_MS,

    async execute({ action, id, text, since, timeoutMs }, context) {
      const { tainted } = context;
      const processes = available(context.processes);
      if (action === 'list') return listed(processes, context);
      const process = await chosen(processes, id);
      if (action === 'kill') await process.end();
      if (action === 'write') {
        const before = process.outputBytes;
        await process.write(text ?? '', tainted?.sources).catch((error: unknown) => {
          throw orProcessFailure(error);
        });
        await waitFor(process.printedMore(before, context.signal), ANSWER_MS);
      }
      if (action === 'wait') {
        const texts = (text ?? '').split('|').filter((each) => each !== '');
        const end = process.ended.then(() => {});
        await waitFor(texts.length > 0 ? process.printed(texts, context.signal) : end, timeoutMs);
      }
      return outputOf(process, context, since);
    },
  });
}

function available(processes: SessionProcesses | undefined): SessionProcesses {
  if (processes) return processes;
  throw new ToolFailure('no command can run in the background here', { reason: 'denied' });
}

async function chosen(processes: SessionProcesses | undefined, id: string | undefined): Promise<BackgroundProcess> {
  const there = available(processes);
  return there.get(id ?? (await onlyOne(there)));
}

async function onlyOne(processes: SessionProcesses): Promise<string> {
  const [first, ...others] = await processes.list();
  if (first && others.length === 0) return first.id;
  const named = first ? [first, ...others].map(({ id }) => id).join(', ') : 'none';
  throw new ToolFailure(`name the process by its id; there are: ${named}`, { code: 'invalid_args' });
}

/** For a program to answer what was written to it. */
const ANSWER_MS = 500;

/** What is waited for need not happen: the output tells. */
async function waitFor(happening: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([happening, late]);
  } finally {
    clearTimeout(timer);
    happening.catch(() => {});
  }
}

async function listed(processes: SessionProcesses, context: ToolContext): Promise<ToolOutput> {
  const found = await processes.list();
  const data = found.map(({ id, command, state, exitCode, startedAt, outputBytes }) => ({
    id,
    command,
    state,
    ...(state === 'ended' && { exitCode: exitCode ?? null }),
    startedAt: new Date(startedAt).toISOString(),
    outputBytes,
  }));
  const lines = data.map(({ id, state, command }) => `${id} ${state}: ${command}`);
  return { data: { processes: data }, text: lines.join('\n') || repliesIn(context).noProcesses };
}
