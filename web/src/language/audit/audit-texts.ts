// What questions and the audit log say of decisions, and what the check of the log finds, in the languages of the console; the gateway
// says the English. Loaded with the first question, or with the page of the audit log.
import { signal } from '@preact/signals';
import type { Language } from '../../../../src/config/settings.ts';
import type { TitleCode } from '../../../../src/tools/permissions/question-titles.ts';
import type { ReasonCode } from '../../../../src/vocabulary/reasons.ts';
import type { Output } from '../../api/operations.ts';
import { filled } from '../filled.ts';

export interface AuditTexts {
  /** Of questions. */
  titles: Readonly<Record<TitleCode, string>>;
  reasons: Readonly<Record<ReasonCode, string>>;
  problems: Readonly<Record<Output<'audit.verify'>['problems'][number]['problem'], string>>;
}

const LOAD: Record<Exclude<Language, 'en'>, () => Promise<AuditTexts>> = {
  zh: async () => (await import('./audit-zh.ts')).zh,
  ru: async () => (await import('./audit-ru.ts')).ru,
};

const loaded = signal<Partial<Record<Language, AuditTexts>>>({});

/** Undefined for English: the gateway says it. */
export async function auditTexts(language: Language): Promise<AuditTexts | undefined> {
  if (language === 'en') return undefined;
  const texts = loaded.value[language] ?? (await LOAD[language]());
  loaded.value = { ...loaded.value, [language]: texts };
  return texts;
}

/** Undefined also until they are loaded. */
export function loadedAuditTexts(language: Language): AuditTexts | undefined {
  return loaded.value[language];
}

type Permission = NonNullable<Output<'turns.questions'>[number]['permission']>;

/** What follows the first sentence stands in place of its question mark. */
export function titleText({ title, titleParts }: Permission, texts: AuditTexts | undefined): string {
  const parts = titleParts.map(({ code, values }) => filled(texts?.titles[code as TitleCode] ?? '', values));
  return parts.length === 0 || parts.includes('')
    ? title
    : parts.reduce((before, part) => before.replace(/[?？]$/, () => part));
}

type Reasons = Output<'audit.show'>['lines'][number]['reasons'];

/** Undefined where what the gateway says is to be shown as it is. */
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
