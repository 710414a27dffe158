import { type ToolArgs, ToolFailure, type ToolSpec } from '../tool.ts';

export function createCurrentTimeTool({ systemTimezone }: { systemTimezone(): string }): ToolSpec {
  return {
    name: 'current_time',
    inputSchema: {
      type: 'object',
      properties: { timezone: { type: 'string', minLength: 1, maxLength: 64 } },
      additionalProperties: false,
    },
    effect: 'read',
    requiresPermission: false,
    timeoutMs: 1_000,
    async execute(args, { now }) {
      return { data: localTime(now(), timezoneOf(args) ?? systemTimezone()) };
    },
  };
}

function timezoneOf({ timezone }: ToolArgs): string | undefined {
  return timezone as string | undefined;
}

function localTime(timestamp: number, timezone: string): Record<string, string> {
  const parts = new Map(
    formatterFor(timezone)
      .formatToParts(timestamp)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: string): string => parts.get(type as Intl.DateTimeFormatPartTypes) ?? '';
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}:${part('second')}`,
    timezone,
    // "GMT" alone stands for an offset of zero.
    utcOffset: part('timeZoneName').replace('GMT', '') || '+00:00',
    weekday: part('weekday'),
  };
}

function formatterFor(timezone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      weekday: 'long',
      timeZoneName: 'longOffset',
    });
  } catch (error) {
    throw new ToolFailure(`Unknown timezone "${timezone}": use an IANA name such as Europe/Berlin or Asia/Shanghai`, {
      code: 'invalid_args',
      cause: error,
    });
  }
}
