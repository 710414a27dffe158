// A long conversation in which a person mentions forty facts about themselves, and the models that answer it: one that
// summarises faithfully, and whatever else a test brings.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '../../src/pipeline/events.ts';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { createModelApp, type ModelApp } from './model-app.ts';

const FACTS = 40;
const WORDS = 'the report about the garden in spring needs one more careful look before friday evening comes'.split(
  ' ',
);

export interface FortyFacts {
  /** Of them, how many the model was sent with the last question. */
  known: number;
  /** About the tokens of everything that was said. */
  saidTokens: number;
  notices: string[];
  /** Requests for a summary. */
  summaries: NeutralRequest[];
  /** The lines of the transcript. */
  transcript: string;
  last: NeutralRequest | undefined;
}

export interface FortyFactsOptions {
  turns: number;
  contextWindow: number;
  /** What a request for a summary is answered with. */
  summarise(request: NeutralRequest): Reply;
  /** Asked after all the others; by default the last question is the only thing that follows. */
  after?(app: ModelApp): Promise<void>;
}

/** Every sentence in which the person says something of themselves. */
export function faithfulSummary({ messages }: NeutralRequest): Reply {
  const text = messages.map((message) => message.text).join('\n');
  const facts = new Set(text.match(/My secret of number \d+ is \w+-\d+\./g));
  return { text: `## The person\n${[...facts].map((fact) => `- ${fact}`).join('\n')}\n- likes gardens` };
}

export async function tellFortyFacts(options: FortyFactsOptions): Promise<FortyFacts> {
  const { turns, contextWindow, summarise, after } = options;
  const directory = mkdtempSync(join(tmpdir(), 'lainclaw-facts-'));
  const storage = createLocalStorage({ home: directory, now: Date.now });
  const summaries: NeutralRequest[] = [];
  const notices: string[] = [];
  let last: NeutralRequest | undefined;
  let saidCharacters = 0;
  const answer = (index: number): string => `Noted, number ${index}. ${filler(index, 30)}`;
  const server = await startModelServer({
    record: false,
    script(request) {
      if (request.system.some((text) => text.startsWith('You summarise'))) {
        summaries.push(request);
        return summarise(request);
      }
      last = request;
      return { text: answer(request.messages.length) };
    },
  });
  const app = createModelApp({
    storage,
    provider: 'openai-compatible',
    baseUrl: `${server.url}/v1`,
    tools: [],
    contextWindow,
  });
  const ask = async (input: string): Promise<void> => {
    const { events, result } = await app.ask(input);
    if (!result.success) throw new Error(result.error.message);
    saidCharacters += input.length + result.result.length;
    notices.push(...events.flatMap((event: RunEvent) => (event.type === 'notice' ? [event.text] : [])));
  };
  try {
    const every = Math.floor(turns / FACTS);
    for (let index = 0; index < turns; index += 1) {
      const number = Math.floor(index / every);
      const fact = index % every === 0 && number < FACTS ? ` My secret of number ${number} is ${secret(number)}.` : '';
      await ask(`Question ${index}. ${filler(index, 32)}.${fact} What do you think?`);
    }
    await after?.(app);
    await ask('What do you know about me?');
    const seen = JSON.stringify(last?.messages);
    const known = Array.from({ length: FACTS }, (_, number) => secret(number)).filter((fact) => seen.includes(fact));
    const [name = ''] = readdirSync(join(directory, 'sessions')).filter((file) => file.endsWith('.jsonl'));
    const transcript = readFileSync(join(directory, 'sessions', name), 'utf8');
    return { known: known.length, saidTokens: Math.round(saidCharacters / 4), notices, summaries, transcript, last };
  } finally {
    storage.close();
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function secret(number: number): string {
  return `cedar-${1_000 + number * 37}`;
}

function filler(seed: number, words: number): string {
  return Array.from({ length: words }, (_, index) => WORDS[(seed * 7 + index * 3) % WORDS.length]).join(' ');
}
