/** The sets of languages that a model is recommended for. */
export const MODEL_LANGUAGES = ['en', 'zh', 'ru', 'multilingual'] as const;
export type ModelLanguage = (typeof MODEL_LANGUAGES)[number];
