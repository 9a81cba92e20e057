import { PatientTimer } from '@model-gateway/service-kit';
import { GatewayError } from '@model-gateway/shared';
import { memoryLimitBytes } from '../memory/memory-limit.ts';

/** The longest answer that is read whole; of a longer one nobody knows an example. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Up to this size an answer may use the room that is kept from larger ones: nearly all are smaller. */
const SMALL_BYTES = 64 * 1024;
/** Of what this process may take in all: as much as request bodies may. */
const PART_OF_MEMORY = 3 / 16;
/** Of the budget, kept for small answers. */
const RESERVE = 1 / 8;
const ACCOUNT_SHARE = 1 / 2;
const KEY_SHARE = 1 / 4;
/** Below this the longest answer would never have room. */
const MIN_BUDGET_BYTES = MAX_ANSWER_BYTES / (1 - RESERVE);
/** How long a provider is held back until there is room. */
const MAX_WAIT_MS = 10_000;

/** Whose answer it is. */
export interface AnswerOwner {
  keyId: string;
  accountId: string;
}

/**
 * Bounds what all answers that are read whole take together in this process, from their first byte until the client
 * has read them. Whoever finds no room holds its provider back, and is refused when that takes too long. A key and an
 * account have only a share of it, and small answers a part that large ones cannot take.
 */
export class AnswerBudget {
  readonly #maxBytes: number;
  readonly #maxWaitMs: number;
  readonly #used = { all: 0, keys: new Map<string, number>(), accounts: new Map<string, number>() };
  /** Those with at least a byte. */
  readonly #holders = new Set<AnswerRoom>();
  /** In the order in which they came. */
  readonly #waiting = new Map<AnswerRoom, Waiting>();

  /** @param maxBytes of all answers at one time; by default a part of what this process may take */
  constructor(
    maxBytes: number = Math.max(MIN_BUDGET_BYTES, Math.floor(memoryLimitBytes() * PART_OF_MEMORY)),
    maxWaitMs: number = MAX_WAIT_MS,
  ) {
    this.#maxBytes = maxBytes;
    this.#maxWaitMs = maxWaitMs;
  }

  get usedBytes(): number {
    return this.#used.all;
  }

  /** How many answers, keys and accounts are remembered at the moment. */
  get entries(): number {
    return this.#holders.size + this.#waiting.size + this.#used.keys.size + this.#used.accounts.size;
  }

  /** Room for one answer; it has none yet. */
  open(owner: AnswerOwner): AnswerRoom {
    return new AnswerRoom(this, owner);
  }

  /** @returns false when there is no room now, and nothing was taken */
  take(room: AnswerRoom, bytes: number): boolean {
    if (!this.#fits(room, bytes)) return false;
    this.#count(room, bytes);
    return true;
  }

  /** Takes the room as soon as there is some. @param onRoom told so, or that the wait is over without */
  wait(room: AnswerRoom, bytes: number, onRoom: (refusal?: GatewayError) => void): void {
    const timer = new PatientTimer(this.#maxWaitMs, () => this.#refuse(room));
    this.#waiting.set(room, { bytes, onRoom, timer });
    this.#endStandstill();
  }

  giveBack(room: AnswerRoom, bytes: number): void {
    this.#count(room, -bytes);
    this.#serveWaiting();
  }

  /** Nothing is wanted any more. */
  leave(room: AnswerRoom): void {
    this.#waiting.get(room)?.timer.clear();
    this.#waiting.delete(room);
    if (room.bytes > 0) this.giveBack(room, room.bytes);
    else this.#endStandstill();
  }

  #fits(room: AnswerRoom, bytes: number): boolean {
    const { all, keys, accounts } = this.#used;
    const after = room.bytes + bytes;
    if (after <= SMALL_BYTES) return all + bytes <= this.#maxBytes;
    const largeBytes = this.#maxBytes * (1 - RESERVE);
    if (all + bytes > largeBytes) return false;
    const { keyId, accountId } = room.owner;
    // The longest answer must fit into a share, whatever the size of the process.
    const shareOf = (share: number) => Math.max(share * largeBytes, MAX_ANSWER_BYTES);
    return (
      (keys.get(keyId) ?? 0) + bytes <= shareOf(KEY_SHARE) &&
      (accounts.get(accountId) ?? 0) + bytes <= shareOf(ACCOUNT_SHARE)
    );
  }

  #count(room: AnswerRoom, bytes: number): void {
    room.bytes += bytes;
    this.#used.all += bytes;
    if (room.bytes > 0) this.#holders.add(room);
    else this.#holders.delete(room);
    add(this.#used.keys, room.owner.keyId, bytes);
    add(this.#used.accounts, room.owner.accountId, bytes);
  }

  #serveWaiting(): void {
    for (const [room, { bytes, onRoom, timer }] of this.#waiting) {
      if (!this.#fits(room, bytes)) continue;
      timer.clear();
      this.#waiting.delete(room);
      this.#count(room, bytes);
      onRoom();
    }
    this.#endStandstill();
  }

  /** Where everybody that has room waits for more, nobody will give any back: the last that came gives up at once. */
  #endStandstill(): void {
    const stuck = [...this.#waiting.keys()].filter(({ bytes }) => bytes > 0);
    const last = stuck.at(-1);
    if (last !== undefined && stuck.length === this.#holders.size) this.#refuse(last);
  }

  #refuse(room: AnswerRoom): void {
    const waiting = this.#waiting.get(room);
    if (waiting === undefined) return;
    waiting.timer.clear();
    this.#waiting.delete(room);
    waiting.onRoom(overloaded());
  }
}

interface Waiting {
  bytes: number;
  onRoom: (refusal?: GatewayError) => void;
  timer: PatientTimer;
}

/** What one answer has of the budget. */
export class AnswerRoom {
  readonly owner: AnswerOwner;
  /** Counted by the budget. */
  bytes = 0;
  readonly #budget: AnswerBudget;

  constructor(budget: AnswerBudget, owner: AnswerOwner) {
    this.#budget = budget;
    this.owner = owner;
  }

  /** @returns false when there is no room now, and nothing was taken */
  take(bytes: number): boolean {
    return this.#budget.take(this, bytes);
  }

  /** Takes the room as soon as there is some. @param onRoom is not told when the room is closed before */
  wait(bytes: number, onRoom: (refusal?: GatewayError) => void): void {
    this.#budget.wait(this, bytes, onRoom);
  }

  giveBack(bytes: number): void {
    this.#budget.giveBack(this, Math.min(bytes, this.bytes));
  }

  /** Gives everything back; may be called again. */
  close(): void {
    this.#budget.leave(this);
  }
}

function add(counts: Map<string, number>, id: string, bytes: number): void {
  const after = (counts.get(id) ?? 0) + bytes;
  if (after === 0) counts.delete(id);
  else counts.set(id, after);
}

function overloaded(): GatewayError {
  return new GatewayError(
    'overloaded',
    'The gateway holds too many large answers at the moment. Nothing was charged; retry in a second.',
  );
}
