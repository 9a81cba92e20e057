import type { GatewayError } from '@model-gateway/shared';
import { causedByRequest } from '../../failures/provider-failures.ts';
import type { ResponsesCaller } from '../../interfaces/chat-caller.ts';
import type { EventTranslator } from '../../interfaces/response-translators.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { ResponseOutput } from './collect-response-output.ts';
import { billedCalls, countHostedCalls, type HostedCalls, maxCalls, NO_CALLS } from './count-hosted-calls.ts';
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

/** Image tools send a whole image in one event. */
export const MAX_RESPONSES_EVENT_BYTES = 32 * 1024 * 1024;

/**
 * Passes events unchanged, except for ids and model. Breaks a stream that is incomplete or holds a second
 * response.
 */
export class ResponsesPassthroughStream implements EventTranslator {
  readonly mayEnd = false;
  readonly maxEventBytes = MAX_RESPONSES_EVENT_BYTES;
  readonly #caller: ResponsesCaller;
  readonly #ids: ResponseIds;
  readonly #note: ((response: JsonObject) => void) | undefined;
  readonly #output = new ResponseOutput();
  #rest = '';
  #failure: GatewayError | undefined;
  #hasBegun = false;
  /** The provider's own id of the response. */
  #responseId: string | undefined;
  #calls: HostedCalls = NO_CALLS;

  constructor(caller: ResponsesCaller, ids: ResponseIds, note?: (response: JsonObject) => void) {
    this.#caller = caller;
    this.#ids = ids;
    this.#note = note;
  }

  /** The provider's own error event, sent instead of the gateway's. */
  get rest(): string {
    return this.#rest;
  }

  get failure(): GatewayError | undefined {
    return this.#failure;
  }

  translate(data: string): { text: string; done: boolean } {
    const { event, line } = parseResponsesEvent(data);
    const response = isObject(event.response) ? event.response : undefined;
    this.#checkOrder(event, response);
    if (event.type === 'error') this.#failure = responsesFailure(errorIn(event));
    if (!this.#hasBegun) {
      // Nothing was sent yet, so another provider can still answer.
      if (this.#failure !== undefined) throw this.#failure;
      return { text: '', done: false };
    }
    if (response !== undefined) {
      this.#note?.(response);
      this.#caller.reportTier(response.service_tier);
    }
    if (event.type === 'response.output_item.done') this.#count([event.item]);
    const isEnd = ENDS.has(event.type);
    if (isEnd && response !== undefined) this.#countWhole(response);
    const text = this.#pass(event, line);
    if (event.type !== FAILED) return { text, done: isEnd };
    this.#rest = text;
    throw this.#failure ?? responsesFailure(response?.error);
  }

  /** @throws GatewayError 502, or the failure of a response that failed at once */
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
    return this.#caller.passEvent({ type, sequence, ...passed }, this.#output.of(event));
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
    const calls = maxCalls(this.#calls, countHostedCalls(Array.isArray(output) ? output : []));
    const counted = countResponsesUsage(usage, billedCalls(response, calls));
    if (counted !== undefined) this.#caller.count(counted);
  }
}

/** @throws GatewayError 502 for a completed response without `output` */
function requireOutput(response: JsonObject | undefined): void {
  if (!Array.isArray(response?.output)) throw causedByRequest(`the response of ${COMPLETED} has no output`);
}
