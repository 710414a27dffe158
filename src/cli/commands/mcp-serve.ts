// `mcp serve`: our tools for other agents. Over stdio stdout belongs to the protocol, so everything else, failures included, is
// said on stderr.

import type { Approval, Mode } from '../../config/mode.ts';
import type { Offer } from '../../mcp/serve.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { EXIT, printable, type Terminal, UsageError, warn } from '../terminal.ts';
import { withWorkspace } from '../with-runtime.ts';

export interface ServeFlags {
  toolAllow?: string[];
  mode?: Mode;
  approve?: Approval;
  workspace?: string;
  http?: boolean;
  port?: number;
}

export async function serveMcp(flags: ServeFlags, terminal: Terminal): Promise<number> {
  try {
    await serve(flags, terminal);
    return EXIT.done;
  } catch (error) {
    const { code = 'INTERNAL', message, stack } = error as Error & { code?: string };
    terminal.err.write(`error ${code}: ${printable(code === 'INTERNAL' ? (stack ?? message) : message)}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

async function serve(flags: ServeFlags, terminal: Terminal): Promise<void> {
  if (flags.port !== undefined && !flags.http) throw new UsageError('--port goes with --http');
  const { workspace: root, toolAllow: allow, approve = 'ask', mode = approve } = flags;
  await withWorkspace(terminal, { root, ownToolsOnly: true }, async (workspace, runtime) => {
    const offer = await workspace.mcpOffer({ allow, mode });
    await (flags.http ? overHttp(runtime, offer, flags.port ?? 0, terminal) : overStdio(offer, terminal));
  });
}

async function overStdio(offer: Offer, terminal: Terminal): Promise<void> {
  const { createMcpServers, serveStdio } = await import('../../mcp/serve.ts');
  await serveStdio(await createMcpServers(offer), {
    input: terminal.input.stream(),
    output: terminal.out.stream(),
    signal: terminal.signal,
    onError: reporting(terminal),
  });
}

async function overHttp(runtime: Runtime, offer: Offer, port: number, terminal: Terminal): Promise<void> {
  const [{ openMcpHttp }, { serveHttp }] = await Promise.all([
    import('../../mcp/open-http.ts'),
    import('../../mcp/serve-http.ts'),
  ]);
  const { tokenPath, admits } = await runtime.mcpAdmission();
  const handler = await openMcpHttp({ offer, admits, onError: reporting(terminal) });
  const serving = await serveHttp({ handler, port });
  terminal.err.write(`listening at ${serving.url}\nthe bearer token is in ${tokenPath}\n`);
  const { signal } = terminal;
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await serving.close();
}

/** What a client does wrong is its own affair, told in one line. */
function reporting(terminal: Terminal): (error: Error) => void {
  return (error) => warn(terminal, `mcp: ${error.message.slice(0, 500)}`);
}
