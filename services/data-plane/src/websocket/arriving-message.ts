import type { Socket } from 'node:net';
import type { GatewayError } from '@model-gateway/shared';
import type { WebSocket } from 'ws';
import type { ArrivingBody, MinimumRate } from '../http/minimum-rate.ts';
import { SMALL_BYTES } from '../memory/budget-bounds.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import type { MemoryClaim } from '../memory/memory-claim.ts';
import type { MemoryOwner } from '../memory/shared-memory.ts';

/** Bytes in front of the payload of a client's ping or pong. */
const CONTROL_HEAD_BYTES = 6;

export interface ArrivingOptions {
  owner: MemoryOwner;
  budget: MemoryBudget;
  minimumRate: MinimumRate;
  /** Claimed for a large message, whose size is unknown until it has arrived. */
  maxBytes: number;
  /** Called when a message cannot be received: there is no memory, or it arrives too slowly. */
  onRefused(reason: GatewayError): void;
}

/**
 * Claims memory for large messages while they arrive, as `readBody` does for bodies: they are in memory
 * before anybody sees them.
 */
export class ArrivingMessage implements ArrivingBody {
  readonly #ws: WebSocket;
  readonly #options: ArrivingOptions;
  #claim: MemoryClaim | undefined;
  #isHeldBack = false;
  #stopWatching: (() => void) | undefined;
  /** The bytes of the connection since the last message. */
  size = 0;

  /** @param socket of the WebSocket, from which nothing has been read yet */
  constructor(ws: WebSocket, socket: Socket, options: ArrivingOptions) {
    this.#ws = ws;
    this.#options = options;
    // Before the WebSocket's own listener, which may find the end of a message in the chunk.
    socket.prependListener('data', this.#onData);
  }

  isHeldBack(): boolean {
    return this.#isHeldBack;
  }

  giveUp(reason: GatewayError): void {
    this.close();
    this.#options.onRefused(reason);
  }

  /** Takes over the memory of a message that has arrived. @returns undefined: it is small */
  arrived(bytes: number): MemoryClaim | undefined {
    const claim = this.#claim;
    this.#claim = undefined;
    this.close();
    claim?.giveBackPart(claim.bytes - bytes);
    return claim;
  }

  /** Leaves out a ping or pong, which belongs to no message. */
  control(payload: Buffer): void {
    this.size = Math.max(0, this.size - payload.length - CONTROL_HEAD_BYTES);
  }

  close(): void {
    this.size = 0;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#claim?.giveBack();
    this.#claim = undefined;
  }

  readonly #onData = (chunk: Buffer) => {
    this.size += chunk.length;
    if (this.size <= SMALL_BYTES || this.#claim !== undefined) return;
    const { budget, maxBytes, minimumRate, owner } = this.#options;
    const claim = budget.open(owner);
    this.#claim = claim;
    this.#stopWatching = minimumRate.watch(this);
    if (!claim.tryTake(maxBytes)) this.#holdBack(claim, maxBytes);
  };

  #holdBack(claim: MemoryClaim, bytes: number): void {
    this.#isHeldBack = true;
    this.#ws.pause();
    const goOn = () => {
      this.#isHeldBack = false;
      this.#ws.resume();
    };
    claim.take(bytes).then(goOn, () => {
      goOn();
      if (this.#claim === claim) this.giveUp(this.#options.budget.refusal());
    });
  }
}
