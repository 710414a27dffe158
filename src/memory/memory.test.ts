import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryHome, testMemory } from '../../test/support/test-memory.ts';
import { rememberTurns, type Turn } from './remember-turns.ts';

const textsOf = (found: { results: { text: string }[] }): string[] => found.results.map(({ text }) => text);

describe('save and search', () => {
  it('finds a note in each language by another form of its words', async () => {
    const { memory } = testMemory();
    await memory.saveAll([
      { content: 'My cat is called Murka and she hates cucumbers.' },
      { content: 'Встреча с защитниками парка перенесена на вторник.' },
      { content: '我喜欢在花园里种玫瑰，尤其是红色的。' },
    ]);
    expect(textsOf(await memory.search('Which cats hate a cucumber?'))[0]).toContain('Murka');
    expect(textsOf(await memory.search('когда встречаемся с защитником парков'))[0]).toContain('вторник');
    expect(textsOf(await memory.search('花园里有什么花？'))[0]).toContain('玫瑰');
  });

  it('says source, date, score and why, and that it is full-text only', async () => {
    const { memory } = testMemory();
    const { id } = await memory.save({ content: 'The gate code is 4711.', source: 'note', date: '2026-03-04' });
    const found = await memory.search('gate code');
    expect(found.mode).toBe('full-text');
    expect(found.note).toContain('no embedding model');
    expect(found.results).toEqual([
      {
        id,
        scope: 'owner',
        source: 'note',
        date: '2026-03-04T00:00:00.000Z',
        score: 1,
        text: 'The gate code is 4711.',
        why: { terms: ['gate', 'code'] },
      },
    ]);
  });

  it('a short note that answers comes before a long text whose every part comes near', async () => {
    const { memory } = testMemory();
    const section = (name: string): string => `# ${name}\n\n${'The gate of the garden is green. '.repeat(20)}\n\n`;
    await memory.save({ content: ['East', 'West', 'North', 'South', 'Middle'].map(section).join(''), source: 'long' });
    await memory.save({ content: 'The garden gate has a code, 4711.', source: 'short' });
    await memory.save({ content: 'Nothing to do with any of it.', source: 'other' });
    expect((await memory.search('code of the garden gate')).results[0]?.source).toBe('short');
    const [first, second] = (await memory.search('green garden gate')).results;
    expect(first?.source).toBe('long');
    expect(first?.score).toBeLessThanOrEqual(1);
    expect(second?.score).toBeLessThanOrEqual(1);
  });

  it('the same text of the same source is kept once', async () => {
    const { memory } = testMemory();
    const first = await memory.save({ content: 'Tea at five.' });
    expect(await memory.save({ content: 'Tea at five.' })).toEqual({ ...first, added: false });
    expect((await memory.save({ content: 'Tea at five.', source: 'other' })).added).toBe(true);
    expect(await memory.list()).toHaveLength(2);
  });

  it('saves at the same moment are all kept, also when one of them is refused', async () => {
    const { memory } = testMemory();
    const saves = Array.from({ length: 50 }, (_, index) =>
      memory.save({ content: `note ${index}`, supersedes: index === 20 ? 'mem-none' : undefined }),
    );
    const ended = await Promise.allSettled(saves);
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(await memory.list()).toHaveLength(49);
    expect((await memory.search('note 49')).results[0]?.text).toBe('note 49');
  });

  it('an index made of other terms, of whatever version, is made again before it is used', async () => {
    const { memory, archive } = testMemory();
    const chunks = [{ context: '', text: 'The heating was repaired.' }];
    const old = { id: 'mem-old', source: 'manual', date: '2026-01-01T00:00:00.000Z', hash: 'x', chunks };
    await archive.add([old], () => ['heating', 'repaired']);
    expect(await archive.indexVersion()).toBeUndefined();
    expect(textsOf(await memory.search('repairs'))).toEqual(['The heating was repaired.']);
    const version = await archive.indexVersion();
    expect(version).toBeDefined();
    await archive.rebuild(() => ['heating'], { version: 'another' });
    expect(textsOf(await memory.search('repairs'))).toEqual(['The heating was repaired.']);
    expect(await archive.indexVersion()).toBe(version);
    await memory.forget('mem-old');
    expect(await memory.search('heating')).toMatchObject({ results: [] });
  });

  it('no query is an error', async () => {
    const { memory } = testMemory();
    await memory.save({ content: 'something to find "quoted" AND more' });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), async (query) => {
        expect((await memory.search(query)).results.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
    for (const query of ['', '"', 'NEAR(', '* - ^', 'a OR', "';--", '\u0000', 'x'.repeat(100_000)])
      await memory.search(query);
  });

  it('any text can be saved, read back whole and forgotten', async () => {
    const { memory } = testMemory();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (content) => {
        if (content.trim() === '') return;
        const { id } = await memory.save({ content });
        expect((await memory.get(id))?.text).toBe(content.toWellFormed());
        await memory.forget(id);
      }),
      { numRuns: 60 },
    );
  });

  it('results stay within the budget, the first is always there', async () => {
    const { memory } = testMemory();
    await memory.saveAll(
      Array.from({ length: 20 }, (_, index) => ({
        content: `apple pie recipe number ${index} ${'with sugar '.repeat(20)}`,
      })),
    );
    const small = await memory.search('apple pie', { budget: 200 });
    expect(small.results.length).toBeGreaterThan(0);
    expect(small.results.length).toBeLessThan(5);
    expect(small.leftOut).toBe(10 - small.results.length);
    expect((await memory.search('apple pie', { budget: 1 })).results).toHaveLength(1);
  });

  it('what was replaced links to what replaced it and comes behind it, unless the past is asked about', async () => {
    const { memory } = testMemory();
    const old = await memory.save({ content: 'Anna lives in Berlin, Anna lives in Berlin.' });
    const next = await memory.save({ content: 'Anna lives in Lisbon now.', supersedes: old.id });
    const { results } = await memory.search('where does Anna live');
    expect(results.map(({ id, supersededBy }) => [id, supersededBy])).toEqual([
      [next.id, undefined],
      [old.id, next.id],
    ]);
    const past = await memory.search('where did Anna live before?');
    expect(past.results.map(({ id }) => id)).toEqual([old.id, next.id]);
    await expect(memory.save({ content: 'x', supersedes: 'mem-none' })).rejects.toMatchObject({
      code: 'MEMORY_NOT_FOUND',
      message: expect.stringContaining('mem-none'),
    });
    expect(await memory.list()).toHaveLength(2);
  });

  it('what is said again after it was replaced holds again', async () => {
    const { memory } = testMemory();
    const lisbon = await memory.save({ content: 'Anna lives in Lisbon.' });
    const porto = await memory.save({ content: 'Anna lives in Porto.', supersedes: lisbon.id });
    await memory.save({ content: 'Anna lives in Lisbon.', supersedes: porto.id });
    const { results } = await memory.search('where does Anna live');
    expect(results.map(({ id, supersededBy }) => [id, supersededBy])).toEqual([
      [lisbon.id, undefined],
      [porto.id, lisbon.id],
    ]);
    await expect(memory.save({ content: 'Anna lives in Lisbon.', supersedes: lisbon.id })).rejects.toThrow('itself');
  });

  it('a title is found like a heading above the text', async () => {
    const { memory } = testMemory();
    await memory.save({ content: 'The form is in the second drawer.', title: 'Passport renewal' });
    await memory.save({ content: '# Roses\n\nPrune them in March.', title: 'Roses' });
    expect((await memory.search('passport')).results[0]).toMatchObject({
      title: 'Passport renewal',
      context: 'Passport renewal',
      text: 'The form is in the second drawer.',
    });
    expect((await memory.search('roses')).results[0]?.context).toBeUndefined();
  });

  it.each([
    ['plumbre', 'plumber'],
    ['pasport renewal', 'passport'],
    ['распсание', 'расписа'],
    ['Schwarzeneger', 'schwarzenegg'],
  ])('a slip of the hand finds what was meant: %s', async (asked, term) => {
    const { memory } = testMemory();
    await memory.saveAll([
      { content: 'The plumber comes on Tuesday.' },
      { content: 'The passport is in the second drawer.' },
      { content: 'Расписание занятий на двери.' },
      { content: 'A film with Schwarzenegger.' },
      { content: 'Plums and pastries in summer.' },
    ]);
    const { results } = await memory.search(asked);
    expect(results[0]?.why.terms).toEqual([term]);
    expect(results).toHaveLength(1);
  });

  it.each([
    ['軟體開發', '软体开发的会议改到周三。'],
    ['会议', '會議在三樓。'],
    ['wifi password', 'The wi-fi password is on the router.'],
    ['wi-fi', 'Our wifi is slow.'],
    ['email', 'Send me an e-mail.'],
    ['what does Sergey like', 'Сергей любит рыбалку.'],
    ['where does Maria live', 'Мария живёт в Твери.'],
    ['где живёт Анна', 'Anna moved to Lisbon.'],
    ['Максим', 'Maxim repaired the roof.'],
    ['Yulia', 'Юлия купила билеты.'],
  ])('is found however it is written: %s', async (query, text) => {
    const { memory } = testMemory();
    await memory.saveAll([{ content: text }, { content: 'Something else entirely.' }, { content: '天气很好。' }]);
    expect(textsOf(await memory.search(query))[0]).toBe(text);
  });

  it.each([
    ['Zhang Wei lives in Riga.', '张伟住在哪里？'],
    ['张伟住在里加。', 'where does Zhang Wei live?'],
    ['新的軟體裝好了。', '软件'],
    ['新软件装好了。', '軟體'],
  ])('"%s" is found by "%s"', async (content, question) => {
    const { memory } = testMemory();
    await memory.saveAll([{ content }, { content: 'The lorry needs new tyres.' }, { content: '猫在沙发上。' }]);
    expect(textsOf(await memory.search(question))[0]).toBe(content);
  });

  it('a name in another script is a weaker match than the name itself', async () => {
    const { memory } = testMemory();
    await memory.saveAll([{ content: 'Anna likes tea.' }, { content: 'Анна любит чай.' }]);
    expect(textsOf(await memory.search('Anna'))).toEqual(['Anna likes tea.', 'Анна любит чай.']);
    expect(textsOf(await memory.search('Анна'))).toEqual(['Анна любит чай.', 'Anna likes tea.']);
  });

  it('distinct documents come before further chunks of one', async () => {
    const { memory } = testMemory();
    const chapter = `The sourdough starter wants water. ${'It was described at length in this paragraph. '.repeat(25)}`;
    await memory.save({ content: [chapter, chapter, chapter].join('\n\n'), source: 'book' });
    await memory.save({ content: 'Mother kept a starter of rye for her sourdough.', source: 'letter' });
    const { results } = await memory.search('sourdough starter', { budget: 100_000 });
    const sources = results.map(({ source }) => source);
    expect(new Set(sources.slice(0, 2))).toEqual(new Set(['book', 'letter']));
    expect(sources.slice(2)).toEqual(['book', 'book']);
  });

  it('a text that was said again does not fill the list', async () => {
    const { memory } = testMemory();
    const said = (session: number, content: string) => ({
      content,
      session: `s${session}`,
      identity: `turn ${session}`,
    });
    await memory.saveAll([
      ...Array.from({ length: 6 }, (_, session) => said(session, 'I am reading a book about the sea.')),
      said(7, 'The cover of my book shows hands, my brother took the picture.'),
    ]);
    const texts = textsOf(await memory.search('which book?', { topK: 2 }));
    expect(new Set(texts).size).toBe(2);
  });

  it('the ending of a name finds no other words', async () => {
    const { memory } = testMemory();
    await memory.saveAll([
      { content: "That's nice, it's late, he's gone." },
      { content: "It doesn't matter, she's here." },
      { content: 'Anna studies biology.' },
    ]);
    for (const query of ["Anna's subject", 'Anna’s subject', "What doesn't Anna study?"])
      expect(textsOf(await memory.search(query))).toEqual(['Anna studies biology.']);
  });

  it('of long texts, the one that is about the words comes before one that has them together once', async () => {
    const { memory } = testMemory();
    const section = (text: string): string =>
      `${text} ${'It was described at length in this paragraph. '.repeat(20)}\n\n`;
    const spread = ['The violin again.', 'Its varnish.', 'This violin, that violin.', 'More varnish, old varnish.'];
    await memory.save({ content: spread.map(section).join(''), source: 'about' });
    await memory.save({
      content: ['A violin varnish.', 'Bread.', 'Boats.', 'Bees.'].map(section).join(''),
      source: 'once',
    });
    expect((await memory.search('violin varnish')).results[0]?.source).toBe('about');
  });

  it('of paragraphs, the one that is about a word comes before a longer one that has more words by chance', async () => {
    const { memory } = testMemory();
    const filler = (sentences: number): string =>
      'It was described at length in this paragraph. '.repeat(sentences).trim();
    const others = Array.from({ length: 18 }, (_, index) => ({
      content: `Report ${index}${index % 3 === 0 ? ' about a varnish' : ''}. ${filler(10)}`,
      source: `report ${index}`,
    }));
    await memory.saveAll([
      ...others,
      { content: `The violin is Italian. ${filler(8)} The violin is loud.`, source: 'about' },
      { content: `A violin. ${filler(9)} A varnish. ${filler(7)}`, source: 'by chance' },
    ]);
    expect((await memory.search('violin varnish')).results[0]?.source).toBe('about');
  });

  it('a long text is found by words that are far apart in it', async () => {
    const { memory } = testMemory();
    const filler = 'It was described at length in this paragraph. '.repeat(25);
    await memory.save({
      content: `The violin is from Cremona. ${filler}\n\nIts varnish was repaired.`,
      source: 'long',
    });
    await memory.save({ content: 'The violin of a neighbour was loud.', source: 'short' });
    await memory.save({ content: 'A varnish for the floor.', source: 'other' });
    expect((await memory.search('violin varnish')).results[0]?.source).toBe('long');
  });

  it('a turn without a word of the question is found through its neighbours', async () => {
    const { memory } = testMemory();
    const conversation = (session: string, ...texts: string[]) =>
      texts.map((content) => ({ content, session, source: `session:${session}` }));
    await memory.saveAll([
      ...conversation(
        's1',
        'Good morning.',
        'Where shall we go for the summer holiday?',
        'To Madeira, I think.',
        'Fine.',
      ),
      ...conversation('s2', 'The bill came.', 'It is paid.', 'Thank you.'),
    ]);
    const { results } = await memory.search('where do we go for the summer holiday');
    expect(results.slice(0, 2).map(({ text }) => text)).toEqual([
      'Where shall we go for the summer holiday?',
      'To Madeira, I think.',
    ]);
    expect(results[1]?.why.terms).toEqual([]);
    expect(results.map(({ session }) => session)).not.toContain('s2');
  });

  it('a turn is found by what the turns around it say', async () => {
    const { memory } = testMemory();
    const turns = [
      'We plan the trip to Kyoto in April.',
      'Which hotel do you want?',
      'The small one near the station.',
    ];
    await memory.saveAll(
      turns.map((content, index) => ({
        content,
        session: 's1',
        speaker: 'user',
        source: 'session:main',
        identity: `m${index}`,
      })),
    );
    await memory.save({ content: 'The station wagon needs a new hotel of tyres.' });
    const { results } = await memory.search('which hotel near the station for the Kyoto trip');
    expect(results[0]?.session).toBe('s1');
    expect(results.slice(0, 3).every(({ session }) => session === 's1')).toBe(true);
    expect(Math.max(...results.map(({ score }) => score))).toBeLessThanOrEqual(1);
  });
});

