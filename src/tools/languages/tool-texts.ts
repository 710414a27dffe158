/** What a person or a model reads about one tool, in one language. */
export interface ToolText {
  description: string;
  parameters?: Record<string, string>;
}

export type ToolTexts = Record<string, ToolText>;
