// Russian words for time, by the beginnings of words: endings say the case and nothing about the time. ё is written as е by
// the caller. A bare month needs a preposition or a date beside it.
import {
  dateOf,
  dayAt,
  isYear,
  monthAt,
  monthOf,
  namedMonthAt,
  type Season,
  seasonAt,
  seasonOf,
  stretch,
  type TimeSpan,
  type Unit,
  unitAt,
  weekdayAt,
  weekdaysAround,
  weekendAt,
  withoutMonth,
  withoutYear,
  yearAt,
  yearOf,
} from './calendar.ts';
import { fixed, type Holiday, holidaySpans, NEW_YEAR, ORTHODOX_CHRISTMAS } from './holidays.ts';
import { absolute, type Groups, oneOf, only, relative, type TimeLanguage } from './rule.ts';

const DAYS: Record<string, number> = {
  позавчера: -2,
  вчера: -1,
  сегодня: 0,
  завтра: 1,
  послезавтра: 2,
};
/** Longer beginnings first: "мар" is not "май". */
const MONTHS: readonly [RegExp, number][] = [
  [/^янв/, 1],
  [/^фев/, 2],
  [/^мар/, 3],
  [/^апр/, 4],
  [/^ма/, 5],
  [/^июн/, 6],
  [/^июл/, 7],
  [/^авг/, 8],
  [/^сен/, 9],
  [/^окт/, 10],
  [/^ноя/, 11],
  [/^дек/, 12],
];
const WEEKDAYS: readonly [RegExp, number][] = [
  [/^пон/, 1],
  [/^вто/, 2],
  [/^сре/, 3],
  [/^чет/, 4],
  [/^пят/, 5],
  [/^суб/, 6],
  [/^вос/, 7],
];
const SEASONS: Record<string, Season> = { зимой: 'winter', весной: 'spring', летом: 'summer', осенью: 'autumn' };
const HOLIDAYS: Record<string, Holiday> = {
  рождество: ORTHODOX_CHRISTMAS,
  'новый год': NEW_YEAR,
  'день победы': fixed(5, 9),
};
const NUMBERS: Record<string, number> = {
  пару: 2,
  несколько: 3,
  один: 1,
  одну: 1,
  два: 2,
  две: 2,
  три: 3,
  четыре: 4,
  пять: 5,
  шесть: 6,
  семь: 7,
  восемь: 8,
  девять: 9,
  десять: 10,
  одиннадцать: 11,
  двенадцать: 12,
};

const MONTH =
  '(?<month>январ[ьяею]|феврал[ьяею]|март[ауе]?|апрел[ьяею]|ма[йяею]|июн[ьяею]|июл[ьяею]|август[ауе]?|сентябр[ьяею]|октябр[ьяею]|ноябр[ьяею]|декабр[ьяею])';
const WEEKDAY =
  '(?<weekday>понедельник[ауе]?|вторник[ауе]?|сред[ауые]|четверг[ауе]?|пятниц[ауые]|суббот[ауые]|воскресень[еяю])';
const UNIT = '(?<unit>дн(?:я|ей|и)|день|недел(?:ю|и|ь|я)|месяц(?:а|ев|ы)?|год(?:а|ы|у)?|лет)';
const COUNT = `(?<count>\\d{1,3}|${oneOf(NUMBERS)})`;
const STEP = '(?<step>позапрошл|прошл|предыдущ|минувш|эт|текущ|следующ|будущ|ближайш)[а-я]{1,3}';
const YEAR = '(?<year>[12]\\d{3})(?:-?(?:го|м|ом))?(?:\\s*г(?:ода|оду|од|\\.)?(?![а-я]))?';
const OF_YEAR = `\\s+(?:${YEAR}|${STEP}\\s+года)`;
const russian = (pattern: string): RegExp => new RegExp(`(?<![а-я\\d])(?:${pattern})(?![а-я\\d])`, 'giu');

