// English words for time. A bare month needs a preposition or a date beside it ("may" and "march" are other words too), and
// weekdays are written out ("sat", "sun").
import {
  dateOf,
  dayAt,
  dayOfMonth,
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
  weekAt,
  weekdayAt,
  weekdaysAround,
  weekendAt,
  withoutMonth,
  withoutYear,
  yearAt,
  yearOf,
} from './calendar.ts';
import { CHRISTMAS, fixed, type Holiday, holidaySpans, NEW_YEAR, SPRING_FESTIVAL } from './holidays.ts';
import { absolute, type Groups, oneOf, only, relative, type TimeLanguage } from './rule.ts';

const MONTHS: Record<string, number> = {
  january: 1,
  jan: 1,
  february: 2,
  feb: 2,
  march: 3,
  mar: 3,
  april: 4,
  apr: 4,
  may: 5,
  june: 6,
  jun: 6,
  july: 7,
  jul: 7,
  august: 8,
  aug: 8,
  september: 9,
  sept: 9,
  sep: 9,
  october: 10,
  oct: 10,
  november: 11,
  nov: 11,
  december: 12,
  dec: 12,
};
const WEEKDAYS: Record<string, number> = {
  monday: 1,
  tuesday: 2,
  wednesday: 3,
  thursday: 4,
  friday: 5,
  saturday: 6,
  sunday: 7,
};
const NUMBERS: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  'a couple of': 2,
  two: 2,
  'a few': 3,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
};
const SEASONS: Record<string, Season> = {
  winter: 'winter',
  spring: 'spring',
  summer: 'summer',
  autumn: 'autumn',
  fall: 'autumn',
};
const HOLIDAYS: Record<string, Holiday> = {
  christmas: CHRISTMAS,
  'christmas eve': fixed(12, 24),
  'christmas day': fixed(12, 25),
  'boxing day': fixed(12, 26),
  "new year's eve": fixed(12, 31),
  "new year's day": fixed(1, 1),
  "new year's": NEW_YEAR,
  'chinese new year': SPRING_FESTIVAL,
  'lunar new year': SPRING_FESTIVAL,
  "valentine's day": fixed(2, 14),
  halloween: fixed(10, 31),
};
/** What may follow "on the 10th" where it is a date: "on the 10th floor" is not one. */
const AFTER_DATE =
  '(?=\\s*(?:$|[^\\w\\s]|(?:I|we|you|he|she|they|it|did|do|was|were|is|about|and|or|to|at|with|for|when)\\b))';
const STEPS: Record<string, number> = { last: -1, previous: -1, past: -1, this: 0, next: 1, coming: 1 };
const DAYS: Record<string, number> = {
  'day before yesterday': -2,
  yesterday: -1,
  'last night': -1,
  today: 0,
  tonight: 0,
  'this morning': 0,
  'this afternoon': 0,
  'this evening': 0,
  tomorrow: 1,
  'day after tomorrow': 2,
};

const NUMBER = `(?<count>\\d{1,3}|${oneOf(NUMBERS)})`;
const UNIT = '(?<unit>day|week|month|year)s?';
const MONTH = `(?<month>${oneOf(MONTHS)})\\b\\.?`;
const DATE = '(?<day>\\d{1,2})(?:st|nd|rd|th)?';
const DATE_OF_MONTH = '(?<day>\\d{1,2})(?:st|nd|rd|th)';
const YEAR = '(?<year>[12]\\d{3})';
const STEP = `(?<step>${oneOf(STEPS)})`;
const OF_YEAR = `(?:,?\\s+(?:of\\s+)?(?:${YEAR}|${STEP}\\s+year))`;
const english = (pattern: string): RegExp => new RegExp(`\\b${pattern}\\b`, 'giu');

