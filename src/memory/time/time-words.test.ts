import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY } from './calendar.ts';
import { ALWAYS, findTimeWords } from './time-words.ts';

/** A Monday. */
const NOW = Date.UTC(2026, 10, 16, 15, 30);

const day = (wall: number): string => new Date(wall).toISOString().slice(0, 10);
/** The spans as first and last day. */
function timesIn(text: string, wall = NOW): string[] {
  return findTimeWords(text, wall).flatMap(({ spans }) =>
    spans.map(({ from, to }) => {
      const first = from === ALWAYS.from ? '' : day(from);
      const last = to === ALWAYS.to ? '' : day(to - 1);
      return first === last ? first : `${first}…${last}`;
    }),
  );
}

describe('time words', () => {
  it.each([
    'Who swims on Wednesdays?',
    'We meet every Wednesday.',
    'pancakes each friday',
    '每周三做什么？',
    '每个星期三',
    'по средам',
    'каждую среду',
  ])('a habit is not a day: %s', (text) => {
    expect(timesIn(text)).toEqual([]);
  });

  it.each([
    ['What did I say yesterday about the plumber?', ['2026-11-15']],
    ['the day before yesterday', ['2026-11-14']],
    ['What happened last week?', ['2026-11-09…2026-11-15']],
    ['half a year ago', ['2026-05-01…2026-05-31']],
    ['Где я был полгода назад?', ['2026-05-01…2026-05-31']],
    ['the week before last', ['2026-11-02…2026-11-08']],
    ['on 10 November', ['2026-11-10', '2027-11-10']],
    ['on November 10th, 2025', ['2025-11-10']],
    ['on the 3rd of May 2024', ['2024-05-03']],
    ['last Friday', ['2026-11-13']],
    ['last Monday', ['2026-11-09']],
    ['on Friday', ['2026-11-13', '2026-11-20']],
    ['next Friday', ['2026-11-27', '2026-11-20']],
    ['at the weekend', ['2026-11-14…2026-11-15', '2026-11-21…2026-11-22']],
    ['two days ago', ['2026-11-14']],
    ['a couple of weeks ago', ['2026-11-02…2026-11-08']],
    ['in the last 3 days', ['2026-11-13…2026-11-16']],
    ['in March', ['2026-03-01…2026-03-31', '2027-03-01…2027-03-31']],
    ['in March last year', ['2025-03-01…2025-03-31']],
    ['in March of 2024', ['2024-03-01…2024-03-31']],
    ['last November', ['2025-11-01…2025-11-30']],
    ['last month', ['2026-10-01…2026-10-31']],
    ['last year', ['2025-01-01…2025-12-31']],
    ['in 2024', ['2024-01-01…2024-12-31']],
    ['last summer', ['2026-06-01…2026-08-31']],
    ['in the winter of 2024', ['2024-12-01…2025-02-28']],
    ['since Monday', ['2026-11-16…']],
    ['before March', ['…2026-02-28']],
    ['2026-03-04', ['2026-03-04']],
    ['4.3.2026', ['2026-03-04']],
    ['3/4/2026', ['2026-03-04', '2026-04-03']],
    ['29 February', ['2024-02-29', '2028-02-29']],
    ['what did we do last Christmas?', ['2025-12-24…2025-12-26']],
    ['Christmas 2024', ['2024-12-24…2024-12-26']],
    ["on New Year's Eve", ['2025-12-31', '2026-12-31']],
    ['over Chinese New Year 2026', ['2026-02-16…2026-02-23']],
    ['what did I say on the 10th?', ['2026-11-10', '2026-12-10']],
    ['on the 31st we met', ['2026-10-31', '2026-12-31']],
    ['the 3rd of last month', ['2026-10-03']],
    ['since the 5th', ['2026-11-05…']],
  ])('in English: %s', (text, spans) => expect(timesIn(text)).toEqual(spans));

  it.each([
    ['昨天说了什么', ['2026-11-15']],
    ['大前天', ['2026-11-13']],
    ['上周', ['2026-11-09…2026-11-15']],
    ['上周五', ['2026-11-13']],
    ['下个星期三', ['2026-11-25']],
    ['上个月', ['2026-10-01…2026-10-31']],
    ['这个月5号', ['2026-11-05']],
    ['去年三月', ['2025-03-01…2025-03-31']],
    ['去年夏天', ['2025-06-01…2025-08-31']],
    ['2025年11月10日', ['2025-11-10']],
    ['二〇二五年三月', ['2025-03-01…2025-03-31']],
    ['十一月十日', ['2026-11-10', '2027-11-10']],
    ['十月', ['2026-10-01…2026-10-31', '2027-10-01…2027-10-31']],
    ['三天前', ['2026-11-13']],
    ['两周前', ['2026-11-02…2026-11-08']],
    ['最近三天', ['2026-11-13…2026-11-16']],
    ['三月以来', ['2026-03-01…']],
    ['今年', ['2026-01-01…2026-12-31']],
    ['10号说了什么', ['2026-11-10', '2026-12-10']],
    ['去年圣诞节', ['2025-12-24…2025-12-26']],
    ['2025年春节', ['2025-01-28…2025-02-04']],
    ['去年中秋节吃了什么', ['2025-10-06']],
    ['今年国庆', ['2026-10-01…2026-10-07']],
  ])('in Chinese: %s', (text, spans) => expect(timesIn(text)).toEqual(spans));

  it.each([
    ['что я говорил вчера', ['2026-11-15']],
    ['позавчера', ['2026-11-14']],
    ['на прошлой неделе', ['2026-11-09…2026-11-15']],
    ['в прошлую пятницу', ['2026-11-13']],
    ['во вторник', ['2026-11-10', '2026-11-17']],
    ['в прошлом месяце', ['2026-10-01…2026-10-31']],
    ['10 ноября', ['2026-11-10', '2027-11-10']],
    ['10 ноября 2025 года', ['2025-11-10']],
    ['в марте', ['2026-03-01…2026-03-31', '2027-03-01…2027-03-31']],
    ['в марте прошлого года', ['2025-03-01…2025-03-31']],
    ['в 2024 году', ['2024-01-01…2024-12-31']],
    ['прошлым летом', ['2026-06-01…2026-08-31']],
    ['летом 2024 года', ['2024-06-01…2024-08-31']],
    ['два дня назад', ['2026-11-14']],
    ['неделю назад', ['2026-11-09…2026-11-15']],
    ['за последние три дня', ['2026-11-13…2026-11-16']],
    ['через неделю', ['2026-11-23…2026-11-29']],
    ['с понедельника', ['2026-11-16…']],
    ['до марта', ['…2026-02-28']],
    ['Ещё вчера', ['2026-11-15']],
    ['на прошлый новый год', ['2025-12-31…2026-01-01']],
    ['на Рождество 2025', ['2025-01-06…2025-01-07']],
    ['что было 10-го?', ['2026-11-10', '2026-12-10']],
    ['10 числа', ['2026-11-10', '2026-12-10']],
  ])('in Russian: %s', (text, spans) => expect(timesIn(text)).toEqual(spans));

  it.each([
    'May I ask what the second plumber said?',
    'the march on Rome',
    'What did Sun say to Mark at the sat test?',
    'Room 2024 is free, section 10 has 3 options',
    '31 April',
    'on the 10th floor',
    'from the 2nd user',
    'on the 40th',
    'Happy new year to all',
    '坐10号线',
    '第3号',
    '生日快乐，节日快乐',
    '2-го этажа',
    '2026-13-40',
    '学生日记',
    '每天',
    'мама мыла раму',
    '',
  ])('are not seen in: %s', (text) => expect(timesIn(text)).toEqual([]));

  it('are all found, in the order of the text, with what they were written as', () => {
    const text = 'Yesterday we said that it was 10 ноября, not 去年三月.';
    expect(findTimeWords(text, NOW).map((words) => words.text)).toEqual(['Yesterday', '10 ноября', '去年三月']);
    expect(findTimeWords(text, NOW).map(({ isRelative }) => isRelative)).toEqual([true, false, false]);
  });

  it('are found in a long text wherever they are', () => {
    const filler = 'We met at the station and talked about the garden. ';
    expect(timesIn(`${filler.repeat(50)}Two days ago it rained. ${filler.repeat(50)}`)).toEqual(['2026-11-14']);
  });

  const anyWall = fc.integer({ min: Date.UTC(1950, 0, 1), max: Date.UTC(2150, 0, 1) });
  const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'];

  it('any date is found however it is written', () => {
    const written = (date: Date): string[] => {
      const [year, month, of] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
      const inLanguage = (language: string) =>
        date.toLocaleDateString(language, { timeZone: 'UTC', dateStyle: 'long' });
      return [inLanguage('en-GB'), inLanguage('en-US'), inLanguage('ru'), inLanguage('zh'), day(date.getTime())].concat(
        `${of}.${month}.${year}`,
        `${year}年${month}月${of}号`,
      );
    };
    fc.assert(
      fc.property(anyWall, anyWall, (wall, now) => {
        for (const text of written(new Date(wall))) expect([text, ...timesIn(text, now)]).toEqual([text, day(wall)]);
      }),
    );
  });

  it('yesterday, last week and last month lie before now and beside it, whenever that is', () => {
    fc.assert(
      fc.property(anyWall, (wall) => {
        for (const text of ['yesterday', 'last week', 'last month', 'last year', '昨天', '上周', 'в прошлом году']) {
          const [span] = findTimeWords(text, wall)[0]?.spans ?? [];
          expect(span?.to).toBeLessThanOrEqual(wall);
          expect(wall - (span?.from ?? 0)).toBeLessThanOrEqual(2 * 366 * DAY);
        }
        for (const month of MONTHS) {
          const [last, next] = findTimeWords(`in ${month}`, wall)[0]?.spans ?? [];
          expect(last?.from).toBeLessThanOrEqual(wall);
          expect(next?.from).toBeGreaterThan(wall);
        }
      }),
    );
  });

  it('no text is an error, and every span has a beginning before its end', () => {
    const pieces = [
      'last',
      'week',
      '31',
      'March',
      'in',
      '2024',
      '999',
      '年',
      '月',
      '三',
      '十',
      '上',
      '前',
      'с',
      'марта',
      'назад',
      '.',
    ];
    const wordy = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((words) => words.join(' '));
    const dense = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((words) => words.join(''));
    fc.assert(
      fc.property(fc.oneof(wordy, dense, fc.string({ unit: 'binary' })), anyWall, (text, wall) => {
        for (const { index, text: words, spans } of findTimeWords(text, wall)) {
          expect(text.slice(index, index + words.length)).toBe(words);
          for (const { from, to } of spans) expect(from).toBeLessThan(to);
        }
      }),
      { numRuns: 500 },
    );
  });
});