export const RUSSIAN: TimeLanguage = {
  hint: /вчера|сегодня|завтра|назад|недел|месяц|год|лет|выходн|день|дн[яей]|понедельник|вторник|сред[ауые]|четверг|пятниц|суббот|воскресен|январ|феврал|март|апрел|ма[йяе]|июн|июл|август|сентябр|октябр|ноябр|декабр|зимой|весной|осенью|летом|рождество|день победы|числа|\d-?го/giu,
  since: /(?<![а-я])(?:с|со|после|начиная с)\s+$/iu,
  until: /(?<![а-я])(?:до|перед|раньше)\s+$/iu,
  rules: [
    relative(russian(`(?<when>${oneOf(DAYS)})`), ({ when = '' }, wall) => [dayAt(wall, DAYS[when])]),
    relative(russian(`(?:(?:за|в)\\s+)?последн[а-я]{1,3}\\s+(?:${COUNT}\\s+)?${UNIT}`), (groups, wall) => [
      stretch(unitOf(groups), wall, -countOf(groups)),
    ]),
    relative(russian(`(?:${COUNT}\\s+)?${UNIT}\\s+(?:тому\\s+)?назад`), (groups, wall) => [
      unitAt(unitOf(groups), wall, -countOf(groups)),
    ]),
    relative(russian('полгода\\s+(?:тому\\s+)?назад'), (_, wall) => [monthAt(wall, -6)]),
    relative(russian(`через\\s+(?:${COUNT}\\s+)?${UNIT}`), (groups, wall) => [
      unitAt(unitOf(groups), wall, countOf(groups)),
    ]),
    relative(russian('на\\s+выходных'), (_, wall) => [weekendAt(wall, -1), weekendAt(wall, 0)]),
    relative(russian(`(?:(?:в|на)\\s+)?${STEP}\\s+выходны[ехм]`), (groups, wall) => [weekendAt(wall, stepOf(groups))]),
    absolute(
      russian(`(?:на|в|за|под|до|после)\\s+(?:${STEP}\\s+)?(?<holiday>${oneOf(HOLIDAYS)})(?:\\s+${YEAR})?`),
      (groups, wall) => {
        const { holiday = '', year, step } = groups;
        return holidaySpans(HOLIDAYS[holiday] ?? NEW_YEAR, wall, {
          ...(year !== undefined && { year: Number(year) }),
          ...(step !== undefined && { step: stepOf(groups) }),
        });
      },
    ),
    relative(russian(`(?:(?:в|во|на)\\s+)?${STEP}\\s+${WEEKDAY}`), weekdaySpans),
    absolute(russian(`(?<day>\\d{1,2})(?:-?(?:го|е|ого))?\\s+${MONTH}(?:${OF_YEAR})?`), dateSpans),
    absolute(russian(`${MONTH}${OF_YEAR}`), monthSpans),
    relative(russian(`(?:в\\s+)?${STEP}\\s+${MONTH}`), (groups, wall) => {
      return [namedMonthAt(numberIn(MONTHS, groups.month ?? ''), wall, stepOf(groups))];
    }),
    absolute(russian(`(?:в|с|до|после|к|на|от|начал[а-я]|конц[а-я]|середин[а-я])\\s+${MONTH}`), monthSpans),
    relative(russian(`(?:(?:в|на|за)\\s+)?${STEP}\\s+(?<unit>недел[юеи]|месяц[а-я]?|год[ау]?)`), (groups, wall) => [
      unitAt(unitOf(groups), wall, stepOf(groups)),
    ]),
    relative(russian(`${STEP}\\s+(?<season>${oneOf(SEASONS)})`), (groups, wall) => [
      seasonAt(SEASONS[groups.season ?? ''] ?? 'summer', wall, stepOf(groups)),
    ]),
    absolute(russian(`(?<season>${oneOf(SEASONS)})${OF_YEAR}`), (groups, wall) => {
      const year = yearIn(groups, wall);
      return year === undefined ? undefined : [seasonOf(SEASONS[groups.season ?? ''] ?? 'summer', year)];
    }),
    absolute(russian('(?:в\\s+)?(?<year>[12]\\d{3})(?:-?(?:м|ом|го))?\\s*(?:году|года|год|г\\.)'), ({ year }) =>
      isYear(Number(year)) ? [yearOf(Number(year))] : undefined,
    ),
    relative(russian('(?<day>\\d{1,2})(?:(?:-?го)?\\s+числа|-?го(?=\\s*(?:$|[^а-я\\s])))'), ({ day }, wall) =>
      withoutMonth(wall, Number(day)),
    ),
    relative(russian(`(?:в|во|с|со|до|на|к|после)\\s+${WEEKDAY}`), ({ weekday = '' }, wall) =>
      weekdaysAround(numberIn(WEEKDAYS, weekday), wall),
    ),
  ],
};

function numberIn(table: readonly [RegExp, number][], word: string): number {
  return table.find(([beginning]) => beginning.test(word))?.[1] ?? 1;
}

function countOf({ count }: Groups): number {
  return count === undefined ? 1 : (NUMBERS[count] ?? Number(count));
}

function unitOf({ unit = '' }: Groups): Unit {
  if (unit.startsWith('недел')) return 'week';
  if (unit.startsWith('месяц')) return 'month';
  return unit.startsWith('д') ? 'day' : 'year';
}

function stepOf({ step = '' }: Groups): number {
  if (step === 'позапрошл') return -2;
  if (/^(?:прошл|предыдущ|минувш)/u.test(step)) return -1;
  return /^(?:следующ|будущ|ближайш)/u.test(step) ? 1 : 0;
}

function weekdaySpans(groups: Groups, wall: number): readonly TimeSpan[] {
  const day = numberIn(WEEKDAYS, groups.weekday ?? '');
  const step = stepOf(groups);
  if (step === 0) return [weekdayAt(day, wall)];
  const [last, next] = weekdaysAround(day, wall) as [TimeSpan, TimeSpan];
  if (step > 0) return [next];
  const past = last.from === dayAt(wall).from ? dayAt(last.from, -7) : last;
  return [step === -1 ? past : dayAt(past.from, -7)];
}

function yearIn({ year, step }: Groups, wall: number): number | undefined {
  if (year !== undefined) return isYear(Number(year)) ? Number(year) : undefined;
  return step === undefined ? undefined : new Date(yearAt(wall, stepOf({ step })).from).getUTCFullYear();
}

function dateSpans(groups: Groups, wall: number): readonly TimeSpan[] | undefined {
  const month = numberIn(MONTHS, groups.month ?? '');
  const day = Number(groups.day);
  const year = yearIn(groups, wall);
  if (year !== undefined) return only(dateOf(year, month, day));
  const spans = withoutYear(wall, (each) => dateOf(each, month, day));
  return spans.length > 0 ? spans : undefined;
}

function monthSpans(groups: Groups, wall: number): readonly TimeSpan[] {
  const month = numberIn(MONTHS, groups.month ?? '');
  const year = yearIn(groups, wall);
  return year === undefined ? withoutYear(wall, (each) => monthOf(each, month)) : [monthOf(year, month)];
}
