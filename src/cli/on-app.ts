import type { App, AppOptions } from '../app.ts';
import { type Terminal, warn } from './terminal.ts';

/** Does something with the app, which is loaded here and closed whatever happens. What it has to say goes to stderr. */
export async function onApp<T>(
  terminal: Terminal,
  use: (app: App) => Promise<T>,
  options: Partial<AppOptions> = {},
): Promise<T> {
  const { createApp } = await import('../app.ts');
  const app = await createApp({
    environment: terminal.environment,
    warn: (line) => warn(terminal, line),
    ...options,
  });
  try {
    return await use(app);
  } finally {
    app.close();
  }
}
