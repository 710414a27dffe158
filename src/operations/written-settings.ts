// Settings of the gateway as a person or a program writes them: checked against the table, every problem reported at once.
import { acceptedBy, shown } from '../gateway/settings/gateway-file.ts';
import type { Setting } from '../gateway/settings/settings.ts';
import { nearest } from '../lib/nearest.ts';
import { CodedError } from '../vocabulary/coded-error.ts';

/** Settings by name: as on a command line, or as in gateway.json. */
export const ANY_SETTINGS = { type: 'object' } as const;

/** `where`: what the error says about a setting that is not in the table. Throws SETTING_REFUSED; secrets are in no message. */
export function parsedSettings(
  given: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, Setting>>,
  where: (key: string) => string | undefined = () => undefined,
): Record<string, unknown> {
  const problems: string[] = [];
  const parsed = Object.entries(given).map(([key, written]) => {
    const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
    if (!setting) {
      problems.push(where(key) ?? unknownSetting(key, Object.keys(settings)));
      return [key, undefined];
    }
    if (written === '' || written === null) return [key, undefined];
    const value = typeof written === 'string' ? setting.kind.parse(written) : written;
    if (!setting.kind.isAccepted(value)) problems.push(`${key} is ${shown(value, setting)}; ${acceptedBy(setting)}`);
    return [key, value];
  });
  if (problems.length > 0) throw refused(problems.join('; '));
  return Object.fromEntries(parsed);
}

export function refused(message: string): CodedError {
  return new CodedError('SETTING_REFUSED', message);
}

function unknownSetting(key: string, known: readonly string[]): string {
  const close = nearest(key, known);
  return `"${key.slice(0, 60)}" is not a setting${close ? ` (did you mean ${close}?)` : `; accepted: ${known.join(', ')}`}`;
}
