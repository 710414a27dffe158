import { keepMemorySmall, SMALL_YOUNG_BYTES } from '../../config/lasting-process.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { turnSources } from '../../runtime/asked-turn.ts';
import { lastOfProject, newProjectKey } from '../../sessions/project-session.ts';
import { sessionKeyProblem } from '../../sessions/session-key.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { answerQuestions } from '../answer-questions.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { explainWorkspaceError, type Terminal, UsageError } from '../terminal.ts';
import { addTurnFlags, type TurnFlags, turnOf, whereProvider } from '../turn-flags.ts';

const MAX_STEPS = 25;
const USAGE = 'lainclaw chat [flags]   (lainclaw chat --help lists the flags)';

export const configureChat: ConfigureCommand = (command, terminal, setExitCode) => {
  addTurnFlags(command, { maxSteps: MAX_STEPS, session: "the folder's last one" })
    .option('--continue', "continue the folder's last conversation, which is the default")
    .option('--resume', 'choose a conversation from a list')
    .action(async (flags: ChatFlags) => setExitCode(await chat(flags, terminal)));
};

interface ChatFlags extends TurnFlags {
  continue?: boolean;
  resume?: boolean;
}

async function chat(flags: ChatFlags, terminal: Terminal): Promise<number> {
  const { environment, input, out } = terminal;
  if (input.kind() !== 'terminal' || !out.isTTY || environment.variables.TERM === 'dumb') {
    throw new UsageError('chat needs a terminal to draw on; without one, use: lainclaw ask "…"', {
      code: 'NO_TERMINAL',
      usage: USAGE,
    });
  }
  refuseContradictions(flags);
  const problem = flags.session === undefined ? undefined : sessionKeyProblem(flags.session);
  if (problem) {
    throw new UsageError(`--session: "${flags.session}" cannot name a session: ${problem}`, {
      code: 'INVALID_SESSION_KEY',
      usage: USAGE,
    });
  }
  // One long turn is enough to let the heap grow.
  keepMemorySmall(SMALL_YOUNG_BYTES);
  const [{ createRuntime }, { runChat }] = await Promise.all([
    import('../../runtime/runtime.ts'),
    import('../chat/chat.ts'),
  ]);
  return runChat({
    terminal,
    colors: colorsFor(out, terminal),
    resume: flags.resume ?? false,
    userHome: environment.userHome,
    now: environment.now,
    async open(person, warn) {
      const runtime = await createRuntime({ environment, warn });
      try {
        const { workspace: root, baseUrl } = flags;
        const workspace = await explainWorkspaceError(root, runtime.openWorkspace({ root, baseUrl }));
        const gateway = await workspace.gateway();
        const ask: Gateway['ask'] = async (request, signal) => {
          const events = await gateway.ask({ ...request, answering: {} }, signal);
          const told = flags.debug ? (await import('../debug-events.ts')).withDebug(events) : events;
          return answerQuestions(told, { person, answer: runtime.hub.answer });
        };
        const turn = await turnOf(flags, turnSources(runtime, workspace), { maxSteps: MAX_STEPS, usage: USAGE });
        const providers = ['stub', ...(turn.provider === 'stub' ? [] : (await runtime.modelServices(baseUrl)).names())];
        if (!providers.includes(turn.provider)) {
          throw new UsageError(
            `${whereProvider(flags, environment.variables)}: there is no provider "${turn.provider}"; accepted: ${providers.join(', ')}`,
            { code: 'UNSUPPORTED_PROVIDER', usage: USAGE },
          );
        }
        await runtime.publishTurns();
        return {
          runtime,
          workspace,
          turn,
          ask,
          ...(await chosenSession(flags, runtime.sessions, workspace.files.root)),
        };
      } catch (error) {
        await runtime.close();
        throw error;
      }
    },
  });
}

function refuseContradictions(flags: ChatFlags): void {
  const given = (['continue', 'resume', 'session', 'newSession'] as const).filter((name) => flags[name] !== undefined);
  const names = given.map((name) => `--${name === 'newSession' ? 'new-session' : name}`);
  const isNamedAnew = given.every((name) => name === 'session' || name === 'newSession');
  if (given.length < 2 || isNamedAnew) return;
  throw new UsageError(`${names.join(' and ')} exclude each other: give one of them`, { usage: USAGE });
}

/** The named conversation; otherwise the folder's last one, or a new one that is called after the folder. */
async function chosenSession(
  { session, newSession = false }: ChatFlags,
  sessions: Sessions,
  root: string,
): Promise<{ sessionKey: string; newSession: boolean }> {
  if (session !== undefined) return { sessionKey: session, newSession };
  const last = newSession ? undefined : await lastOfProject(sessions, root);
  return { sessionKey: last?.sessionKey ?? (await newProjectKey(sessions, root)), newSession: false };
}
