// Ids of messages as the gateway knows them: `<chat>:<message>`, because Telegram numbers messages within a chat.

export function messageIdOf(chatId: number | string, messageId: number): string {
  return `${chatId}:${messageId}`;
}

/** The number within its chat; undefined for anything else, such as the press of a button. */
export function numberOf(id: string): number | undefined {
  const [, digits] = /^(?:-?\d+:)?(\d+)$/.exec(id) ?? [];
  const number = Number(digits);
  return digits !== undefined && Number.isSafeInteger(number) ? number : undefined;
}
