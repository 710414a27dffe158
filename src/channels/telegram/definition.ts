import { address, choice, secret } from '../../config/kinds.ts';
import { defineChannel } from '../definition.ts';

interface TelegramSettings {
  botToken: string;
  apiRoot: string;
  mode: 'polling' | 'webhook';
  webhookUrl?: string;
  webhookSecret?: string;
}

const API_ROOT = 'https://api.telegram.org';

export const telegram = defineChannel<TelegramSettings>({
  name: 'telegram',
  settings: {
    botToken: {
      kind: secret('the token from @BotFather (123456:ABC…)', /^\d+:[\w-]+$/),
      about: 'from @BotFather',
      isSecret: true,
      isOwn: true,
    },
    apiRoot: { kind: address, about: `of the Bot API (default: ${API_ROOT})` },
    mode: { kind: choice(['polling', 'webhook']), about: 'how updates arrive (default: polling)' },
    webhookUrl: { kind: address, about: 'the public address of the webhook; webhook mode needs it', isOwn: true },
    webhookSecret: {
      kind: secret('1 to 256 letters, digits, _ or -', /^[\w-]{1,256}$/),
      about: 'sent back by Telegram with each update; webhook mode needs it',
      isSecret: true,
      isOwn: true,
    },
  },
  identity: 'botToken',
  needed: ({ mode }) => (mode === 'webhook' ? ['botToken', 'webhookUrl', 'webhookSecret'] : ['botToken']),
  defaults: () => ({ apiRoot: API_ROOT, mode: 'polling' }),
  async open({ account, settings, now }) {
    const { createTelegramChannel } = await import('./telegram-channel.ts');
    const { mode, webhookUrl, webhookSecret, ...own } = settings;
    return createTelegramChannel({
      account,
      now,
      mode,
      ...own,
      ...(mode === 'webhook' && { webhookUrl, webhookSecret }),
    });
  },
  setup: {
    asks: ['botToken'],
    async check({ settings: { botToken = '', apiRoot = API_ROOT } }, signal) {
      const { checkBotToken } = await import('./check-token.ts');
      return `@${(await checkBotToken({ botToken, apiRoot }, signal)).username}`;
    },
    words: async (language) => (await import('./setup-words.ts')).SETUP_WORDS[language],
  },
});
