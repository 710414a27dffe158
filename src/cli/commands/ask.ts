import type { App } from '../../app.ts';
import type { Attachment } from '../../pipeline/attachments.ts';
import type { Approval } from '../../tools/policy.ts';
import {
  amount,
  approve,
  integerFrom,
  json,
  paths,
  plainText,
  single,
  switchOf,
  text,
  toolAllow,
  webAddress,
  workspace,
} from '../flags.ts';
import { onApp } from '../on-app.ts';
import { personAt } from '../person-at.ts';
import type { ConfigureCommand } from '../program.ts';
import { readStandardInput } from '../standard-input.ts';
import { EXIT, namingWorkspace, type OutputFlags, type Terminal, UsageError, wantsJson, warn } from '../terminal.ts';

interface AskFlags extends OutputFlags {
  provider?: string;
  profile?: string;
  model?: string;
  session?: string;
  newSession?: boolean;
  memory?: boolean;
  withTools?: boolean;
  toolAllow?: string[];
  toolMaxSteps?: number;
  approve?: Approval;
  workspace?: string;
  baseUrl?: string;
  maxTokens?: number;
  maxCostUsd?: number;
  file?: string[];
  image?: string[];
}

const COMPATIBLE = 'openai-compatible';
const USAGE = 'lainclaw ask [flags] <input>   (lainclaw ask --help lists the flags)';

export const configureAsk: ConfigureCommand = (command, terminal, setExitCode) => {
  command
    .argument('[input...]', 'the question; "-" reads it from standard input')
    .addOption(single('--provider <name>', 'the model provider (default: LAINCLAW_PROVIDER, config.json, stub)', text))
    .addOption(single('--profile <id>', 'the sign-in profile of the provider', text))
    .addOption(single('--model <name>', 'the model', text))
    .addOption(single('--session <key>', 'the conversation to continue (default: main)', text))
    .option('--new-session', 'start a new conversation under this key')
    .addOption(
      single('--memory <on|off>', 'memory of this session; also --memory alone and --no-memory', switchOf('on', 'off')),
    )
    .addOption(
      single(
        '--with-tools <true|false>',
        'let the model call tools (default: true); also --no-with-tools',
        switchOf('true', 'false'),
      ),
    )
    .addOption(paths('--file <path>', 'attach a text file; may be repeated'))
    .addOption(paths('--image <path>', 'attach a picture; may be repeated'))
    .addOption(toolAllow())
    .addOption(
      single(
        '--tool-max-steps <N>',
        'model calls in one turn: a whole number of at least 1 (default: 3)',
        integerFrom(1),
      ),
    )
    .addOption(single('--base-url <url>', 'the address of an openai-compatible server', webAddress))
    .addOption(single('--max-tokens <N>', 'end the turn when it has used this many tokens', integerFrom(1)))
    .addOption(single('--max-cost-usd <amount>', 'end the turn when it has cost this much', amount))
    .addOption(approve())
    .addOption(workspace())
    .addOption(json())
    .addOption(plainText())
    .action(async (words: string[], flags: AskFlags) => setExitCode(await ask(words, flags, terminal)));
};

async function ask(words: string[], flags: AskFlags, terminal: Terminal): Promise<number> {
  wantsJson(terminal, flags);
  const waitsForInput = words.at(-1) === '-';
  const typed = (waitsForInput ? words.slice(0, -1) : words).join(' ');
  const piped = waitsForInput ? await readStandardInput(terminal.signal) : undefined;
  // A lone "-" is the question itself; after a question it is what the question is about.
  const input = typed === '' ? (piped ?? '') : typed;
  if (input.trim() === '')
    throw new UsageError('ask needs an input: the question in quotes', { code: 'ASK_INPUT_REQUIRED', usage: USAGE });

  const attachments = await attachmentsOf(flags, typed === '' ? undefined : piped, waitsForInput, terminal);
  const person = await personAt(terminal);
  const { workspace: root, baseUrl } = flags;
  return onApp(terminal, (app) => answer(app, { input, attachments }, flags, terminal), {
    ...person,
    workspace: root,
    baseUrl,
  });
}

async function answer(
  app: App,
  question: { input: string; attachments: Attachment[] },
  flags: AskFlags,
  terminal: Terminal,
): Promise<number> {
  const gateway = await namingWorkspace(flags.workspace, app.gateway());
  const provider = flags.provider ?? app.config.provider;
  const { modelFor = provider } = app.config;
  const configured = modelFor === provider ? app.config : undefined;
  if (flags.baseUrl !== undefined && provider !== COMPATIBLE) {
    throw new UsageError(`--base-url goes with --provider ${COMPATIBLE}, not with ${provider}`, { usage: USAGE });
  }
  const events = await refusable(
    gateway.ask(
      {
        ...question,
        provider,
        profileId: flags.profile ?? configured?.profile,
        model: flags.model ?? configured?.model,
        sessionKey: flags.session ?? 'main',
        newSession: flags.newSession ?? false,
        memory: flags.memory,
        withTools: flags.withTools ?? true,
        toolAllow: flags.toolAllow,
        toolMaxSteps: flags.toolMaxSteps ?? 3,
        approval: flags.approve ?? 'ask',
        caps: {
          maxTokens: flags.maxTokens ?? app.config.maxTokens,
          maxCostUsd: flags.maxCostUsd ?? app.config.maxCostUsd,
          dailyMaxTokens: app.config.dailyMaxTokens,
          dailyMaxCostUsd: app.config.dailyMaxCostUsd,
        },
      },
      terminal.signal,
    ),
  );
  const { renderJson, renderText } = await import('../render.ts');
  const asJson = wantsJson(terminal, flags);
  const result = await (asJson ? renderJson(events, terminal) : renderText(events, terminal));
  if (provider === 'stub' && terminal.out.isTTY && !asJson) await suggestOllama(app, terminal);
  if (result.success) return EXIT.done;
  return result.stage === 'cancelled' ? terminal.cancelledExit() : EXIT.failed;
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
async function suggestOllama(app: App, terminal: Terminal): Promise<void> {
  const { detectOllama } = await app.modelServices();
  const ollama = await detectOllama({ env: terminal.environment.variables, signal: terminal.signal });
  const model = ollama?.models[0]?.id;
  if (model) warn(terminal, `Ollama is running here: lainclaw ask --provider openai-compatible --model ${model} "…"`);
}

/** What the gateway refuses outright is wrong usage of this command. */
async function refusable<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const { name, code, message } = error as Error & { code: string };
    if (name !== 'RefusedRequest') throw error;
    const flag = { INVALID_SESSION_KEY: '--session: ', UNSUPPORTED_PROVIDER: '--provider: ' }[code] ?? '';
    throw new UsageError(flag + message, { code, usage: USAGE });
  }
}