describe('turns', () => {
  it('are found with speaker, session and date, and kept once', async () => {
    const { memory } = testMemory();
    const session = { sessionKey: 'main', sessionId: 'sess-1', tainted: false };
    const turns: Turn[] = [
      { id: 'm1', role: 'user', content: 'ok', timestamp: '2026-05-01T10:00:00Z' },
      { id: 'm2', role: 'assistant', content: 'ok', timestamp: '2026-05-01T10:00:01Z' },
      { id: 'm3', role: 'user', content: 'My sister is allergic to walnuts', timestamp: '2026-05-01T10:00:02Z' },
      { id: 'm4', role: 'assistant', content: ' ', timestamp: '2026-05-01T10:00:03Z' },
    ];
    await rememberTurns(memory, session, turns);
    await rememberTurns(memory, session, turns);
    expect(await memory.list()).toHaveLength(3);
    expect((await memory.search('what is my sister allergic to')).results[0]).toMatchObject({
      speaker: 'user',
      session: 'sess-1',
      source: 'session:main',
      date: '2026-05-01T10:00:02.000Z',
    });
  });
});

describe('forget', () => {
  it('leaves nothing of the text in the home, and the rest is still found', async () => {
    const { memory, home } = testMemory();
    const secret = 'xylophonist zebrafish quagmire';
    await memory.saveAll(
      Array.from({ length: 300 }, (_, index) => ({ content: `ordinary note ${index} about weather` })),
    );
    const { id } = await memory.save({
      content: `The password is ${secret}. ${'More of the secret quagmire. '.repeat(300)}`,
    });
    await memory.forget(id);
    expect((await memory.search('xylophonist zebrafish')).results).toEqual([]);
    expect((await memory.search('ordinary note 150')).results[0]?.text).toContain('150');
    for (const name of readdirSync(home)) {
      if (!statSync(join(home, name)).isFile()) continue;
      const bytes = readFileSync(join(home, name)).toString('latin1');
      for (const word of ['xylophon', 'ylophonist', 'zebrafish', 'ebrafish', 'quagmir'])
        expect(bytes.includes(word), `${word} in ${name}`).toBe(false);
    }
    await expect(memory.forget(id)).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    await expect(memory.forgetSource('nowhere')).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
  });
});

