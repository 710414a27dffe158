// What the audit log says of decisions, and what its check finds, in the languages of the console; the log has the English. Loaded with the
// page of the audit log.
import type { Language } from '../../../../src/config/settings.ts';
import type { ReasonCode } from '../../../../src/vocabulary/reasons.ts';
import type { Output } from '../../api/operations.ts';
import { filled } from '../filled.ts';

export interface AuditTexts {
  reasons: Readonly<Record<ReasonCode, string>>;
  problems: Readonly<Record<Output<'audit.verify'>['problems'][number]['problem'], string>>;
}

const LOAD: Record<Exclude<Language, 'en'>, () => Promise<AuditTexts>> = {
  zh: async () => (await import('./audit-zh.ts')).zh,
  ru: async () => (await import('./audit-ru.ts')).ru,
};

/** Undefined for English: the log says it. */
export async function auditTexts(language: Language): Promise<AuditTexts | undefined> {
  return language === 'en' ? undefined : LOAD[language]();
}

type Reasons = Output<'audit.show'>['lines'][number]['reasons'];

/** Undefined where the log is to be shown as it is. */
export function reasonsText(reasons: Reasons, texts: AuditTexts | undefined): string | undefined {
  if (!reasons || !texts) return undefined;
  return reasons
    .map((reason, index) => {
      const isLast = index === reasons.length - 1;
      if ('text' in reason) return isLast ? reason.text : `${reason.text}; `;
      const text = texts.reasons[reason.code as ReasonCode] ?? reason.code;
      return `${filled(text, reason.values)}${isLast ? '' : reason.leads ? ': ' : '; '}`;
    })
    .join('');
}
