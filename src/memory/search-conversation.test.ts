import { describe, expect, it } from 'vitest';
import { testMemory } from '../../test/support/test-memory.ts';
import type { Memory } from './memory.ts';

const textsOf = (found: { results: { text: string }[] }): string[] => found.results.map(({ text }) => text);

describe('everyday words', () => {
  it.each([
    ['Grandma taught me to fish.', 'what did my grandmother teach me?'],
    ['Rex, our puppy, ate a shoe.', 'which pets do we have?'],
    ['She plays the cello in an orchestra.', 'what instrument does she play?'],
    ['I handed it over and quit on Monday.', 'when did I resign?'],
    ['My favourite colour is teal.', 'favorite color'],
    ['Бабуля печёт пироги по субботам.', 'что делает моя бабушка?'],
    ['Щенок сгрыз ботинок.', 'какие у нас питомцы?'],
    ['我母亲住在成都。', '我妈妈在哪个城市？'],
    ['我们养了一只猫咪。', '家里有宠物吗？'],
  ])('"%s" is found by "%s"', async (content, question) => {
    const { memory } = testMemory();
    await memory.saveAll([{ content: 'The lorry needs new tyres.' }, { content }, { content: '车停在楼下。' }]);
    expect(textsOf(await memory.search(question))[0]).toBe(content);
  });

  it('a word for the same thing is a weaker match than the word itself', async () => {
    const { memory } = testMemory();
    await memory.saveAll([{ content: 'Grandma likes tea.' }, { content: 'Grandmother likes tea.' }]);
    expect(textsOf(await memory.search('grandmother'))).toEqual(['Grandmother likes tea.', 'Grandma likes tea.']);
    expect(textsOf(await memory.search('grandma'))).toEqual(['Grandma likes tea.', 'Grandmother likes tea.']);
  });

  it('several words for one thing in a text count no more than one', async () => {
    const { memory } = testMemory();
    const [plain, many] = ['Anna has a dog.', 'Anna saw a cat, a horse, a rabbit, a parrot and a fish.'];
    await memory.saveAll([{ content: many }, { content: plain }, { content: 'The lorry needs new tyres.' }]);
    expect(textsOf(await memory.search('Which dog does Anna have?'))[0]).toBe(plain);
  });

  it('recall finds by such a word, and the words that nobody said do not make a text irrelevant', async () => {
    const { memory } = testMemory();
    await memory.saveAll([{ content: 'Rex, our puppy, ate a shoe.' }, { content: 'The lorry needs new tyres.' }]);
    expect((await memory.recall({ question: 'which pets do we have?' }))?.text).toContain('Rex');
    expect(await memory.recall({ question: 'which violin shall we buy?' })).toBeUndefined();
  });
});

describe('conversations of people with names', () => {
  it('what the person said that a question names is before what was said to that person', async () => {
    const { memory } = testMemory();
    await converse(memory, [
      ['Olek', 'Zofia, your pottery class sounds wonderful, Zofia! I love pottery.'],
      ['Zofia', 'My pottery class is on Mondays in the old mill.'],
      ['Olek', 'Great, Zofia. Pottery is fun.'],
    ]);
    const [first] = textsOf(await memory.search("Where is Zofia's pottery class?"));
    expect(first).toBe('My pottery class is on Mondays in the old mill.');
  });

  it('the answer to a question is found by the words of the question', async () => {
    const { memory } = testMemory();
    await converse(memory, [
      ['Olek', 'I slept badly.'],
      ['Zofia', 'Poor you.'],
      ['Olek', 'Which river did you cross on the hike?'],
      ['Zofia', 'The Bug, near Drohiczyn.'],
      ['Olek', 'That is far.'],
    ]);
    const found = textsOf(await memory.search('Which river did Zofia cross?'));
    expect(found.indexOf('The Bug, near Drohiczyn.')).toBeLessThan(found.indexOf('Poor you.'));
    expect(found.slice(0, 2)).toContain('The Bug, near Drohiczyn.');
  });
});

async function converse(memory: Memory, turns: readonly (readonly [string, string])[]): Promise<void> {
  await memory.saveAll(
    turns.map(([speaker, content], minute) => ({
      content,
      speaker,
      session: 'session_1',
      source: 'session:test',
      date: `2026-03-04T10:0${minute}:00Z`,
    })),
  );
}
