import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnalyser } from './analyser.ts';

const { terms, query, count } = createAnalyser();
const shared = (one: string, other: string): string[] => terms(one).filter((term) => terms(other).includes(term));

describe('terms', () => {
  it.each([
    ['running', 'runs'],
    ['What did she buy?', 'bought'],
    ['went', 'going'],
    ['the children', 'a child'],
    ['The relational databases', 'a relation database'],
    ['connections', 'connected'],
    ['защитники', 'защитника'],
    ['ёлками', 'елка'],
    ['CAFÉ', 'cafe'],
    ['ﬁle', 'file'],
    ['ＡＢＣ', 'abc'],
    ['Straße', 'strasse'],
    ['Łódź', 'lodz'],
    ['за́мок', 'замок'],
    ['المَدرسةُ', 'مدرسة'],
    ['والكتاب', 'كتاب'],
    ['שָׁלוֹם', 'שלום'],
    ['Αθήνα', 'αθηνα'],
    ['memoryChunkTokens', 'the tokens of a chunk'],
    ['getUserName', 'user'],
    ['HTTPServer', 'a server'],
    ['Node24', 'node 24'],
    ['v1.2.3', '1.2.3'],
    ['iPhone', 'phone'],
    ['8,400 EUR', '8400'],
    ['+7 (912) 345-67-89', '79123456789'],
    ['the 1980s', '1980'],
  ])('%s meets %s', (one, other) => {
    expect(shared(one, other).length).toBeGreaterThan(0);
  });

  it.each([
    'Иван Ивана Ивану Иваном Иване',
    'Сергей Сергея Сергею Сергеем Сергее',
    'Николай Николая Николаю Николаем Николае',
    'Михаил Михаила Михаилу Михаилом Михаиле',
    'Максим Максима Максиму Максимом Максиме',
    'Елена Елены Елене Елену Еленой',
    'Иванов Иванова Иванову Ивановым Иванове Ивановой Ивановы',
    'Медведев Медведева Медведевым Медведевой',
    'Татьяна Татьяны Татьяне Татьяну Татьяной',
    'ресторан ресторана ресторану рестораном ресторане рестораны ресторанов',
    'журнал журнала журналом журнале журналы журналов',
    'музей музея музею музеем музее музеи музеев музеям',
  ])('the forms of a Russian noun meet, whatever verb they end like: %s', (forms) => {
    expect(new Set(forms.split(' ').flatMap(terms)).size).toBe(1);
  });

  it('Chinese gives single characters and pairs', () => {
    expect(terms('花园玫瑰')).toEqual(['花', '花园', '园', '园玫', '玫', '玫瑰', '瑰']);
  });

  it('mixed text is parted where the script changes', () => {
    expect(terms('用Python写Скрипты v2')).toEqual(['用', 'python', '写', 'скрипт', 'v2', '2']);
  });

  it('a name written as one word is found whole and by its parts, each once', () => {
    expect(terms('getUserName')).toEqual(['getusernam', 'get', 'user', 'name']);
    expect(terms('version 1.2.3 of Node24')).toEqual(['version', '1', '2', '3', 'of', 'node24', 'node', '24']);
  });

  it.each(['1', '1 ', '1-', 'a1', 'aB', 'A', 'é', '字', 'ا'])('takes a text of nothing but %j', (part) => {
    expect(terms(part.repeat(300_000)).length).toBeGreaterThan(0);
  });

  it('a checksum has no parts', () => {
    expect(terms('5f2a9c1e7b3d4f60')).toEqual(['5f2a9c1e7b3d4f60']);
  });

  it.each([
    ['東京タワーへ行きました', '東京タワー'],
    ['한국어를 공부합니다', '한국어'],
    ['ภาษาไทยไม่มีช่องว่าง', 'ไทย'],
    ['האקדמיה ללשון', 'ללשון'],
    ['Ελληνικά κείμενα', 'κείμενα'],
    ['हिन्दी में लिखा', 'हिन्दी'],
    ['🎉 party 🎂', '🎂'],
  ])('%s is found by %s', (text, asked) => {
    const wanted = [...query(asked).terms];
    expect(wanted.length).toBeGreaterThan(0);
    const found = new Set(terms(text));
    expect(wanted.every((term) => found.has(term))).toBe(true);
  });

  it('hold letters, digits and pictographs only, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
        for (const term of [...terms(text), ...query(text).terms]) {
          expect(term).toMatch(/^[\p{L}\p{N}\p{M}\p{Extended_Pictographic}]+$/u);
          expect(term.length).toBeLessThanOrEqual(64);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are the same every time, also for a text found again in other company', () => {
    fc.assert(fc.property(fc.string(), (text) => void expect(createAnalyser().terms(text)).toEqual(terms(text))));
  });
});

