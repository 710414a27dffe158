import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../lib/counted.ts';
import type { Attachment } from '../../pipeline/attachments.ts';
import type { AskResult, RunEvent } from '../../pipeline/events.ts';
import { turnSources } from '../../runtime/asked-turn.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../../runtime/workspace.ts';
import { answerQuestions } from '../answer-questions.ts';
import { askTrust } from '../ask-trust.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { json, paths, plainText } from '../flags.ts';
import { readStandardInput } from '../standard-input.ts';
import { EXIT, type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn } from '../terminal.ts';
import { type Person, terminalPrompter } from '../terminal-prompter.ts';
import { addTurnFlags, asUsageError, type TurnFlags, turnOf, whereProvider } from '../turn-flags.ts';
import { withWorkspace } from '../with-runtime.ts';

interface AskFlags extends OutputFlags, TurnFlags {
  continue?: boolean;
  file?: string[];
  image?: string[];
}

const MAX_STEPS = 3;
const USAGE = 'lainclaw ask [flags] <input>   (lainclaw ask --help lists the flags)';

export const configureAsk: ConfigureCommand = (command, terminal, setExitCode) => {
  command.argument('[input...]', 'the question; without one, or with "-", it is read from standard input');
  addTurnFlags(command, { maxSteps: MAX_STEPS })
    .option('--continue', "continue the session's last turn where it stopped; takes no question")
    .addOption(paths('--file <path>', 'attach a text file; may be repeated'))
    .addOption(paths('--image <path>', 'attach a picture; may be repeated'))
    .addOption(json())
    .addOption(plainText())
    .action(async (words: string[], flags: AskFlags) => setExitCode(await ask(words, flags, terminal)));
};

async function ask(words: string[], flags: AskFlags, terminal: Terminal): Promise<number> {
  // Flags that contradict each other are refused before anything is read.
  wantsJson(terminal, flags);
  if (flags.continue) return askAgain(words, flags, terminal);
  const waitsForInput = words.at(-1) === '-';
  const given = (waitsForInput ? words.slice(0, -1) : words).join(' ');
  const typed = given.trim() === '' ? '' : given;
  const piped = waitsForInput ? await readStandardInput(terminal) : await pipedQuestion(typed, terminal);
  // Without a question, what is piped in is the question; otherwise it is what the question is about.
  const input = typed === '' ? (piped ?? '') : typed;
  if (input.trim() === '')
    throw new UsageError('ask needs an input: the question in quotes, or piped in', {
      code: 'ASK_INPUT_REQUIRED',
      usage: USAGE,
    });

  const attachments = await attachmentsOf(
    flags,
    typed === '' ? undefined : piped,
    waitsForInput || typed === '',
    terminal,
  );
  const person = await terminalPrompter(terminal);
  const { workspace: root, baseUrl } = flags;
  return withWorkspace(terminal, { root, baseUrl }, (workspace, runtime) =>
    answer({ workspace, runtime, person }, { input, attachments }, flags, terminal),
  );
}

async function pipedQuestion(typed: string, terminal: Terminal): Promise<string | undefined> {
  if (typed !== '') return undefined;
  const { readPiped } = await import('../attachments.ts');
  return (await readPiped(terminal))?.text;
}

/** Whatever was typed besides would be a question of its own. */
async function askAgain(words: string[], flags: AskFlags, terminal: Terminal): Promise<number> {
  const others = [
    ...(words.join('') !== '' ? ['question'] : []),
    ...(flags.newSession ? ['--new-session'] : []),
    ...(flags.file ? ['--file'] : []),
    ...(flags.image ? ['--image'] : []),
  ];
  if (others.length > 0)
    throw new UsageError(`--continue continues the last turn: it takes no ${others.join(', no ')}`, { usage: USAGE });
  const person = await terminalPrompter(terminal);
  const { workspace: root, baseUrl } = flags;
  return withWorkspace(terminal, { root, baseUrl }, (workspace, runtime) =>
    answer({ workspace, runtime, person }, { input: '', attachments: [], continues: true }, flags, terminal),
  );
}

