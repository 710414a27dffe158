// Starting a turn without reading it: its events are read from the hub.
import { loadConfig } from '../config/config.ts';
import { MODES } from '../config/mode.ts';
import { newId } from '../lib/new-id.ts';
import type { Attachment } from '../pipeline/attachments.ts';
import { askedCaps, askedProvider, turnSources } from '../runtime/asked-turn.ts';
import type { RuntimeWorkspace } from '../runtime/workspace.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { listOf, objectWith, TEXT, YES_OR_NO } from './schemas.ts';

const MAX_STEPS = 25;

const ATTACHMENT = {
  anyOf: [
    objectWith({ kind: { const: 'text' }, name: TEXT, text: TEXT }),
    objectWith({ kind: { const: 'image' }, name: TEXT, mimeType: TEXT, data: { ...TEXT, description: 'base64' } }),
  ],
} as const;

export const startTurn = defineOperation({
  name: 'turns.start',
  class: 'change',
  summary:
    'Start a turn: ask a question in a session. Resolves at once; the turn runs by itself and its events are read by its id.',
  input: {
    type: 'object',
    properties: {
      session: { ...TEXT, description: 'the key of the session; a new one by default' },
      text: TEXT,
      attachments: { ...listOf(ATTACHMENT), description: 'texts and pictures that the question is about' },
      mode: { enum: MODES, description: 'what needs permission' },
      model: { ...TEXT, description: 'a model, or provider/model' },
      effort: { enum: ['off', 'minimal', 'low', 'medium', 'high'], description: 'how long the model thinks' },
      memory: { ...YES_OR_NO, description: 'memory of the session; by default as the session has it' },
      continue: { ...YES_OR_NO, default: false, description: 'continue the last turn where it stopped; takes no text' },
    },
    additionalProperties: false,
  },
  output: objectWith({ session: TEXT, turn: TEXT }),
  async run(input, context) {
    const { runtime, opened } = context;
    const { session = newSessionKey(), text = '', mode = 'ask', continue: continues } = input;
    const workspace = opened ?? (await runtime.openWorkspace({ root: context.workspace }));
    const turn = newId('turn');
    const { ask } = await workspace.gateway();
    await ask(
      {
        ...(await chosenModel(input, context, workspace)),
        turnId: turn,
        input: text,
        ...(continues && { continues }),
        attachments: (input.attachments ?? []) as Attachment[],
        sessionKey: session,
        newSession: false,
        effort: input.effort,
        memory: input.memory,
        memoryDefault: runtime.config.memory,
        withTools: true,
        toolMaxSteps: MAX_STEPS,
        mode,
        caps: askedCaps({}, runtime.config),
        answering: {},
      },
      new AbortController().signal,
    );
    return { session, turn };
  },
});

function newSessionKey(): string {
  return `console:${newId('').slice(1, 11)}`;
}

/** As config.json is now: a model that was set up a moment ago is used. */
async function chosenModel(
  { model }: { model?: string },
  { runtime }: OperationContext,
  workspace: RuntimeWorkspace,
): ReturnType<typeof askedProvider> {
  const config = await loadConfig(runtime.environment);
  const defaultProvider = async (): Promise<string> =>
    config.isProviderSet ? config.provider : runtime.defaultProvider();
  return askedProvider({ model }, turnSources({ ...runtime, config, defaultProvider }, workspace));
}
