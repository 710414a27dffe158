import { choice, secret, text } from '../../config/kinds.ts';
import { defineChannel } from '../definition.ts';

interface FeishuSettings {
  appId: string;
  appSecret: string;
  domain: string;
  mode: 'websocket' | 'webhook';
  verificationToken?: string;
  encryptKey?: string;
}

export const feishu = defineChannel<FeishuSettings>({
  name: 'feishu',
  settings: {
    appId: { kind: text('cli_ and letters or digits', /^cli_\w+$/), about: 'of the app', isOwn: true },
    appSecret: { kind: secret(), about: 'of the app', isSecret: true, isOwn: true },
    domain: {
      kind: text('feishu, lark or an address', /^(feishu|lark|https?:\/\/\S+)$/),
      about: 'feishu (default), lark, or the address of a private deployment',
    },
    mode: { kind: choice(['websocket', 'webhook']), about: 'how events arrive (default: websocket)' },
    verificationToken: { kind: secret(), about: 'of the app’s events', isSecret: true, isOwn: true },
    encryptKey: { kind: secret(), about: 'of the app’s events; webhook mode needs it', isSecret: true, isOwn: true },
  },
  identity: 'appId',
  needed: ({ mode }) => (mode === 'webhook' ? ['appId', 'appSecret', 'encryptKey'] : ['appId', 'appSecret']),
  defaults: () => ({ domain: 'feishu', mode: 'websocket' }),
  async open({ account, settings, now }) {
    const { createFeishuChannel } = await import('./feishu.ts');
    return createFeishuChannel({ account, now, ...settings });
  },
  setup: {
    asks: ['domain', 'appId', 'appSecret'],
    async check({ settings: { appId = '', appSecret = '', domain }, now }, signal) {
      const { checkApp } = await import('./check-app.ts');
      await checkApp({ appId, appSecret, domain, now }, signal);
      return appId;
    },
    words: async (language) => (await import('./setup-words.ts')).SETUP_WORDS[language],
  },
});
