/** How much of a message something takes, or may take. */
export interface Room {
  /** UTF-16 code units of the rendered text. */
  units: number;
  entities: number;
}

/** Telegram's limits for one message. */
export const LIMIT: Room = { units: 4096, entities: 100 };
