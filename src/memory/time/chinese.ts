// Chinese words for time, in simplified characters: the caller maps traditional ones first. Numbers are figures or characters.
import {
  dateOf,
  dayAt,
  dayOfMonth,
  isYear,
  monthAt,
  monthOf,
  type Season,
  seasonOf,
  stretch,
  type TimeSpan,
  type Unit,
  unitAt,
  weekAt,
  weekdayAt,
  weekdaysAround,
  weekendAt,
  withoutMonth,
  withoutYear,
  yearAt,
  yearOf,
} from './calendar.ts';
import {
  CHRISTMAS,
  DRAGON_BOAT_FESTIVAL,
  fixed,
  type Holiday,
  holidaySpans,
  MID_AUTUMN_FESTIVAL,
  NEW_YEAR,
  SPRING_FESTIVAL,
} from './holidays.ts';
import { absolute, type Groups, oneOf, only, relative, type TimeLanguage } from './rule.ts';

const DAYS: Record<string, number> = {
  大前天: -3,
  前天: -2,
  昨天: -1,
  昨日: -1,
  昨晚: -1,
  昨夜: -1,
  今天: 0,
  今日: 0,
  今早: 0,
  今晚: 0,
  明天: 1,
  明日: 1,
  明早: 1,
  明晚: 1,
  后天: 2,
  大后天: 3,
};
const YEARS: Record<string, number> = { 大前年: -3, 前年: -2, 去年: -1, 今年: 0, 本年: 0, 明年: 1, 后年: 2 };
const STEPS: Record<string, number> = { 上上: -2, 上: -1, 这: 0, 本: 0, 下: 1, 下下: 2 };
const UNITS: Record<string, Unit> = {
  天: 'day',
  日: 'day',
  周: 'week',
  星期: 'week',
  礼拜: 'week',
  月: 'month',
  年: 'year',
};
const DIGITS: Record<string, number> = {
  〇: 0,
  零: 0,
  一: 1,
  二: 2,
  两: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
};
const WEEKDAYS: Record<string, number> = { ...DIGITS, 日: 7, 天: 7 };
const SEASONS: Record<string, Season> = { 春: 'spring', 夏: 'summer', 秋: 'autumn', 冬: 'winter' };

const HOLIDAYS: Record<string, Holiday> = {
  圣诞: CHRISTMAS,
  平安夜: fixed(12, 24),
  元旦: fixed(1, 1),
  跨年: NEW_YEAR,
  春节: SPRING_FESTIVAL,
  过年: SPRING_FESTIVAL,
  端午: DRAGON_BOAT_FESTIVAL,
  中秋: MID_AUTUMN_FESTIVAL,
  国庆: fixed(10, 1, 7),
  劳动节: fixed(5, 1),
  情人节: fixed(2, 14),
};
/** 10号线 is a line of the underground, and 3日内 a stretch of days. */
const NOT_BEHIND_DATE = '(?![线楼门店院馆房机厅桌码位球车床库选元本语内游间])';

const NUMBER = '(?:\\d{1,3}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])';
const WEEK = '(?:周|星期|礼拜)';
const STEP = `(?<step>${oneOf(STEPS)})一?个?`;
const YEAR = `(?:(?<year>[12]\\d{3}|[一二][〇零一二三四五六七八九]{3})年|(?<yearStep>${oneOf(YEARS)}))`;
const MONTH = `(?<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?`;
const DATE = `(?<day>3[01]|[12]\\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])[日号]`;
const NOT_IN_NUMBER = '(?<![\\d.〇零一二两三四五六七八九十])';
const chinese = (pattern: string): RegExp => new RegExp(pattern, 'giu');

