import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StopSignal } from '@model-gateway/service-kit';
import type { AuthenticatedRecord, RequestRecord } from '../request-record.ts';
import type { AnswerEvents } from './answer-events.ts';
import type { AnswerGuard } from './answer-guard.ts';
import type { CallerProtocol } from './caller-protocol.ts';

/** One request: its HTTP objects, its record, and how to stop it. */
export interface Exchange<Stage extends RequestRecord = RequestRecord> {
  req: IncomingMessage;
  res: ServerResponse;
  record: Stage;
  caller: CallerProtocol;
  /** Left out: the response is not an event stream. */
  events?: AnswerEvents;
  /** Checks the response of a chat. Left out: nothing does. */
  guard?: AnswerGuard;
  /** True: no request, but the connection of a client that sends many. */
  isConnection?: true;
  /**
   * Aborted when the request must end. The reason is a ClientGone, or the GatewayError that ends a running
   * stream (key revoked, shutting down).
   */
  stop: { readonly signal: StopSignal; abort(reason: unknown): void };
  /**
   * Callbacks that release timers, listeners, slots and memory. Each runs once, after the response and all
   * steps, and must tolerate an earlier release.
   */
  ends: (() => void)[];
}

export type AuthenticatedExchange = Exchange<AuthenticatedRecord>;

/** The client closed its connection, so nobody can be answered. Logged as status 499. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor() {
    super('the client closed its connection');
  }
}