it('forgetting waits for every reader, and then nothing is left in the log either', async () => {
  const { memory, home } = testMemory();
  const { id } = await memory.save({ content: 'The word is zebrafish.' });
  const reader = new DatabaseSync(join(home, 'lainclaw.db'));
  onTestFinished(() => reader.close());
  reader.exec('BEGIN; SELECT count(*) FROM archive_documents');
  const isLeft = (): boolean =>
    readdirSync(home).some(
      (name) => /^lainclaw\.db/.test(name) && readFileSync(join(home, name)).includes('zebrafish'),
    );
  const forgotten = memory.forget(id);
  setTimeout(() => reader.exec('COMMIT'), 300);
  await forgotten;
  expect(isLeft()).toBe(false);
});

it('forgetting much at once leaves nothing of it either', async () => {
  const { memory, home, again } = testMemory();
  await memory.saveAll(Array.from({ length: 300 }, (_, index) => ({ content: `ordinary note ${index}` })));
  await memory.saveAll(
    Array.from({ length: 3_000 }, (_, index) => ({ content: `zebrafish quagmire number ${index}x`, source: 'secret' })),
  );
  expect(await memory.forgetSource('secret')).toBe(3_000);
  const other = again().memory;
  expect((await other.search('zebrafish quagmire')).results).toEqual([]);
  expect((await other.search('ordinary note 150')).results[0]?.text).toContain('150');
  for (const name of readdirSync(home).filter((file) => file.startsWith('lainclaw.db'))) {
    const bytes = readFileSync(join(home, name)).toString('latin1');
    for (const word of ['zebrafish', 'ebrafish', 'quagmir', '2999x']) expect(bytes.includes(word), word).toBe(false);
  }
});

