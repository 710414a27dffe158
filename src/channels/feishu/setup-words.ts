// What a person who connects a bot on Feishu reads and answers, by language.
import type { Language } from '../../config/settings.ts';
import type { SetupWords } from '../definition.ts';

export const SETUP_WORDS: Readonly<Record<Language, SetupWords>> = {
  en: {
    offer: 'Talk to it on Feishu or Lark',
    title: 'A bot on Feishu or Lark',
    steps: [
      '1. open.feishu.cn/app (Lark: open.larksuite.com/app): create a custom app.',
      '2. Features: enable the bot. Permissions: the scopes that',
      '   "lainclaw docs read gateway/feishu" lists.',
      '3. Credentials & Basic Info: copy the App ID and the App Secret.',
      '4. Once the gateway runs: Events & Callbacks, persistent connection.',
    ],
    questions: { domain: 'Which platform?', appId: 'App ID', appSecret: 'App Secret' },
    choices: {
      domain: [
        { value: 'feishu', label: 'Feishu (飞书)' },
        { value: 'lark', label: 'Lark' },
        { label: 'A private deployment', question: 'Its address' },
      ],
    },
  },
  zh: {
    offer: '在飞书或 Lark 上与它交谈',
    title: '飞书或 Lark 机器人',
    steps: [
      '1. 打开 open.feishu.cn/app（Lark：open.larksuite.com/app），创建企业自建应用。',
      '2. 应用能力：启用机器人。权限管理：开通',
      '   “lainclaw docs read gateway/feishu” 列出的权限。',
      '3. 凭证与基础信息：复制 App ID 和 App Secret。',
      '4. 网关运行后：事件与回调，使用长连接。',
    ],
    questions: { domain: '哪个平台？', appId: 'App ID', appSecret: 'App Secret' },
    choices: {
      domain: [
        { value: 'feishu', label: 'Feishu (飞书)' },
        { value: 'lark', label: 'Lark' },
        { label: '私有部署', question: '它的地址' },
      ],
    },
  },
  ru: {
    offer: 'Говорить с ним в Feishu или Lark',
    title: 'Бот в Feishu или Lark',
    steps: [
      '1. open.feishu.cn/app (Lark: open.larksuite.com/app): создайте своё приложение.',
      '2. Features: включите бота. Permissions: разрешения, которые',
      '   перечисляет «lainclaw docs read gateway/feishu».',
      '3. Credentials & Basic Info: скопируйте App ID и App Secret.',
      '4. Когда шлюз запущен: Events & Callbacks, постоянное соединение.',
    ],
    questions: { domain: 'Какая платформа?', appId: 'App ID', appSecret: 'App Secret' },
    choices: {
      domain: [
        { value: 'feishu', label: 'Feishu (飞书)' },
        { value: 'lark', label: 'Lark' },
        { label: 'Собственная установка', question: 'Её адрес' },
      ],
    },
  },
};
