import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type GatewayError, newRequestId, toGatewayError } from '@model-gateway/shared';
import {
  binaryFrame,
  type ConnectionEnd,
  connectionEnds,
  tooManyWaitingFrames,
} from '@model-gateway/shared/errors';
import type { WebSocket } from 'ws';
import { type AuthenticatedExchange, ClientGone } from '../http/exchange.ts';
import type { MinimumRate } from '../http/minimum-rate.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import type { MemoryClaim } from '../memory/memory-claim.ts';
import type { MemoryOwner } from '../memory/shared-memory.ts';
import { ArrivingMessage } from './arriving-message.ts';
import { errorFrame } from './error-frame.ts';
import type { ConnectionMemory } from './remembered-responses.ts';
import { type ResponseCreate, readResponseCreate } from './response-create.ts';
import { ResponseTurn } from './response-turn.ts';

/** Clients that do not wait for the end of a response send a few requests ahead; nobody needs more. */
const MAX_WAITING = 16;
/** A client that ignores this many refusals of waiting requests only takes processor time from others. */
const MAX_REFUSED = 100;
/** How long the running response may take to end after the connection was cut. */
const CUT_MS = 200;
const MAX_MISSED_PONGS = 3;
const MAX_UNREAD_ERRORS = 1024 * 1024;

/** Close codes (RFC 6455, section 7.4, and IANA's registry). */
const CLOSE = { normal: 1000, policy: 1008, tooLarge: 1009, restart: 1012, tryLater: 1013 } as const;

export interface ConnectionOptions {
  /** Serves the requests. */
  server: Pick<Server, 'emit'>;
  memory: ConnectionMemory;
  bodyBudget: MemoryBudget;
  minimumRate: MinimumRate;
  maxMessageBytes: number;
  stallMs: number;
  /** Counts an invalid message as a read, under an id of its own. @returns the error to answer with */
  countInvalid(failure: unknown, id: string): Promise<GatewayError>;
}

interface Message {
  data: Buffer;
  isBinary: boolean;
  claim: MemoryClaim;
}

/** One client's connection: runs its requests one after the other, and ends in order. */
export class WebSocketConnection {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #exchange: AuthenticatedExchange;
  readonly #options: ConnectionOptions;
  readonly #arriving: ArrivingMessage;
  readonly #waiting: Message[] = [];
  readonly #closed = Promise.withResolvers<void>();
  #turn: ResponseTurn | undefined;
  #isWorking = false;
  /** Why it ends. Set: no further request is taken. */
  #end: { error: GatewayError; code: number } | undefined;
  #cut: NodeJS.Timeout | undefined;
  #missedPongs = 0;
  /** Requests that were refused because too many wait, since one last began. */
  #refused = 0;
  readonly openedAtMs = performance.now();
  #activeAtMs = performance.now();