describe('reindex', () => {
  it('finds the same afterwards, also what is saved and forgotten while it runs', async () => {
    const { memory, again } = testMemory();
    await memory.saveAll(Array.from({ length: 1_200 }, (_, index) => ({ content: `entry ${index} of the long list` })));
    const other = again().memory;
    const victim = (await other.search('entry 7')).results[0]?.id ?? '';
    let meanwhile: Promise<unknown> | undefined;
    await memory.reindex({
      onProgress: () => {
        meanwhile ??= Promise.all([other.forget(victim), other.save({ content: 'a latecomer about walruses' })]);
      },
    });
    await meanwhile;
    expect((await memory.search('walruses')).results).toHaveLength(1);
    expect((await memory.search('entry 7')).results.map(({ id }) => id)).not.toContain(victim);
    expect((await memory.search('entry 1111')).results[0]?.text).toContain('1111');
  });

  it('that is stopped half way leaves the old index, and the next one is whole', async () => {
    const { memory } = testMemory();
    await memory.saveAll(Array.from({ length: 1_200 }, (_, index) => ({ content: `entry ${index}` })));
    const stop = new AbortController();
    await expect(memory.reindex({ signal: stop.signal, onProgress: () => stop.abort() })).rejects.toThrow();
    expect((await memory.search('entry 1100')).results[0]?.text).toBe('entry 1100');
    expect(await memory.reindex()).toEqual({ chunks: 1_200 });
    expect((await memory.search('entry 1100')).results[0]?.text).toBe('entry 1100');
  });
});

