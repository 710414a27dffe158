// What a person who connects a bot on Feishu reads and answers, by language.
import type { Language } from '../../config/settings.ts';
import type { SetupWords } from '../definition.ts';

const SCOPES = [
  'im:message',
  'im:message:send_as_bot',
  'im:message.p2p_msg:readonly',
  'im:message.group_at_msg:readonly',
  'im:message.reactions:write_only',
  'im:resource',
  'im:chat:readonly',
].join(', ');

export const SETUP_WORDS: Readonly<Record<Language, SetupWords>> = {
  en: {
    offer: 'Talk to it on Feishu or Lark',
    title: 'A bot on Feishu or Lark',
    steps: [
      'In the developer console (https://open.feishu.cn/app, Lark: https://open.larksuite.com/app) create a custom app.',
      'Features: enable the bot.',
      `Permissions & Scopes: grant ${SCOPES}.`,
      'Credentials & Basic Info: copy the App ID and the App Secret.',
    ],
    stepsOnceRunning: [
      'Events & Callbacks: choose the persistent connection for both, add the event im.message.receive_v1 and the callback card.action.trigger.',
      'Version Management: publish a version.',
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
      '在开发者后台（https://open.feishu.cn/app，Lark：https://open.larksuite.com/app）创建企业自建应用。',
      '应用能力：启用机器人。',
      `权限管理：开通 ${SCOPES}。`,
      '凭证与基础信息：复制 App ID 和 App Secret。',
    ],
    stepsOnceRunning: [
      '事件与回调：两者都选择长连接，添加事件 im.message.receive_v1 和回调 card.action.trigger。',
      '版本管理：发布一个版本。',
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
      'В консоли разработчика (https://open.feishu.cn/app, Lark: https://open.larksuite.com/app) создайте своё приложение.',
      'Features: включите бота.',
      `Permissions & Scopes: дайте разрешения ${SCOPES}.`,
      'Credentials & Basic Info: скопируйте App ID и App Secret.',
    ],
    stepsOnceRunning: [
      'Events & Callbacks: для обоих выберите постоянное соединение, добавьте событие im.message.receive_v1 и callback card.action.trigger.',
      'Version Management: опубликуйте версию.',
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
