import type { GatewayError } from '@model-gateway/shared';
import { causedByRequest } from '../../failures/provider-failures.ts';
import type { ResponsesCaller } from '../../interfaces/chat-caller.ts';
import type { EventTranslator } from '../../interfaces/response-translators.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { ResponseOutput } from './collect-response-output.ts';
import {
  billedCalls,
  countHostedCalls,
  type HostedCalls,
  mostCalls,
  NO_CALLS,
} from './count-hosted-calls.ts';
import { countResponsesUsage } from './openai-responses-usage.ts';
import {
  COMPLETED,
  ENDS,
  errorIn,
  FAILED,
  parseResponsesEvent,
  type ResponseEvent,
  responsesFailure,
} from './parse-responses-event.ts';
import { type ResponseIds, replaceEventIds } from './replace-response-ids.ts';

const BEGINS = 'response.created';

/** Pictures of tools come whole in one event: as of POST /v1/images/generations. */
export const MAX_RESPONSES_EVENT_BYTES = 32 * 1024 * 1024;

/**
 * Events of Responses for a caller of that API: the data passes as it came, but for the ids of the model and
 * of the response. What would make one answer look like two, like none, or like a whole one that it is not,
 * breaks it off.
 */
export class ResponsesPassthroughStream implements EventTranslator {
  readonly mayEnd = false;
  readonly maxEventBytes = MAX_RESPONSES_EVENT_BYTES;
  readonly #caller: ResponsesCaller;
  readonly #ids: ResponseIds;
  readonly #note: ((response: JsonObject) => void) | undefined;
  readonly #written = new ResponseOutput();
  #rest = '';
  #failure: GatewayError | undefined;
  #hasBegun = false;
  /** The provider's own id of the response. */
  #responseId: string | undefined;
  #calls: HostedCalls = NO_CALLS;

  /** @param note told each state of the response */
  constructor(caller: ResponsesCaller, ids: ResponseIds, note?: (response: JsonObject) => void) {
    this.#caller = caller;
    this.#ids = ids;
    this.#note = note;
  }

  /** The provider's own event of its failure, which ends the answer instead of one of the gateway's. */
  get rest(): string {
    return this.#rest;
  }

  /** Returns the failure that the provider reported before the end of its response. */
  get failure(): GatewayError | undefined {
    return this.#failure;
  }

  translate(data: string): { text: string; done: boolean } {
    const { event, line } = parseResponsesEvent(data);
    const response = isObject(event.response) ? event.response : undefined;
    this.#checkOrder(event, response);
    if (event.type === 'error') this.#failure = responsesFailure(errorIn(event));
    if (!this.#hasBegun) {
      // Nothing of the answer is there: it may still be another provider's.
      if (this.#failure !== undefined) throw this.#failure;
      return { text: '', done: false };
    }
    if (response !== undefined) this.#note?.(response);
    if (event.type === 'response.output_item.done') this.#count([event.item]);
    const isEnd = ENDS.has(event.type);
    if (isEnd && response !== undefined) this.#countWhole(response);
    const text = this.#pass(event, line);
    if (event.type !== FAILED) return { text, done: isEnd };
    this.#rest = text;
    throw this.#failure ?? responsesFailure(response?.error);
  }

  /** @throws GatewayError 502, or what a response that has failed at once has failed of */
  #checkOrder({ type }: ResponseEvent, response: JsonObject | undefined): void {
    if (type === BEGINS && this.#hasBegun)
      throw causedByRequest('the provider began a second response in its answer');
    if (this.#hasBegun) {
      if (ENDS.has(type) && response === undefined) throw causedByRequest(`${type} came without a response`);
      if (type === COMPLETED) requireOutput(response);
      return;
    }
    if (type === FAILED) throw this.#failure ?? responsesFailure(response?.error);
    if (type === COMPLETED) requireOutput(response);
    if (response !== undefined) this.#hasBegun = true;
    else if (type.startsWith('response.'))
      throw causedByRequest(`${type.slice(0, 100)} came before ${BEGINS}`);
  }

  #pass(event: ResponseEvent, line: string): string {
    const { response, sequence_number: number, type } = event;
    if (isObject(response) && typeof response.id === 'string') this.#responseId = response.id;
    const sequence = typeof number === 'number' ? number : undefined;
    const passed = replaceEventIds(line, event, this.#responseId, this.#ids);
    return this.#caller.passEvent({ type, sequence, ...passed }, this.#written.of(event));
  }

  #count(items: readonly unknown[]): void {
    const { toolCalls, webSearchRequests } = countHostedCalls(items);
    this.#calls = {
      toolCalls: this.#calls.toolCalls + toolCalls,
      webSearchRequests: this.#calls.webSearchRequests + webSearchRequests,
    };
  }

  #countWhole(response: JsonObject): void {
    const { output, usage } = response;
    const calls = mostCalls(this.#calls, countHostedCalls(Array.isArray(output) ? output : []));
    const counted = countResponsesUsage(usage, billedCalls(response, calls));
    if (counted !== undefined) this.#caller.count(counted);
  }
}

/** @throws GatewayError 502 for a response that has not even a place for an answer: it is not complete */
function requireOutput(response: JsonObject | undefined): void {
  if (!Array.isArray(response?.output)) throw causedByRequest(`the response of ${COMPLETED} has no output`);
}
