/** Who we are on Telegram. */
export interface Bot {
  id: number;
  username: string;
}
