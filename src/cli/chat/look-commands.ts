// Commands of the chat that look at what there is, or take it out: the same operations as the commands of the terminal, as Markdown.

import { resolve } from 'node:path';
import { counted } from '../../lib/counted.ts';
import { localTime } from '../../lib/local-time.ts';
import { newId } from '../../lib/new-id.ts';
import { listAgentRuns, listAgents } from '../../operations/agents.ts';
import { getSetting, listSettings, setSetting } from '../../operations/config.ts';
import { listServers } from '../../operations/mcp.ts';
import type { Operation, OperationContext, OutputOf } from '../../operations/operation.ts';
import { listJobs } from '../../operations/schedule.ts';
import { type ExportFormat, exportSession } from '../../operations/session-export.ts';
import { listSkills } from '../../operations/skills.ts';
import { usageToday } from '../../operations/usage.ts';
import type { Usage } from '../../vocabulary/usage.ts';
import { CommandError } from '../command-error.ts';
import { type OutputFile, openOutputFile } from '../output-file.ts';
import type { ChatCommand } from './commands.ts';
import { tokenCount } from './status.ts';

const SHOWN_RUNS = 5;
const FORMATS: Readonly<Record<string, ExportFormat>> = {
  md: 'markdown',
  html: 'html',
  json: 'json',
  jsonl: 'jsonl',
};

export interface LookCommandServices {
  sessionKey(): string;
  /** Where files are written. */
  root: string;
  operate<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    more?: Pick<OperationContext, 'onPiece'>,
  ): Promise<Output>;
  /** Of this chat so far. */
  usage(): Usage | undefined;
}

export function createLookCommands(services: LookCommandServices): ChatCommand[] {
  const { operate } = services;
  const look = (name: string, about: string, run: () => Promise<string>): ChatCommand => ({
    name,
    usage: `/${name}`,
    about,
    isImmediate: true,
    run,
  });
  return [
    {
      name: 'export',
      usage: '/export [file]',
      about: 'write this conversation to a file: .md, .html, .json or .jsonl',
      isImmediate: false,
      run: (argument) => writeExport(services, argument),
    },
    {
      name: 'config',
      usage: '/config [key [value]]',
      about: 'the settings; one of them; or set it',
      isImmediate: true,
      complete: async () => (await operate(listSettings, {})).map(({ key }) => key),
      run: (argument) => showConfig(services, argument),
    },
    look('mcp', 'the MCP servers and how many tools each has', async () => serverLines(await operate(listServers, {}))),
    look('skills', 'the skills that the model can load', async () => skillLines(await operate(listSkills, {}))),
    look('agents', 'the sub-agents, and what they did in the background', async () =>
      agentLines(await operate(listAgents, {}), (await operate(listAgentRuns, { limit: SHOWN_RUNS })).runs),
    ),
    look('schedule', 'the scheduled jobs and when they run next', async () => jobLines(await operate(listJobs, {}))),
    look('cost', 'what this chat and this day have cost', async () =>
      costLines(services.usage(), await operate(usageToday, {})),
    ),
  ];
}

