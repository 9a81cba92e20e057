import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StopSignal } from '@model-gateway/service-kit';
import type { AuthenticatedRecord, RequestRecord } from '../request-record.ts';
import type { AnswerEvents } from './answer-events.ts';
import type { CallerProtocol } from './caller-protocol.ts';

/** One request: its HTTP objects, its record, and how to stop it. */
export interface Exchange<Stage extends RequestRecord = RequestRecord> {
  req: IncomingMessage;
  res: ServerResponse;
  record: Stage;
  /** The caller's API. */
  caller: CallerProtocol;
  /** Left out: it is not answered with events. */
  events?: AnswerEvents;
  /**
   * Aborted when nothing more should happen for this request. The reason is a ClientGone, or the GatewayError
   * to end a running stream with (key revoked, shutting down).
   */
  stop: { readonly signal: StopSignal; abort(reason: unknown): void };
  /**
   * Callbacks that release timers, listeners, slots and memory. Each runs once, after the response and all
   * steps have ended, and must do no harm if a step has released its part before.
   */
  ends: (() => void)[];
}

/** A request whose key is known. */
export type AuthenticatedExchange = Exchange<AuthenticatedRecord>;

/** The client closed its connection: nobody is left to answer. Logged as status 499. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor() {
    super('the client closed its connection');
  }
}
