import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import { ToolFailure, type ToolSpec } from '../tool.ts';

export function createCurrentTimeTool({ systemTimezone }: { systemTimezone(): string }): ToolSpec {
  return defineTool({
    name: 'current_time',
    schema: {
      type: 'object',
      properties: { timezone: { type: 'string', minLength: 1, maxLength: 64 } },
      additionalProperties: false,
    },
    effect: 'read',
    subject: noSubject,
    timeoutMs: 1_000,
    async execute({ timezone = known(systemTimezone) }, { now }) {
      return { data: localTime(now(), timezone) };
    },
  });
}

function known(systemTimezone: () => string): string {
  try {
    return systemTimezone();
  } catch (error) {
    throw new ToolFailure((error as Error).message, { cause: error });
  }
}

function localTime(timestamp: number, timezone: string): Record<string, string> {
  const parts = new Map(
    formatterFor(timezone)
      .formatToParts(timestamp)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}:${part('second')}`,
    timezone,
    // "GMT" alone is an offset of zero.
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