export const CHINESE: TimeLanguage = {
  hint: /[天日晚早夜周年月号季节]|星期|礼拜|圣诞|元旦|端午|中秋|国庆/gu,
  // Chinese says it behind the words.
  since: /自从?$|从$/u,
  until: /直到$|截至$/u,
  sinceBehind: /^(?:以来|以后|之后|起|开始)/u,
  untilBehind: /^(?:以前|之前)/u,
  rules: [
    relative(chinese(`(?<when>${oneOf(DAYS)})`), ({ when = '' }, wall) => [dayAt(wall, DAYS[when])]),
    relative(
      chinese(`(?:最近|过去|近|这|前)的?(?<count>${NUMBER}|几)个?(?<unit>${oneOf(UNITS)})(?!前)`),
      (groups, wall) => [stretch(unitOf(groups), wall, -countOf(groups))],
    ),
    relative(chinese(`(?:未来|接下来)的?(?<count>${NUMBER}|几)个?(?<unit>${oneOf(UNITS)})`), (groups, wall) => [
      stretch(unitOf(groups), wall, countOf(groups)),
    ]),
    relative(
      chinese(`${NOT_IN_NUMBER}(?<count>${NUMBER}|几|半)个?(?<unit>${oneOf(UNITS)})(?<side>[之以]?[前后])`),
      (groups, wall) => [ago(groups, wall)],
    ),
    relative(chinese(`${STEP}${WEEK}(?<weekday>[一二三四五六日天])`), ({ step = '', weekday = '' }, wall) => [
      weekdayAt(WEEKDAYS[weekday] ?? 1, wall, STEPS[step]),
    ]),
    relative(chinese(`${STEP}(?:周末|星期末|礼拜末)`), ({ step = '' }, wall) => [weekendAt(wall, STEPS[step])]),
    relative(chinese(`${STEP}${WEEK}`), ({ step = '' }, wall) => [weekAt(wall, STEPS[step])]),
    relative(chinese(`${STEP}月(?:${DATE})?`), ({ step = '', day }, wall) => {
      const month = monthAt(wall, STEPS[step]);
      return day === undefined ? [month] : only(dayOfMonth(month, numberOf(day)));
    }),
    absolute(chinese(`${YEAR}的?${MONTH}(?:${DATE})?`), (groups, wall) => {
      const year = yearIn(groups, wall);
      const month = numberOf(groups.month ?? '');
      if (year === undefined) return undefined;
      return groups.day === undefined ? [monthOf(year, month)] : only(dateOf(year, month, numberOf(groups.day)));
    }),
    absolute(chinese(`${YEAR}的?(?<season>[春夏秋冬])[天季]`), (groups, wall) => {
      const year = yearIn(groups, wall);
      return year === undefined ? undefined : [seasonOf(SEASONS[groups.season ?? ''] ?? 'summer', year)];
    }),
    absolute(chinese(`(?:${YEAR}的?)?(?<holiday>${oneOf(HOLIDAYS)})节?`), (groups, wall) => {
      const year = yearIn(groups, wall);
      return holidaySpans(HOLIDAYS[groups.holiday ?? ''] ?? CHRISTMAS, wall, year === undefined ? {} : { year });
    }),
    relative(chinese(`(?<yearStep>${oneOf(YEARS)})`), (groups, wall) => [yearAt(wall, YEARS[groups.yearStep ?? ''])]),
    absolute(chinese(`${NOT_IN_NUMBER}(?<year>[12]\\d{3}|[一二][〇零一二三四五六七八九]{3})年`), (groups, wall) => {
      const year = yearIn(groups, wall);
      return year === undefined ? undefined : [yearOf(year)];
    }),
    absolute(chinese(`${NOT_IN_NUMBER}${MONTH}${DATE}`), ({ month = '', day = '' }, wall) => {
      const spans = withoutYear(wall, (year) => dateOf(year, numberOf(month), numberOf(day)));
      return spans.length > 0 ? spans : undefined;
    }),
    absolute(chinese(`${NOT_IN_NUMBER}(?<!个)${MONTH}`), ({ month = '' }, wall) =>
      withoutYear(wall, (year) => monthOf(year, numberOf(month))),
    ),
    relative(chinese(`(?<![\\d.月第〇零一二两三四五六七八九十])${DATE}${NOT_BEHIND_DATE}`), ({ day = '' }, wall) =>
      withoutMonth(wall, numberOf(day)),
    ),
    relative(chinese('周末'), (_, wall) => [weekendAt(wall, -1), weekendAt(wall, 0)]),
    // 每周三 is a habit and not a day.
    relative(chinese(`(?<!每个?)${WEEK}(?<weekday>[一二三四五六日天])`), ({ weekday = '' }, wall) =>
      weekdaysAround(WEEKDAYS[weekday] ?? 1, wall),
    ),
  ],
};

function ago({ count = '', unit = '天', side = '' }: Groups, wall: number): TimeSpan {
  const direction = side.endsWith('前') ? -1 : 1;
  if (count === '半') return monthAt(wall, unit === '年' ? direction * 6 : 0);
  return unitAt(UNITS[unit] ?? 'day', wall, direction * (count === '几' ? 3 : numberOf(count)));
}

function unitOf({ unit = '天' }: Groups): Unit {
  return UNITS[unit] ?? 'day';
}

function countOf({ count = '' }: Groups): number {
  return count === '几' ? 3 : numberOf(count);
}

function yearIn({ year, yearStep }: Groups, wall: number): number | undefined {
  if (yearStep !== undefined) return new Date(yearAt(wall, YEARS[yearStep]).from).getUTCFullYear();
  const number = Number([...(year ?? '')].map((character) => DIGITS[character] ?? character).join(''));
  return isYear(number) ? number : undefined;
}

/** Figures, or a number up to ninety-nine in characters. */
export function numberOf(text: string): number {
  if (/^\d+$/u.test(text)) return Number(text);
  const [tens, ones] = text.split('十');
  if (ones === undefined) return DIGITS[text] ?? Number.NaN;
  return (tens === '' ? 1 : (DIGITS[tens ?? ''] ?? Number.NaN)) * 10 + (ones === '' ? 0 : (DIGITS[ones] ?? Number.NaN));
}
