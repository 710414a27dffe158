// The whole application in this process, asked with a fake model behind HTTP.
import { type App, createApp } from '../src/app.ts';
import { readEnvironment } from '../src/config/environment.ts';
import { startModel } from './processes.ts';

export interface ModelApp {
  app: App;
  baseUrl: string;
  /** One turn, to its end; rejects when it fails. */
  ask(input: string, sessionKey: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

export async function openModelApp(home: string, model: string): Promise<ModelApp> {
  const { baseUrl, stop } = await startModel(model);
  const environment = readEnvironment({ variables: { LAINCLAW_HOME: home, LAINCLAW_API_KEY: 'none' }, cwd: home });
  const app = await createApp({ environment, baseUrl, warn: console.error });
  const gateway = await app.gateway();
  return {
    app,
    baseUrl,
    async ask(input, sessionKey, signal) {
      const events = await gateway.ask(
        {
          input,
          attachments: [],
          provider: 'openai-compatible',
          model: 'fake',
          sessionKey,
          newSession: false,
          withTools: true,
          toolMaxSteps: 3,
          approval: 'ask',
          caps: {},
        },
        signal,
      );
      for await (const event of events)
        if (event.type === 'run-end' && !event.result.success) throw new Error(event.result.error.message);
    },
    close() {
      app.close();
      stop();
    },
  };
}
