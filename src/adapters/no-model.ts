// What answers in a chat where no model is connected: one neutral sentence. A person who writes there cannot set one up.
import { languageOf } from '../lib/language-of.ts';
import type { Adapter } from './adapter.ts';

/** The name of the provider that means none. */
export const NO_MODEL = 'none';

const SENTENCES = {
  en: 'I cannot answer at the moment: no model is connected.',
  zh: '我暂时无法回答：尚未连接模型。',
  ru: 'Сейчас я не могу ответить: модель не подключена.',
};

export function createNoModelAdapter(): Adapter {
  return {
    provider: NO_MODEL,
    route: NO_MODEL,
    callsTools: false,
    describe: async () => ({}),
    async *stream({ messages }, signal) {
      if (signal.aborted) {
        yield { type: 'failure', failure: { code: 'cancelled', message: 'Cancelled.' } };
        return;
      }
      const question = messages.findLast(({ role }) => role === 'user')?.text ?? '';
      yield { type: 'text-delta', text: SENTENCES[languageOf(question)] };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}