  constructor(ws: WebSocket, exchange: AuthenticatedExchange, options: ConnectionOptions) {
    this.#ws = ws;
    this.#socket = exchange.req.socket;
    this.#exchange = exchange;
    this.#options = options;
    const { bodyBudget: budget, maxMessageBytes: maxBytes, minimumRate } = options;
    this.#arriving = new ArrivingMessage(ws, this.#socket, {
      owner: exchange.record.key,
      budget,
      minimumRate,
      maxBytes,
      onRefused: (reason) =>
        this.#cutOff(reason, reason.code === 'request_too_large' ? CLOSE.tooLarge : CLOSE.tryLater),
    });
    // A broken frame: the library closes the connection with the code for it.
    ws.on('error', () => this.#leave());
    ws.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary));
    ws.on('ping', (data) => this.#arriving.control(data));
    ws.on('pong', (data) => {
      this.#arriving.control(data);
      this.#missedPongs = 0;
    });
    ws.on('close', () => this.#onClose());
    const { signal } = exchange.stop;
    signal.addEventListener('abort', () => this.#onStop());
    if (signal.aborted) this.#onStop();
  }

  get owner(): MemoryOwner {
    return this.#exchange.record.key;
  }

  /** Resolves when the connection is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Returns since when it waits for a request; undefined: one runs. */
  get idleSinceMs(): number | undefined {
    return this.#isWorking ? undefined : this.#activeAtMs;
  }

  /** Closes the connection with a reason to reconnect: at once, or after the running response. */
  retire(reason: ConnectionEnd): void {
    this.end(connectionEnds(reason), reason === 'drain' ? CLOSE.restart : CLOSE.normal);
  }

  /** Closes the connection as `retire` does. Waiting requests get no response. */
  end(error: GatewayError, code: number): void {
    if (this.#end !== undefined) return;
    this.#end = { error, code };
    this.#dropWaiting();
    if (!this.#isWorking) this.#close();
  }

  /** Sends a ping, which also keeps load balancers from closing an idle connection. */
  ping(): void {
    if (this.#missedPongs++ >= MAX_MISSED_PONGS) this.#ws.terminate();
    else if (this.#ws.readyState === this.#ws.OPEN) this.#ws.ping();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const claim = this.#claimOf(data);
    if (claim === undefined) return;
    // A short message is a part of the chunk in which it arrived, which must not stay in memory with it.
    const isPart = data.length < data.buffer.byteLength;
    this.#waiting.push({ data: isPart ? Buffer.from(data) : data, isBinary, claim });
    if (!this.#isWorking) this.#work().catch(() => this.#ws.terminate());
  }

  /** Returns the memory of a message; undefined: the message is refused. */
  #claimOf(data: Buffer): MemoryClaim | undefined {
    try {
      if (this.#waiting.length >= MAX_WAITING) throw this.#tooManyWaiting();
      if (this.#end === undefined) return this.#arriving.arrived(data.length);
    } catch (refusal) {
      this.#send(toGatewayError(refusal));
    }
    this.#arriving.skip();
    return undefined;
  }

  #tooManyWaiting(): GatewayError {
    const error = tooManyWaitingFrames(MAX_WAITING);
    if (++this.#refused > MAX_REFUSED) this.#cutOff(error, CLOSE.policy);
    return error;
  }

  #dropWaiting(): void {
    for (const { claim } of this.#waiting.splice(0)) claim.giveBack();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#refused = 0;
      await this.#serve(next);
      next.claim.giveBack();
    }
    this.#isWorking = false;
    this.#activeAtMs = performance.now();
    if (this.#end !== undefined) this.#close();
  }

  async #serve({ claim, data, isBinary }: Message): Promise<void> {
    let create: ResponseCreate | undefined;
    try {
      if (isBinary) throw binaryFrame();
      create = await readResponseCreate(data);
      if (create === undefined || this.#ws.readyState !== this.#ws.OPEN) return;
      const { memory, server, stallMs } = this.#options;
      const { req: upgrade } = this.#exchange;
      const connection = { server, upgrade, socket: this.#socket, ws: this.#ws, memory, stallMs };
      this.#turn = new ResponseTurn(connection, create);
      if ((await this.#turn.run(claim)) === 'lost') this.retire('memory');
    } catch (failure) {
      const id = newRequestId();
      this.#send(await this.#options.countInvalid(failure, id), id, create?.streamId);
    } finally {
      this.#turn = undefined;
    }
  }

  /** The key was revoked or has expired, or the process ends. */
  #onStop(): void {
    const { reason } = this.#exchange.stop.signal;
    if (reason instanceof ClientGone) return;
    const error = toGatewayError(reason);
    this.#cutOff(error, error.status === 401 ? CLOSE.policy : CLOSE.restart);
  }

  /** Closes the connection soon, also within a response. */
  #cutOff(error: GatewayError, code: number): void {
    this.end(error, code);
    this.#cut ??= setTimeout(() => {
      this.#turn?.abort();
      this.#close();
      this.#cut = setTimeout(() => this.#ws.terminate(), CUT_MS);
    }, CUT_MS);
  }

  #close(): void {
    if (this.#end === undefined || this.#ws.readyState !== this.#ws.OPEN) return;
    this.#send(this.#end.error);
    this.#ws.close(this.#end.code);
  }

  #send(error: GatewayError, id = this.#exchange.record.id, streamId?: string): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#ws.send(JSON.stringify(errorFrame(error, id, streamId)));
    // A client that reads nothing must not fill the memory with errors.
    if (this.#ws.bufferedAmount > MAX_UNREAD_ERRORS) this.#ws.terminate();
  }

  #leave(): void {
    this.#turn?.abort();
    this.#dropWaiting();
    this.#arriving.close();
  }

  #onClose(): void {
    clearTimeout(this.#cut);
    this.#leave();
    this.#options.memory.close();
    this.#closed.resolve();
  }
}