export const ENGLISH: TimeLanguage = {
  hint: /\b(?:christmas|boxing day|new year|valentine|halloween|the \d{1,2}(?:st|nd|rd|th)|today|tonight|yesterday|tomorrow|ago|this (?:morning|afternoon|evening)|last night|before last|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:last|previous|past|this|next|coming|in)\s+(?:\w+\s+){0,3}?(?:weeks?|months?|years?|days?|winter|spring|summer|autumn|fall)|(?:winter|spring|summer|autumn|fall)\s+(?:of\s+)?[12]\d{3}|(?:in|during|of|since|until|till|before|after|from|by|year)\s+[12]\d{3}|(?:\d{1,2}(?:st|nd|rd|th)?(?: of)?|in|of|since|until|till|by|during|before|after|from|early|late|mid|last|this|next)[\s-]+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?\s+(?:\d|the \d|of|last|this|next))/giu,
  since: /\b(?:since|after|from)\s+(?:the\s+)?$/iu,
  until: /\b(?:before|until|till)\s+(?:the\s+)?$/iu,
  rules: [
    absolute(english(`${DATE}\\s+(?:of\\s+)?${MONTH}${OF_YEAR}?`), dateSpans),
    absolute(english(`${MONTH}\\s+(?:the\\s+)?${DATE}${OF_YEAR}?(?!\\d|:)`), dateSpans),
    absolute(english(`${MONTH}${OF_YEAR}`), monthSpans),
    absolute(english(`(?<season>${oneOf(SEASONS)})${OF_YEAR}`), (groups, wall) => {
      const year = yearIn(groups, wall);
      return year === undefined ? undefined : [seasonOf(SEASONS[groups.season ?? ''] ?? 'summer', year)];
    }),
    absolute(english(`(?:${STEP}\\s+)?(?<holiday>${oneOf(HOLIDAYS)})(?:,?\\s+(?:of\\s+)?${YEAR})?`), (groups, wall) => {
      const { holiday = '', year, step } = groups;
      return holidaySpans(HOLIDAYS[plain(holiday)] ?? CHRISTMAS, wall, {
        ...(year !== undefined && { year: Number(year) }),
        ...(step !== undefined && { step: stepOf(groups) }),
      });
    }),
    relative(english(`the\\s+${DATE_OF_MONTH}\\s+of\\s+${STEP}\\s+month`), (groups, wall) =>
      only(dayOfMonth(monthAt(wall, stepOf(groups)), Number(groups.day))),
    ),
    relative(english(`(?<when>${oneOf(DAYS)})`), ({ when = '' }, wall) => [dayAt(wall, DAYS[plain(when)])]),
    relative(
      english(`(?:(?:the|in|for|over|during|within)\\s+)?(?:last|past|previous)\\s+${NUMBER}\\s+${UNIT}`),
      (groups, wall) => [stretch(unitOf(groups), wall, -countOf(groups))],
    ),
    relative(english(`(?:the\\s+)?next\\s+${NUMBER}\\s+${UNIT}`), (groups, wall) => [
      stretch(unitOf(groups), wall, countOf(groups)),
    ]),
    relative(english('half\\s+a\\s+year\\s+ago'), (_, wall) => [monthAt(wall, -6)]),
    relative(english(`${NUMBER}\\s+${UNIT}\\s+ago`), (groups, wall) => [
      unitAt(unitOf(groups), wall, -countOf(groups)),
    ]),
    relative(english(`in\\s+${NUMBER}\\s+${UNIT}(?!\\s+of\\b)`), (groups, wall) => [
      unitAt(unitOf(groups), wall, countOf(groups)),
    ]),
    relative(english('(?:at|over|on)\\s+the\\s+weekend'), (_, wall) => [weekendAt(wall, -1), weekendAt(wall, 0)]),
    relative(english(`${STEP}\\s+weekend`), (groups, wall) => [weekendAt(wall, stepOf(groups))]),
    relative(english(`(?:the\\s+)?week\\s+before\\s+last`), (_, wall) => [weekAt(wall, -2)]),
    relative(english(`${STEP}\\s+${UNIT.replace('day|', '')}`), (groups, wall) => [
      unitAt(unitOf(groups), wall, stepOf(groups)),
    ]),
    relative(english(`${STEP}\\s+(?<weekday>${oneOf(WEEKDAYS)})`), weekdaySpans),
    // "Wednesdays" and "every Wednesday" are a habit and not a day.
    relative(english(`(?<!\\b(?:every|each)\\s+)(?<weekday>${oneOf(WEEKDAYS)})`), ({ weekday = '' }, wall) =>
      weekdaysAround(WEEKDAYS[weekday] ?? 1, wall),
    ),
    relative(english(`${STEP}\\s+${MONTH}`), ({ step = '', month = '' }, wall) =>
      only(namedMonthAt(MONTHS[month] ?? 0, wall, STEPS[step] ?? 0)),
    ),
    absolute(
      english(`(?:in|of|since|until|till|by|during|before|after|from|early|late|mid)[\\s-]+${MONTH}(?!\\s+I\\b)`),
      monthSpans,
    ),
    relative(
      english(`(?:on|by|since|until|till|before|after|from)\\s+the\\s+${DATE_OF_MONTH}\\b${AFTER_DATE}`),
      (groups, wall) => withoutMonth(wall, Number(groups.day)),
    ),
    relative(english(`${STEP}\\s+(?<season>${oneOf(SEASONS)})`), (groups, wall) => [
      seasonAt(SEASONS[groups.season ?? ''] ?? 'summer', wall, stepOf(groups)),
    ]),
    absolute(english(`(?:in|during|of|since|until|till|before|after|from|by|year)\\s+${YEAR}`), ({ year }) =>
      isYear(Number(year)) ? [yearOf(Number(year))] : undefined,
    ),
  ],
};

