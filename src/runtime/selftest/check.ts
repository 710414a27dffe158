export interface SelftestCheck {
  name: string;
  state: 'ok' | 'advice' | 'problem';
  message: string;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
