// The whole application in this process, asked with a fake model behind HTTP.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnvironment } from '../src/config/environment.ts';
import { createRuntime, type Runtime } from '../src/runtime/runtime.ts';
import { startModel } from './processes.ts';

export interface ModelApp {
  runtime: Runtime;
  baseUrl: string;
  /** One turn, to its end; rejects when it fails. */
  ask(input: string, sessionKey: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface ModelAppOptions {
  /** Called with what the model prints after its address. */
  onLine?(line: string): void;
  /** With memory, and these settings beside those of the model. */
  remembering?: Readonly<Record<string, unknown>>;
}

export async function openModelApp(
  home: string,
  file: string,
  { onLine, remembering }: ModelAppOptions = {},
): Promise<ModelApp> {
  const { baseUrl, stop } = await startModel(file, onLine);
  const model = { provider: 'openai-compatible', model: 'fake' };
  if (remembering)
    await writeFile(join(home, 'config.json'), JSON.stringify({ ...remembering, ...model, baseUrl, memory: true }));
  const environment = readEnvironment({ variables: { LAINCLAW_HOME: home, LAINCLAW_API_KEY: 'none' }, cwd: home });
  const runtime = await createRuntime({ environment, warn: console.error });
  const gateway = await (await runtime.openWorkspace({ baseUrl })).gateway();
  return {
    runtime,
    baseUrl,
    async ask(input, sessionKey, signal) {
      const events = await gateway.ask(
        {
          input,
          attachments: [],
          ...model,
          ...(remembering && { memory: true }),
          sessionKey,
          newSession: false,
          withTools: true,
          toolMaxSteps: 3,
          mode: 'ask',
          caps: {},
        },
        signal,
      );
      for await (const event of events)
        if (event.type === 'run-end' && !event.result.success) throw new Error(event.result.error.message);
    },
    async close() {
      await runtime.close();
      stop();
    },
  };
}
