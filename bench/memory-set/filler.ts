// Small talk from a file: lines `say=…|reply`, with slots like `{food}` that lines `food=…,…` fill.
import { readFileSync } from 'node:fs';

export interface Exchange {
  say: string;
  reply: string;
}

/** Each call gives one more exchange, chosen by `random`. Slots that the file has no words for stay as they are. */
export function readFiller(path: string, random: () => number): () => Exchange {
  const words = new Map<string, string[]>();
  const exchanges: Exchange[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const [name, value] = [line.slice(0, at), line.slice(at + 1)];
    if (name !== 'say') words.set(name, value.split(','));
    else {
      const [say = '', reply = ''] = value.split('|');
      exchanges.push({ say, reply });
    }
  }
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  return () => {
    const { say, reply } = pick(exchanges);
    const chosen = new Map([...words].map(([name, values]) => [name, pick(values)]));
    const filled = (text: string): string =>
      text.replace(/\{(\w+)\}/g, (_, name: string) => chosen.get(name) ?? `{${name}}`);
    return { say: filled(say), reply: filled(reply) };
  };
}