describe('a query', () => {
  it('is rid of words that say nothing', () => {
    expect([...query('What is the name of my cat?').terms]).toEqual(['name', 'cat']);
    expect([...query('Как зовут мою кошку?').terms]).not.toContain('как');
    expect([...query('我的猫叫什么').terms]).not.toContain('什么');
  });

  it('of nothing else keeps them', () => {
    expect([...query('to be or not to be').terms]).toEqual(['to', 'be', 'or', 'not']);
  });

  it.each(['', '   ', '"', '* OR NOT (', 'NEAR(a b, 2)', "'; DROP TABLE x; --", '\ud800'])(
    '%j is not an error',
    (text) => {
      expect(() => query(text)).not.toThrow();
    },
  );
});

it('spellings that are nearly the same share most trigrams', () => {
  const wanted = query('Schwarzenegger');
  const { trigrams, spelt } = count('Schwarzeneger', wanted);
  expect(trigrams.size / wanted.trigrams.size).toBeGreaterThan(0.8);
  expect(spelt).toBe('Schwarzeneger'.length);
});

it.each(['dying', 'lying', 'skies', 'Éclairs', 'ugly', 'a', 'ёж'])('counting finds %s by its stem', (word) => {
  const wanted = query(word);
  expect([...count(`some ${word} here`, wanted).terms.keys()]).toEqual([...wanted.terms]);
});

it('counting finds of a query what the terms of a text hold', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, asked) => {
      const wanted = query(asked);
      const counts = [...count(`${text} ${asked} ${text}`, wanted).terms].toSorted();
      const all = terms(`${text} ${asked} ${text}`);
      const expected = [...wanted.terms].map((term) => [term, all.filter((other) => other === term).length]);
      expect(counts).toEqual(expected.toSorted());
    }),
  );
});

describe('names and words that others write otherwise', () => {
  const other = (text: string): string[] => createAnalyser().otherScripts(text, new Set());

  it.each([
    ['张伟的电话是多少？', ['zhang', 'wei']],
    ['張偉住在哪裡', ['zhang', 'wei']],
    ['曾小明是谁', ['zeng', ...terms('xiaoming')]],
  ])('%s may be written in pinyin', (question, words) => {
    expect(other(question)).toEqual(expect.arrayContaining(words));
  });

  it.each([
    ['What is the number of Zhang Wei?', '张伟'],
    ['Wei Zhang called', '张伟'],
    ['where does Li Xiaoming live?', '李晓'],
  ])('%s may be about %s', (question, pair) => {
    expect(other(question)).toContain(pair);
  });

  it.each([
    ['軟體更新了嗎', '软件'],
    ['软件更新了吗', '软体'],
    ['伺服器在哪裡', '服务'],
    ['服务器在哪里', '伺服'],
  ])('%s is also asked with %s', (question, pair) => {
    expect(other(question)).toContain(pair);
  });

  it('asks for nothing else in a question without names', () => {
    expect(other('where is the red bicycle?')).toEqual([]);
    expect(other('今天下雨了').filter((term) => /\p{Script=Han}/u.test(term))).toEqual([]);
  });
});
