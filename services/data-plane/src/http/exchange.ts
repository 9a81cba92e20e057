import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StopSignal } from '@model-gateway/service-kit';
import type { AuthenticatedRecord, RequestRecord } from '../request-record.ts';
import type { AnswerEvents } from './answer-events.ts';
import type { CallerProtocol } from './caller-protocol.ts';

/** One request on its way: what HTTP gave us, the record, and the two ways in which it can end early. */
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
   * Run once, when the answer is out or its client gone and no step works on it any more, whatever that end
   * was: who starts a timer, listens to something, takes a place or room for this request adds here how that
   * ends. A step may end it before; each of them may run when there is nothing left to end.
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
