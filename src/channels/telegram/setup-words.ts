// What a person who connects a bot on Telegram reads and answers, by language.
import type { Language } from '../../config/settings.ts';
import type { SetupWords } from '../definition.ts';

export const SETUP_WORDS: Readonly<Record<Language, SetupWords>> = {
  en: {
    offer: 'Talk to it on Telegram',
    title: 'A bot on Telegram',
    steps: [
      'Write /newbot to @BotFather on Telegram, and give it a name.',
      'It answers with a token such as 123456789:AAE…: copy it. Anyone who has the token controls the bot.',
    ],
    questions: { botToken: 'The token of the bot' },
  },
  zh: {
    offer: '在 Telegram 上与它交谈',
    title: 'Telegram 机器人',
    steps: [
      '在 Telegram 上给 @BotFather 发送 /newbot，并为机器人起名。',
      '它会回复一个令牌，例如 123456789:AAE…：请复制。持有令牌的人就能控制机器人。',
    ],
    questions: { botToken: '机器人的令牌' },
  },
  ru: {
    offer: 'Говорить с ним в Telegram',
    title: 'Бот в Telegram',
    steps: [
      'Напишите /newbot боту @BotFather в Telegram и дайте имя.',
      'Он пришлёт токен вида 123456789:AAE…: скопируйте его. У кого токен, тот и управляет ботом.',
    ],
    questions: { botToken: 'Токен бота' },
  },
};
