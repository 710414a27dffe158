// The offline provider: no model, no network. It repeats the input, or summarises when asked to, says so honestly, and
// tells how to connect a model. The same request always gets the same answer.
import { extractSummary } from '../lib/extract-summary.ts';
import { languageOf } from '../lib/language-of.ts';
import { wholeCharacters } from '../lib/whole-characters.ts';
import type { Adapter, ModelMessage, ModelRequest } from './adapter.ts';

const ECHO_LIMIT = 2_000;

const WORDS = {
  en: {
    echo: (text: string) => `You said: ${text}`,
    summary: (text: string) => `Summary: ${text}`,
    nothing: 'There is nothing to summarise yet.',
    results: (text: string) => `Tool results:\n${text}`,
    notice:
      'No model is connected, so this is the offline stub. Connect one with "lainclaw auth login openai-codex", then ask with --provider openai-codex, or name it as "provider" in config.json.',
  },
  zh: {
    echo: (text: string) => `你说：${text}`,
    summary: (text: string) => `摘要：${text}`,
    nothing: '还没有可以总结的内容。',
    results: (text: string) => `工具结果：\n${text}`,
    notice:
      '尚未连接模型，这是离线应答。请先运行 "lainclaw auth login openai-codex" 登录，再用 --provider openai-codex 提问，或在 config.json 中设置 "provider"。',
  },
  ru: {
    echo: (text: string) => `Вы сказали: ${text}`,
    summary: (text: string) => `Кратко: ${text}`,
    nothing: 'Пока нечего обобщать.',
    results: (text: string) => `Результаты инструментов:\n${text}`,
    notice:
      'Модель не подключена, отвечает офлайн-заглушка. Подключите её: "lainclaw auth login openai-codex", затем спрашивайте с --provider openai-codex или укажите "provider" в config.json.',
  },
};

const ASKS_FOR_SUMMARY =
  /\b(summar(y|ies|i[sz]e[sd]?|i[sz]ing)|tl;?dr)\b|总结|摘要|概括|小结|(^|[^а-яё])(резюм|кратко|подытож|обобщи|суммируй)/i;

export function createStubAdapter(): Adapter {
  return {
    provider: 'stub',
    route: 'stub',
    callsTools: false,
    describe: async () => ({}),
    async *stream(request, signal) {
      if (signal.aborted) {
        yield { type: 'failure', failure: { code: 'cancelled', message: 'cancelled' } };
        return;
      }
      yield { type: 'text-delta', text: answer(request) };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

function answer({ messages }: ModelRequest): string {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const question = textOf(messages[last]);
  const words = WORDS[languageOf(question)];
  const results = messages.slice(last + 1).filter(({ role }) => role === 'tool');
  const parts = results.length > 0 ? [words.results(results.map(textOf).join('\n'))] : [];
  parts.push(
    ASKS_FOR_SUMMARY.test(question) ? summary(question, messages.slice(0, last), words) : words.echo(shorten(question)),
  );
  return [...parts, `(${words.notice})`].join('\n\n');
}

/** Of the text that came with the request, or of the conversation so far when there is none. */
function summary(question: string, before: ModelMessage[], words: (typeof WORDS)['en']): string {
  const [, own = ''] = /^[^\n:：]*[\n:：]([\s\S]*)$/.exec(question) ?? [];
  const conversation = before
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .join('\n');
  const text = extractSummary(own.trim() || conversation);
  return text ? words.summary(text) : words.nothing;
}

function textOf(message: ModelMessage | undefined): string {
  return message?.text ?? '';
}

function shorten(text: string): string {
  return text.length > ECHO_LIMIT ? `${wholeCharacters(text.slice(0, ECHO_LIMIT))}… (${text.length} characters)` : text;
}
