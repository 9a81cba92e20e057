import type { Socket } from 'node:net';
import type { GatewayError } from '@model-gateway/shared';
import { bodyTooLarge } from '@model-gateway/shared/errors';
import type { WebSocket } from 'ws';
import type { ArrivingBody, MinimumRate } from '../http/minimum-rate.ts';
import { SMALL_BYTES } from '../memory/budget-bounds.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import type { MemoryClaim } from '../memory/memory-claim.ts';
import type { MemoryOwner } from '../memory/shared-memory.ts';

/** Bytes in front of the payload of a client's ping or pong. */
const CONTROL_HEAD_BYTES = 6;
/** How much longer than its message a message may be with the heads of its fragments. */
const MAX_OVERHEAD = 2;

export interface ArrivingOptions {
  owner: MemoryOwner;
  budget: MemoryBudget;
  minimumRate: MinimumRate;
  /** Claimed for a large message, whose size is unknown until it has arrived. */
  maxBytes: number;
  /** Called once, when a message cannot be received: there is no memory, or it is too slow or too long. */
  onRefused(reason: GatewayError): void;
}

/**
 * Claims memory for large messages while they arrive, as `readBody` does for bodies, because the WebSocket
 * collects a whole message before it reports one.
 */
export class ArrivingMessage implements ArrivingBody {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #options: ArrivingOptions;
  #claim: MemoryClaim | undefined;
  #isHeldBack = false;
  #stopWatching: (() => void) | undefined;
  /**
   * The bytes of the connection since the last message, with the pings and pongs between its fragments: a
   * fragment keeps the whole chunk in memory in which it arrived.
   */
  size = 0;
  #controlBytes = 0;

  /** @param socket of the WebSocket, from which nothing has been read yet */
  constructor(ws: WebSocket, socket: Socket, options: ArrivingOptions) {
    this.#ws = ws;
    this.#socket = socket;
    this.#options = options;
    // Before the WebSocket's own listener, which may find the end of a message in the chunk.
    socket.prependListener('data', this.#onData);
  }

  isHeldBack(): boolean {
    return this.#isHeldBack;
  }

  /** Reads nothing more, because what arrives now would take memory without a claim. */
  giveUp(reason: GatewayError): void {
    this.#ws.pause();
    this.close();
    this.#options.onRefused(reason);
  }

  /** Returns the claim of a message that has arrived. @throws GatewayError 503 if there is no memory */
  arrived(bytes: number): MemoryClaim {
    const claim = this.#claim ?? this.#options.budget.open(this.#options.owner);
    this.#claim = undefined;
    this.#begin();
    claim.giveBackPart(claim.bytes - bytes);
    // A small one, or one of many in a chunk.
    if (claim.bytes > 0 || claim.tryTake(bytes)) return claim;
    claim.giveBack();
    throw this.#options.budget.refusal();
  }

  /** Releases the memory of a message that has arrived and is not served. */
  skip(): void {
    this.#begin();
  }

  /** Leaves out a ping or pong that is not between the fragments of a message. */
  control(payload: Buffer): void {
    this.#controlBytes += payload.length + CONTROL_HEAD_BYTES;
    if (this.#controlBytes >= this.size) this.#begin();
  }

  /** Ends the counting and releases the memory of an incomplete message. */
  close(): void {
    this.#socket.off('data', this.#onData);
    this.#begin();
  }

  #begin(): void {
    this.size = 0;
    this.#controlBytes = 0;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#claim?.giveBack();
    this.#claim = undefined;
  }

  readonly #onData = (chunk: Buffer) => {
    this.size += chunk.length;
    if (this.size <= SMALL_BYTES) return;
    const { budget, maxBytes, minimumRate, owner } = this.#options;
    if (this.size > MAX_OVERHEAD * maxBytes) return this.giveUp(bodyTooLarge(maxBytes));
    if (this.#claim !== undefined) return;
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
      if (this.#claim === claim) this.giveUp(this.#options.budget.refusal());
      else goOn();
    });
  }
}
