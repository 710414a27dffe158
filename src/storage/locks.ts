// The contract of locks. A lock is held by one holder at a time, over all processes. An implementation whose locks are
// leases (a database) can lose one; `lost` informs the holder, and the fencing token keeps a holder that has not noticed yet
// from writing.

/**
 * Proof that a lock is held, passed with every write under it. A store refuses the write with STORAGE_LOCK_LOST when the
 * lock was acquired again since, in the same step as the write where it can.
 */
export interface Fence {
  readonly name: string;
  /** Grows with each acquisition of this name. */
  readonly token: number;
}

export interface Lock extends Fence {
  /**
   * Fires, with a StorageError as its reason, when the lock can no longer be relied on: at the latest when a write
   * under it is refused, or when its storage is closed. Never fires after `release`.
   */
  readonly lost: AbortSignal;
  /** Resolves when others can acquire the lock. Does nothing when it was released or lost before. */
  release(): Promise<void>;
}

export interface LockOptions {
  /** The lock is held for hours: waiting for it must cost the storage little, and its release is signalled. The same for every caller of a name. */
  isLasting?: boolean;
}

export interface Locks {
  /**
   * Waits until the name is free, in this process and in every other. The lock of a holder that dies becomes free.
   * `onWait` is called once when another holder has it. Rejects when the signal fires.
   */
  acquire(name: string, options?: AcquireOptions): Promise<Lock>;
  /** Resolves to undefined, without waiting, when another holder has it or is acquiring it. */
  tryAcquire(name: string, options?: LockOptions): Promise<Lock | undefined>;
  /**
   * Whether the lock is held under this fence, as the storage says now, and cannot end before so many milliseconds. A process that was frozen asks before
   * an effect that no fence protects.
   */
  holds(fence: Fence, forMs?: number): Promise<boolean>;
  /**
   * True only where this process knows without asking the storage that the lock is held under this fence, and was without a break since that moment (of
   * `performance.now()`; now by default). False: ask.
   */
  isHeldSince(fence: Fence, since?: number): boolean;
}

export interface AcquireOptions extends LockOptions {
  signal?: AbortSignal;
  onWait?: () => void;
  /**
   * Does not wait for the disk. For a lock whose holder does nothing but write to this storage before its first durable write: a crash of the storage that
   * takes the acquisition back takes these writes back too, and refuses the later ones.
   */
  soon?: boolean;
}

/** Asks the storage only where this process does not know. */
export async function isStillHeld(
  locks: Pick<Locks, 'holds' | 'isHeldSince'>,
  fence: Fence,
  forMs?: number,
): Promise<boolean> {
  return locks.isHeldSince(fence) || locks.holds(fence, forMs);
}