async function writeExport({ sessionKey, root, operate }: LookCommandServices, argument: string): Promise<string> {
  const name = argument || `${sessionKey()}.md`;
  const format = FORMATS[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
  if (!format) return `\`${name}\`: which format? A name ends with .${Object.keys(FORMATS).join(', .')}.`;
  const path = resolve(root, name);
  let file: OutputFile | undefined;
  try {
    const opened = await openOutputFile(path, { force: false, newId });
    file = opened;
    const { turns } = await operate(
      exportSession,
      { key: sessionKey(), format },
      { onPiece: (piece) => opened.write(piece) },
    );
    await opened.finish();
    return `${counted(turns, 'turn')} of this conversation ${turns === 1 ? 'is' : 'are'} in \`${path}\`.`;
  } catch (error) {
    if (error instanceof CommandError && error.code === 'OUTPUT_EXISTS') return taken(path);
    throw error;
  } finally {
    await file?.discard();
  }
}

/** A chat has no flag that would replace the file. */
function taken(path: string): string {
  return `\`${path}\` is there already: \`/export <file>\` writes another one.`;
}

async function showConfig({ operate }: LookCommandServices, argument: string): Promise<string> {
  const [, key = '', value = ''] = /^(\S*)\s*([\s\S]*)$/.exec(argument) ?? [];
  if (key === '') {
    const lines = (await operate(listSettings, {}))
      .filter(({ source, problem }) => source !== 'default' || problem !== undefined)
      .map(settingLine);
    const all = '`/config <key>` explains one, `lainclaw config list` lists all.';
    return [lines.length > 0 ? lines.join('\n') : 'Nothing is set: everything has its default.', all].join('\n\n');
  }
  if (value === '') {
    const setting = await operate(getSetting, { key });
    return `${settingLine(setting)}\n\n${sentence(setting.about)} Accepted: ${setting.accepted}.`;
  }
  return `${settingLine(await operate(setSetting, { key, value }))}\n\nIt holds from the next start of the chat.`;
}

type Setting = OutputOf<typeof listSettings>[number];

function settingLine({ key, value, source, variable, default: fallback, problem }: Setting): string {
  const from = source === 'environment' ? ` (from ${variable})` : source === 'default' ? ' (default)' : '';
  const written = value ?? fallback ?? 'none';
  const shown = typeof written === 'string' ? written : JSON.stringify(written);
  return `- \`${key}\`: ${shown}${from}${problem === undefined ? '' : ` — ${problem}`}`;
}

function serverLines({ servers, problems }: OutputOf<typeof listServers>): string {
  const lines = servers.map(
    ({ name, tools, command, url }) => `- \`${name}\`: ${counted(tools.length, 'tool')}, ${command ?? url ?? ''}`,
  );
  return withProblems(lines, problems, 'There are no MCP servers: `lainclaw mcp add` adds one.');
}

function skillLines({ skills, problems }: OutputOf<typeof listSkills>): string {
  const lines = skills.map(({ name, description, source }) => `- \`${name}\` (${source}): ${description}`);
  const wrong = problems.map(({ folder, reason }) => `${folder}: ${reason}`);
  return withProblems(lines, wrong, 'There are no skills: `lainclaw skills install` installs one.');
}

function agentLines(
  { agents, problems }: OutputOf<typeof listAgents>,
  runs: OutputOf<typeof listAgentRuns>['runs'],
): string {
  const lines = agents.map(({ name, description, source }) => `- \`${name}\` (${source}): ${description}`);
  const wrong = problems.map(({ path, reason }) => `${path}: ${reason}`);
  const done = runs.map(({ name, state, createdAt }) => `- ${localTime(createdAt).slice(0, 16)} \`${name}\`: ${state}`);
  const background = done.length > 0 ? `\n\nIn the background:\n\n${done.join('\n')}` : '';
  return withProblems(lines, wrong, 'There are no sub-agents.') + background;
}

function jobLines({ jobs, problems, gatewayRunning }: OutputOf<typeof listJobs>): string {
  const lines = jobs.map(({ name, cron, status, nextRunAt, message }) => {
    const next = nextRunAt === null ? status : `next ${localTime(nextRunAt).slice(0, 16)}`;
    return `- \`${name}\` (${cron}, ${next}): ${message}`;
  });
  const wrong = problems.map(({ line, message }) => `HEARTBEAT.md, line ${line}: ${message}`);
  const told = withProblems(lines, wrong, 'There are no jobs: `lainclaw schedule add` adds one, or ask for it here.');
  return jobs.length > 0 && !gatewayRunning ? `${told}\n\nNo gateway runs: nothing is asked until one does.` : told;
}

function costLines(usage: Usage | undefined, today: OutputOf<typeof usageToday>): string {
  const here = usage
    ? `${tokenCount(usage.inputTokens)} tokens in, ${tokenCount(usage.outputTokens)} out, ${dollars(usage.costUsd)}`
    : 'nothing yet';
  const caps = [
    ...(today.dailyMaxTokens === undefined ? [] : [`${tokenCount(today.dailyMaxTokens)} tokens`]),
    ...(today.dailyMaxCostUsd === undefined ? [] : [dollars(today.dailyMaxCostUsd)]),
  ];
  const most = caps.length > 0 ? ` of at most ${caps.join(' and ')}` : '';
  return [
    `- This chat: ${here}`,
    `- Today, everything: ${tokenCount(today.tokens)} tokens, ${dollars(today.costUsd)}${most}`,
  ].join('\n');
}

function dollars(cost: number | undefined): string {
  return cost === undefined ? 'price unknown' : `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

function withProblems(lines: readonly string[], problems: readonly string[], none: string): string {
  const wrong = problems.map((problem) => `- ! ${problem}`);
  return lines.length + wrong.length === 0 ? none : [...lines, ...wrong].join('\n');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
