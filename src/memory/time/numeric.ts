// Dates in figures, the same in every language: 2026-03-04, 2026/3/4, 2026.03.04, 4.3.2026, and 3/4/2026, which is read both ways.
import { dateOf, isYear, monthOf, type TimeSpan } from './calendar.ts';
import { absolute, only, type TimeLanguage } from './rule.ts';

export const NUMERIC: TimeLanguage = {
  hint: /\d{4}[-./]\d|\d[./]\d{1,2}[./]\d{4}/gu,
  since: /\b(?:since|after|from)\s+$|(?<![а-я])(?:с|после)\s+$|[自从]$/iu,
  until: /\b(?:before|until|till)\s+$|(?<![а-я])до\s+$|直到$/iu,
  sinceBehind: /^(?:以来|以后|之后|起)/u,
  untilBehind: /^(?:以前|之前)/u,
  rules: [
    absolute(
      /(?<![\d.])(?<year>[12]\d{3})(?<by>[-./])(?<month>\d{1,2})\k<by>(?<day>\d{1,2})(?![\d])/giu,
      ({ year, month, day }) => only(dateOf(Number(year), Number(month), Number(day))),
    ),
    absolute(/(?<![\d.])(?<year>[12]\d{3})-(?<month>\d{2})(?![\d-])/giu, ({ year, month }) =>
      isYear(Number(year)) && Number(month) >= 1 && Number(month) <= 12
        ? [monthOf(Number(year), Number(month))]
        : undefined,
    ),
    absolute(/(?<![\d.])(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>[12]\d{3})(?!\d)/giu, ({ year, month, day }) =>
      only(dateOf(Number(year), Number(month), Number(day))),
    ),
    absolute(/(?<![\d/])(?<one>\d{1,2})\/(?<two>\d{1,2})\/(?<year>[12]\d{3})(?![\d/])/giu, ({ one, two, year }) => {
      const both = [dateOf(Number(year), Number(one), Number(two)), dateOf(Number(year), Number(two), Number(one))];
      const spans = both.filter((span): span is TimeSpan => span !== undefined);
      if (spans.length === 0) return undefined;
      return spans[0]?.from === spans[1]?.from ? spans.slice(0, 1) : spans;
    }),
  ],
};