describe('import', () => {
  it('takes every Markdown file with its date, leaves the unchanged alone and replaces the changed', async () => {
    const { memory } = testMemory();
    const folder = temporaryHome();
    mkdirSync(join(folder, 'deep'));
    writeFileSync(
      join(folder, 'a.md'),
      '---\ntitle: Roses\ndate: 2025-05-06\n---\n# Ignored\n\nPrune roses in March.\n',
    );
    writeFileSync(join(folder, 'deep', 'b.markdown'), '# Tulips\n\nPlant tulips in October.\n');
    writeFileSync(join(folder, 'c.txt'), 'no Markdown');
    writeFileSync(join(folder, 'bad.md'), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(join(folder, 'front.md'), '---\n{broken: [yaml\n---\nLilies in May.\n');
    symlinkSync('/etc/passwd', join(folder, 'link.md'));
    const first = await memory.importFolder(folder);
    expect(first).toMatchObject({ files: 3, added: 3, changed: 0, unchanged: 0 });
    expect(first.skipped.map(({ reason }) => reason).toSorted()).toEqual([
      'not UTF-8 text',
      'not a regular file',
      expect.stringContaining('front matter'),
    ]);
    const { results } = await memory.search('when to prune roses');
    expect(results[0]).toMatchObject({
      title: 'Roses',
      date: '2025-05-06T00:00:00.000Z',
      source: join(folder, 'a.md'),
    });
    writeFileSync(join(folder, 'deep', 'b.markdown'), '# Tulips\n\nPlant tulips in November.\n');
    expect(await memory.importFolder(folder)).toMatchObject({ files: 3, added: 0, changed: 1, unchanged: 2 });
    expect(textsOf(await memory.search('plant tulips')).join()).not.toContain('October');
    const refused = (message: RegExp): object => ({ code: 'MEMORY_FOLDER', message: expect.stringMatching(message) });
    await expect(memory.importFolder(join(folder, 'a.md'))).rejects.toMatchObject(refused(/a\.md is not a folder/));
    await expect(memory.importFolder(join(folder, 'none'))).rejects.toMatchObject(refused(/there is no folder .*none/));
  });

  it.each(['3.4.26', '03/04/2026', 'March', '2026', '2026-13-01'])('does not guess what day %s is', async (date) => {
    const { memory } = testMemory();
    await expect(memory.save({ content: 'x', source: 'chat', date })).rejects.toMatchObject({
      code: 'MEMORY_BAD_DATE',
    });
  });

  it('a file that was moved is found at its new place only; one that is gone stays until it shall not', async () => {
    const { memory } = testMemory();
    const folder = temporaryHome();
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
    write('old.md', 'Lilies in May.');
    write('gone.md', 'Tulips in October.');
    write('stays.md', 'Roses in March.');
    mkdirSync(`${folder}-beside`);
    onTestFinished(() => rmSync(`${folder}-beside`, { recursive: true }));
    writeFileSync(join(`${folder}-beside`, 'other.md'), 'Asters in autumn.');
    await memory.importFolder(`${folder}-beside`);
    await memory.importFolder(folder);
    renameSync(join(folder, 'old.md'), join(folder, 'new.md'));
    rmSync(join(folder, 'gone.md'));
    const again = await memory.importFolder(folder);
    expect(again).toMatchObject({ files: 2, added: 1, moved: 1, unchanged: 1, gone: [join(folder, 'gone.md')] });
    expect((await memory.search('lilies')).results.map(({ source }) => source)).toEqual([join(folder, 'new.md')]);
    expect((await memory.search('tulips')).results).toHaveLength(1);
    const last = await memory.importFolder(folder, { forgetGone: true });
    expect(last).toMatchObject({ unchanged: 2, gone: [], forgotten: 1 });
    expect((await memory.search('tulips')).results).toEqual([]);
    expect((await memory.search('asters roses')).results).toHaveLength(2);
  });

  it('a folder that holds nothing any more is not forgotten: its disk may be missing', async () => {
    const { memory } = testMemory();
    const folder = temporaryHome();
    writeFileSync(join(folder, 'a.md'), 'Asters.');
    await memory.importFolder(folder);
    rmSync(join(folder, 'a.md'));
    await expect(memory.importFolder(folder, { forgetGone: true })).rejects.toThrow(
      /nothing is forgotten.*disk missing/,
    );
    expect((await memory.search('asters')).results).toHaveLength(1);
    expect(await memory.importFolder(folder)).toMatchObject({ files: 0, gone: [join(folder, 'a.md')] });
  });

  it('nor is one within it that is there and empty', async () => {
    const { memory } = testMemory();
    const folder = temporaryHome();
    for (const name of ['disk', 'deleted']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'a.md'), `On ${name}.`);
    }
    writeFileSync(join(folder, 'b.md'), 'Stays.');
    await memory.importFolder(folder);
    rmSync(join(folder, 'disk', 'a.md'));
    rmSync(join(folder, 'deleted'), { recursive: true });
    const report = await memory.importFolder(folder, { forgetGone: true });
    expect(report).toMatchObject({ forgotten: 1, gone: [join(folder, 'disk', 'a.md')] });
  });

  it('a file that is too long is skipped, and what is skipped is not gone', async () => {
    const { memory } = testMemory();
    const folder = temporaryHome();
    writeFileSync(join(folder, 'long.md'), 'Short at first.');
    writeFileSync(join(folder, 'short.md'), 'Short.');
    await memory.importFolder(folder);
    writeFileSync(join(folder, 'long.md'), 'long '.repeat(1_010_000));
    const report = await memory.importFolder(folder, { forgetGone: true });
    expect(report).toMatchObject({ files: 1, unchanged: 1, forgotten: 0 });
    expect(report.skipped).toEqual([{ path: join(folder, 'long.md'), reason: expect.stringContaining('in parts') }]);
    expect((await memory.search('short first')).results).toHaveLength(2);
  });
});
