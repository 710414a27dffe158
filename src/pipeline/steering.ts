// Steering: a person writes to a turn while it runs. The calls that are running end, the other calls of the round are not made, and what was
// written joins the turn as a user's message before the next model request. A turn that makes no further request takes nothing more.

export interface SteeringMessage {
  id: string;
  text: string;
}

export interface Steering {
  /** Something waits to join the turn. */
  readonly isWaiting: boolean;
  /** Removes what waits and returns it, oldest first. */
  take(): SteeringMessage[];
}
