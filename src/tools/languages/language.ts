// Tool descriptions live apart from the tools, one file a language: what a person or a model reads about a tool.
import type { Language } from '../../config/settings.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { ToolSpec } from '../tool.ts';
import type { ToolTexts } from './tool-texts.ts';

export interface DescribedTool {
  description: string;
  inputSchema: JsonSchema;
}

/** Loads one language only; the others cost nothing. */
export async function loadToolTexts(language: Language): Promise<ToolTexts> {
  switch (language) {
    case 'en':
      return (await import('./en.ts')).en;
    case 'zh':
      return (await import('./zh.ts')).zh;
    case 'ru':
      return (await import('./ru.ts')).ru;
  }
}

export function describeTool(spec: ToolSpec, texts: ToolTexts): DescribedTool {
  const text = texts[spec.name];
  const properties = Object.entries(spec.inputSchema.properties).map(([name, property]) => {
    const description = text?.parameters?.[name];
    return [name, description ? { ...property, description } : property] as const;
  });
  return {
    description: text?.description ?? spec.description ?? spec.name,
    inputSchema: { ...spec.inputSchema, properties: Object.fromEntries(properties) },
  };
}
