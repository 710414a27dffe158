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
    notice: 'No model is connected, so this is the offline stub. To connect one:',
    ways: {
      setup: 'finds what is there, and tries it',
      has: (variable: string) => `${variable} is set`,
      chatgpt: 'ChatGPT',
      key: 'an API key; also openai, gemini, openrouter …',
      local: 'a server on this machine',
      all: 'all providers',
    },
  },
  zh: {
    echo: (text: string) => `你说：${text}`,
    summary: (text: string) => `摘要：${text}`,
    nothing: '还没有可以总结的内容。',
    results: (text: string) => `工具结果：\n${text}`,
    notice: '尚未连接模型，这是离线应答。连接方式：',
    ways: {
      setup: '查找可用的模型并试用',
      has: (variable: string) => `已设置 ${variable}`,
      chatgpt: 'ChatGPT',
      key: 'API 密钥；也可用 openai、gemini、openrouter 等',
      local: '本机上的服务',
      all: '所有服务商',
    },
  },
  ru: {
    echo: (text: string) => `Вы сказали: ${text}`,
    summary: (text: string) => `Кратко: ${text}`,
    nothing: 'Пока нечего обобщать.',
    results: (text: string) => `Результаты инструментов:\n${text}`,
    notice: 'Модель не подключена, отвечает офлайн-заглушка. Подключить:',
    ways: {
      setup: 'найдёт, что есть, и проверит',
      has: (variable: string) => `задана ${variable}`,
      chatgpt: 'ChatGPT',
      key: 'ключ API; также openai, gemini, openrouter …',
      local: 'сервер на этой машине',
      all: 'все провайдеры',
    },
  },
};

const ASKS_FOR_SUMMARY =
  /\b(summar(y|ies|i[sz]e[sd]?|i[sz]ing)|tl;?dr)\b|总结|摘要|概括|小结|(^|[^а-яё])(резюм|кратко|подытож|обобщи|суммируй)/i;

/** A way that is open here already. */
export interface WayToConnect {
  command: string;
  /** The variable that holds a key. */
  has: string;
}

/** `waysHere`: ways to connect that are nearer than those everybody has. */
export function createStubAdapter(waysHere: () => Promise<WayToConnect[]> = async () => []): Adapter {
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
      yield { type: 'text-delta', text: answer(request, await waysHere()) };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

function answer({ messages }: ModelRequest, here: readonly WayToConnect[]): string {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const question = textOf(messages[last]);
  const words = WORDS[languageOf(question)];
  const results = messages.slice(last + 1).filter(({ role }) => role === 'tool');
  const parts = results.length > 0 ? [words.results(results.map(textOf).join('\n'))] : [];
  parts.push(
    ASKS_FOR_SUMMARY.test(question) ? summary(question, messages.slice(0, last), words) : words.echo(shorten(question)),
  );
  return [...parts, [words.notice, ...waysToConnect(words.ways, here)].join('\n')].join('\n\n');
}

/** In order of ease. */
function waysToConnect(words: (typeof WORDS)['en']['ways'], here: readonly WayToConnect[]): string[] {
  const ways: [command: string, about: string][] = [
    ['lainclaw setup', words.setup],
    ...here.map(({ command, has }): [string, string] => [command, words.has(has)]),
    ['lainclaw auth login openai-codex', words.chatgpt],
    ['lainclaw auth login anthropic --api-key-stdin', words.key],
    ['lainclaw auth login ollama', words.local],
    ['lainclaw models', words.all],
  ];
  return ways.map(([command, about]) => `  ${command}   (${about})`);
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
