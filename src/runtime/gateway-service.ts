// The gateway as a service of this process: its settings, who may write, starting and stopping it, and what it runs.
import { loadChannelTable } from '../channels/channel-table.ts';
import type { OpenConsole } from '../gateway/service/console-parts.ts';
import type { GatewayAdmin, OpenGateway } from '../gateway/service/gateway-admin.ts';
import { lazily } from '../lib/lazily.ts';
import type { Base } from './base.ts';
import type { ToolServices } from './toolbox.ts';

export interface GatewayServiceDependencies {
  providerNames(): Promise<readonly string[]>;
  /** The provider of turns whose settings name none. */
  defaultProvider(): Promise<string>;
  open: OpenGateway;
  openConsole?: OpenConsole;
  hasSession(sessionKey: string): Promise<boolean>;
}

export interface GatewayService extends Pick<ToolServices, 'isGatewayRunning' | 'answerProblem' | 'sendMessage'> {
  gatewayAdmin(): Promise<GatewayAdmin>;
}

export function createGatewayService(
  { environment, config, storage, mailbox, hub, now }: Base,
  { providerNames, defaultProvider, open, openConsole, hasSession }: GatewayServiceDependencies,
): GatewayService {
  const gatewayAdmin = lazily(async () => {
    const [{ createGatewayAdmin }, channels] = await Promise.all([
      import('../gateway/service/gateway-admin.ts'),
      loadChannelTable(),
    ]);
    return createGatewayAdmin({
      channels,
      environment,
      config,
      files: storage.ownerFiles,
      machineFiles: storage.machineFiles,
      locks: storage.machineLocks,
      ...(storage.locks !== storage.machineLocks && { sharedLocks: storage.locks }),
      hub,
      now,
      mailbox,
      hasSession,
      providerNames,
      defaultProvider,
      open,
      openConsole,
    });
  });
  return {
    gatewayAdmin,
    isGatewayRunning: async () => (await (await gatewayAdmin()).states.running()) !== undefined,
    answerProblem: async (chat, asker) => (await gatewayAdmin()).answerProblem(chat, asker),
    async sendMessage(chat, text, signal) {
      const [{ control }, { sendThrough }] = await Promise.all([
        gatewayAdmin(),
        import('../gateway/service/send-through.ts'),
      ]);
      return sendThrough(control, chat, text, signal);
    },
  };
}
