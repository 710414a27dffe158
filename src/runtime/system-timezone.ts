import { CodedError } from '../vocabulary/coded-error.ts';

/** The system's timezone. An unknown one in TZ would make every local time wrong without a word: it is refused. */
export function systemTimezone({ TZ }: Readonly<Record<string, string | undefined>>): string {
  // The declared type leaves out that an unknown TZ gives nothing.
  const found = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  if (found !== undefined && found !== 'Etc/Unknown') return found;
  throw new CodedError(
    'BAD_TIMEZONE',
    `TZ is "${TZ ?? ''}", an unknown timezone: set it to a name such as Europe/Berlin, or unset it`,
  );
}
