// Which of the waiting chats gets the next free place. First, the bot with the fewest running turns. Within it, starts come in
// rounds of four:
//
//   1, 2   the owner's chats before others; then the person with the fewest running turns; then the person whose last turn began
//          the longest ago, so that a person with many chats has one turn for each turn of the others
//   3      the newest chat of a person who had no turn since the longest wait began: a newcomer does not queue behind a backlog
//   4      the chat that waits the longest: the chat at place n waits for at most 4 × n starts, whoever else arrives

const ROUND = 4;
const NEWCOMER_START = 2;
const OLDEST_START = 3;
/** Forgetting the person whose last turn began first changes little: a person without a turn comes first anyway. */
const REMEMBERED_PEOPLE = 10_000;

export interface WaitingChat {
  bot: string;
  /** Another name than any bot or person of another bot has. */
  person: string;
  isOwner: boolean;
  /** `starts` of the order when the chat began to wait. */
  waitsSince: number;
}

export interface FairOrder {
  /** How many turns have begun. */
  readonly starts: number;
  /** As `nextInOrder`, with what this order has counted. */
  next(waiting: readonly WaitingChat[]): number;
  /** A turn of this chat begins. */
  start(chat: WaitingChat): void;
  /** The chat takes a place, or gives it back. */
  count(chat: WaitingChat, by: 1 | -1): void;
}

/** What the order depends on besides the chats that wait. */
export interface OrderState {
  /** How many turns have begun: the place in the round of four. */
  starts: number;
  /** How many places a bot or a person takes now. */
  placesOf(name: string): number;
  /** When the person's last turn began, on the clock of `waitsSince`; 0 when none did. */
  lastStartOf(person: string): number;
}

/** The index of the chat whose turn begins next. `waiting` is not empty and ordered by `waitsSince`. */
export function nextInOrder(waiting: readonly WaitingChat[], { starts, placesOf, lastStartOf }: OrderState): number {
  const fewest = Math.min(...new Set(waiting.map(({ bot }) => bot)).values().map(placesOf));
  const isEligible = ({ bot }: WaitingChat): boolean => placesOf(bot) === fewest;
  const oldest = waiting.findIndex(isEligible);
  const longestWait = waiting[oldest]?.waitsSince ?? 0;
  if (starts % ROUND === OLDEST_START) return oldest;
  if (starts % ROUND === NEWCOMER_START) {
    const newcomer = waiting.findLastIndex((chat) => isEligible(chat) && lastStartOf(chat.person) <= longestWait);
    if (newcomer >= 0) return newcomer;
  }
  const isBefore = (a: WaitingChat, b: WaitingChat): boolean => {
    if (a.isOwner !== b.isOwner) return a.isOwner;
    const byPlaces = placesOf(a.person) - placesOf(b.person);
    return byPlaces !== 0 ? byPlaces < 0 : lastStartOf(a.person) < lastStartOf(b.person);
  };
  let chosen = oldest;
  waiting.forEach((chat, index) => {
    if (isEligible(chat) && isBefore(chat, waiting[chosen] as WaitingChat)) chosen = index;
  });
  return chosen;
}

export function createFairOrder(): FairOrder {
  const places = new Map<string, number>();
  const lastStarts = new Map<string, number>();
  let starts = 0;

  const placesOf = (name: string): number => places.get(name) ?? 0;
  const lastStartOf = (person: string): number => lastStarts.get(person) ?? 0;

  function addPlaces(name: string, by: number): void {
    const left = placesOf(name) + by;
    if (left === 0) places.delete(name);
    else places.set(name, left);
  }

  return {
    get starts() {
      return starts;
    },
    next: (waiting) => nextInOrder(waiting, { starts, placesOf, lastStartOf }),
    start({ person }) {
      starts += 1;
      lastStarts.delete(person);
      lastStarts.set(person, starts);
      for (const first of lastStarts.keys()) {
        if (lastStarts.size <= REMEMBERED_PEOPLE) break;
        lastStarts.delete(first);
      }
    },
    count(chat, by) {
      addPlaces(chat.bot, by);
      addPlaces(chat.person, by);
    },
  };
}
