// How full a model's context window is, as `/context` and the chat's meter say it.

export interface ContextReport {
  model?: string;
  /** Absent when nobody knows it. */
  windowTokens?: number;
  /** The most that the history may take. */
  budgetTokens: number;
  /** About the tokens of each part; the date is with the system. */
  system: number;
  instructions: number;
  tools: number;
  memory: number;
  /** What was recalled for the last question; the next one recalls something else, about as much. */
  recalled: number;
  summary: number;
  history: number;
  /** In the history as they were, and how many tools are offered. */
  messageCount: number;
  toolCount: number;
}

export interface ContextSize {
  /** About. */
  tokens: number;
  /** Absent when nobody knows it. */
  window?: number;
}

/** Of the next request, without its question. */
export function sizeOfReport(report: ContextReport): ContextSize {
  const { system, instructions, tools, memory, recalled, summary, history, windowTokens } = report;
  const tokens = system + instructions + tools + memory + recalled + summary + history;
  return { tokens, ...(windowTokens !== undefined && { window: windowTokens }) };
}

/** Whole percents, `<1` below; undefined where the window is unknown. */
export function percentFull({ tokens, window }: ContextSize): string | undefined {
  if (window === undefined) return undefined;
  const percent = Math.round((100 * tokens) / window);
  return percent === 0 && tokens > 0 ? '<1' : String(percent);
}
