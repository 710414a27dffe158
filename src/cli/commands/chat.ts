import type { Gateway } from '../../gateway/gateway.ts';
import { turnSources } from '../../runtime/asked-turn.ts';
import { sessionKeyProblem } from '../../sessions/session-key.ts';
import { answerQuestions } from '../answer-questions.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../program.ts';
import { explainWorkspaceError, type Terminal, UsageError } from '../terminal.ts';
import { addTurnFlags, type TurnFlags, turnOf } from '../turn-flags.ts';

const MAX_STEPS = 25;
const USAGE = 'lainclaw chat [flags]   (lainclaw chat --help lists the flags)';

export const configureChat: ConfigureCommand = (command, terminal, setExitCode) => {
  addTurnFlags(command, { maxSteps: MAX_STEPS }).action(async (flags: TurnFlags) =>
    setExitCode(await chat(flags, terminal)),
  );
};

async function chat(flags: TurnFlags, terminal: Terminal): Promise<number> {
  const { environment, input, out } = terminal;
  if (input.kind() !== 'terminal' || !out.isTTY || environment.variables.TERM === 'dumb') {
    throw new UsageError('chat needs a terminal to draw on; without one, use: lainclaw ask "…"', {
      code: 'NO_TERMINAL',
      usage: USAGE,
    });
  }
  const sessionKey = flags.session ?? 'main';
  const problem = sessionKeyProblem(sessionKey);
  if (problem) {
    throw new UsageError(`--session: "${sessionKey}" cannot name a session: ${problem}`, {
      code: 'INVALID_SESSION_KEY',
      usage: USAGE,
    });
  }
  const [{ createRuntime }, { runChat }] = await Promise.all([
    import('../../runtime/runtime.ts'),
    import('../chat/chat.ts'),
  ]);
  return runChat({
    terminal,
    colors: colorsFor(out, terminal),
    sessionKey,
    newSession: flags.newSession ?? false,
    userHome: environment.userHome,
    now: environment.now,
    async open(person, warn) {
      const runtime = await createRuntime({ environment, warn });
      try {
        const { workspace: root, baseUrl } = flags;
        const workspace = await explainWorkspaceError(root, runtime.openWorkspace({ root, baseUrl }));
        const gateway = await workspace.gateway();
        const ask: Gateway['ask'] = async (request, signal) =>
          answerQuestions(await gateway.ask({ ...request, answering: {} }, signal), {
            person,
            answer: runtime.hub.answer,
          });
        const turn = await turnOf(flags, turnSources(runtime, workspace), { maxSteps: MAX_STEPS, usage: USAGE });
        const providers = ['stub', ...(turn.provider === 'stub' ? [] : (await runtime.modelServices(baseUrl)).names())];
        if (!providers.includes(turn.provider)) {
          throw new UsageError(
            `--provider: there is no provider "${turn.provider}"; accepted: ${providers.join(', ')}`,
            { code: 'UNSUPPORTED_PROVIDER', usage: USAGE },
          );
        }
        return { runtime, workspace, turn, ask };
      } catch (error) {
        await runtime.close();
        throw error;
      }
    },
  });
}