function plain(words: string): string {
  return words.replace(/\s+/g, ' ');
}

function countOf({ count = '' }: Groups): number {
  return NUMBERS[plain(count)] ?? Number(count);
}

function stepOf({ step = '' }: Groups): number {
  return STEPS[step] ?? 0;
}

function unitOf({ unit = 'day' }: Groups): Unit {
  return unit as Unit;
}

/** "Last Friday" is the last one before today; "next Friday" the coming one, or that of the next week. */
function weekdaySpans({ step = '', weekday = '' }: Groups, wall: number): TimeSpan[] {
  const day = WEEKDAYS[weekday] ?? 1;
  if (step === 'this') return [weekdayAt(day, wall)];
  const [last, next] = weekdaysAround(day, wall) as [TimeSpan, TimeSpan];
  if (STEPS[step] === 1) {
    const following = weekdayAt(day, wall, 1);
    return following.from === next.from ? [next] : [following, next];
  }
  return last.from === dayAt(wall).from ? [dayAt(last.from, -7)] : [last];
}

function yearIn({ year, step }: Groups, wall: number): number | undefined {
  if (year !== undefined) return isYear(Number(year)) ? Number(year) : undefined;
  return step === undefined ? undefined : new Date(yearAt(wall, STEPS[step]).from).getUTCFullYear();
}

function dateSpans(groups: Groups, wall: number): readonly TimeSpan[] | undefined {
  const month = MONTHS[groups.month ?? ''] ?? 0;
  const day = Number(groups.day);
  const year = yearIn(groups, wall);
  if (year !== undefined) return only(dateOf(year, month, day));
  const spans = withoutYear(wall, (each) => dateOf(each, month, day));
  return spans.length > 0 ? spans : undefined;
}

function monthSpans(groups: Groups, wall: number): readonly TimeSpan[] | undefined {
  const month = MONTHS[groups.month ?? ''] ?? 0;
  const year = yearIn(groups, wall);
  return year === undefined ? withoutYear(wall, (each) => monthOf(each, month)) : [monthOf(year, month)];
}