async function answer(
  { workspace, runtime, person }: { workspace: RuntimeWorkspace; runtime: Runtime; person: Person | undefined },
  question: { input: string; attachments: Attachment[]; continues?: boolean },
  flags: AskFlags,
  terminal: Terminal,
): Promise<number> {
  const gateway = await workspace.gateway();
  const turn = await turnOf(flags, turnSources(runtime, workspace), { maxSteps: MAX_STEPS, usage: USAGE });
  if (person && turn.provider !== 'stub') await askTrust(person, { workspace, trust: runtime.trust }, terminal.signal);
  const sessionKey = flags.session ?? 'main';
  const request = { ...turn, ...question, sessionKey, newSession: flags.newSession ?? false };
  // Where no gateway has ever run, nothing is loaded for it.
  if (existsSync(join(runtime.environment.home, 'service', 'gateway-service.json'))) await runtime.publishTurns();
  const asked = await asUsageError(gateway.ask({ ...request, ...(person && { answering: {} }) }, terminal.signal), {
    usage: USAGE,
    provider: whereProvider(flags, terminal.environment.variables),
  });
  const asJson = wantsJson(terminal, flags);
  const told = flags.debug ? (await import('../debug-events.ts')).withDebug(asked) : asked;
  const answered = person ? answeredBy(person, told, runtime, terminal) : told;
  const events = await withWaiting(answered, { isTextShown: !asJson }, terminal);
  const { renderJson, renderText } = await import('../render.ts');
  const result = await (asJson ? renderJson(events, terminal) : renderText(events, terminal));
  if (result.stage === 'tool-limit') warn(terminal, limitNote(result, turn.toolMaxSteps, flags.session));
  if (turn.provider === 'stub' && terminal.out.isTTY && !asJson) await suggestLocalServer(runtime, terminal);
  if (result.success && result.memoryEnabled && turn.provider !== 'stub')
    await (await import('../extract-later.ts')).extractLater(runtime, (reason) => {
      if (flags.debug) warn(terminal, `facts are extracted later: ${reason}`);
    });
  if (result.success) return EXIT.done;
  return result.stage === 'cancelled' ? terminal.cancelledExit() : EXIT.failed;
}

/** The last line: what was left, and how to continue. */
function limitNote({ toolCalls }: AskResult, steps: number, session: string | undefined): string {
  const last = toolCalls.at(-1)?.name ?? 'its last tool';
  const command = `lainclaw ask --continue${session === undefined ? '' : ` --session ${session}`}`;
  return `the limit of ${counted(steps, 'step')} was reached before the model had read the result of ${last}; "${command}" continues`;
}

function answeredBy(
  person: Person,
  events: AsyncIterable<RunEvent>,
  { hub }: Runtime,
  { err }: Terminal,
): AsyncIterable<RunEvent> {
  return answerQuestions(events, {
    person,
    answer: hub.answer,
    onElsewhere: (text) => err.write(`\n→ ${printable(text)}\n`),
  });
}

/** On a terminal the wait for the model can be seen. */
async function withWaiting(
  events: AsyncIterable<RunEvent>,
  options: { isTextShown: boolean },
  terminal: Terminal,
): Promise<AsyncIterable<RunEvent>> {
  const { err, out, environment } = terminal;
  // Where JSON goes to the screen, nothing is printed beside it.
  const isInTheWay = !options.isTextShown && out.isTTY;
  if (!err.isTTY || isInTheWay || environment.variables.TERM === 'dumb') return events;
  const { showWaiting } = await import('../show-waiting.ts');
  return showWaiting(events, terminal, options);
}

async function attachmentsOf(
  { file = [], image = [] }: AskFlags,
  piped: string | undefined,
  inputIsRead: boolean,
  terminal: Terminal,
): Promise<Attachment[]> {
  const { readAttachments, readPiped } = await import('../attachments.ts');
  const named = file.length + image.length > 0 ? await readAttachments(file, image, terminal) : [];
  if (piped) return [...named, { kind: 'text', name: 'standard input', text: piped }];
  const found = inputIsRead ? undefined : await readPiped(terminal);
  return found ? [...named, found] : named;
}

/** A model may be running right here: the stub's answer is the moment to say so. */
async function suggestLocalServer(runtime: Runtime, terminal: Terminal): Promise<void> {
  const { findLocalServers } = await runtime.modelServices();
  const found = await findLocalServers({ env: terminal.environment.variables, signal: terminal.signal });
  for (const { provider, models } of found) {
    const [model] = models;
    if (model)
      warn(terminal, `${provider.label} is running here: lainclaw ask --model ${provider.name}/${model.id} "…"`);
  }
}
