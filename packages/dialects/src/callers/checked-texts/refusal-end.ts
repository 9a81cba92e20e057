import type { ChatApi } from '../../interfaces/chat.ts';
import { isObject, type JsonObject, objectOr } from '../../json/json-object.ts';
import type { Usage } from '../../usage/usage.ts';
import { messagesUsage } from '../messages/messages-usage.ts';
import { responsesUsage } from '../responses/responses-usage.ts';

/** Builds the end of a stream whose rest a guardrail withholds: complete in the form of the caller's API. */
export interface RefusalEnd {
  /** Tracks an event. @param isSent false: it may never be sent */
  track(event: JsonObject, isSent: boolean): void;
  /** @param usage undefined: the caller wants none, or there is none */
  events(usage: Usage | undefined): string;
}

export function refusalEnd(api: ChatApi): RefusalEnd {
  if (api === 'messages') return new MessagesRefusal();
  return api === 'responses' ? new ResponsesRefusal() : new ChatRefusal();
}

/** Every choice without a finish reason gets `content_filter`. */
class ChatRefusal implements RefusalEnd {
  #head: JsonObject = { object: 'chat.completion.chunk' };
  readonly #choices = new Set<number>();
  readonly #finished = new Set<number>();

  track(event: JsonObject, isSent: boolean): void {
    const { id, object, created, model } = event;
    this.#head = { id, object, created, model };
    for (const choice of Array.isArray(event.choices) ? event.choices : []) {
      const { finish_reason, index } = objectOr(choice);
      const place = typeof index === 'number' ? index : 0;
      this.#choices.add(place);
      if (isSent && typeof finish_reason === 'string') this.#finished.add(place);
    }
  }

  events(usage: Usage | undefined): string {
    if (this.#choices.size === 0) this.#choices.add(0);
    const choices = [...this.#choices]
      .filter((index) => !this.#finished.has(index))
      .map((index) => ({ index, delta: {}, finish_reason: 'content_filter' }));
    const last = usage === undefined ? '' : data({ ...this.#head, choices: [], usage: chatUsage(usage) });
    return `${data({ ...this.#head, choices })}${last}data: [DONE]\n\n`;
  }
}

function chatUsage({ inputTokens, outputTokens }: Usage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Closes the open block and stops with `refusal`. */
class MessagesRefusal implements RefusalEnd {
  #open: unknown;

  track({ index, type }: JsonObject, isSent: boolean): void {
    if (!isSent) return;
    if (type === 'content_block_start') this.#open = index;
    if (type === 'content_block_stop') this.#open = undefined;
  }

  events(usage: Usage | undefined): string {
    const close = this.#open === undefined ? '' : named({ type: 'content_block_stop', index: this.#open });
    const counted = usage === undefined ? { output_tokens: 0 } : messagesUsage(usage);
    const delta = { stop_reason: 'refusal', stop_sequence: null };
    return `${close}${named({ type: 'message_delta', delta, usage: counted })}${named({ type: 'message_stop' })}`;
  }
}

/** Ends with `response.incomplete`, with the items that were sent. */
class ResponsesRefusal implements RefusalEnd {
  #response: JsonObject = { object: 'response' };
  #next = 0;
  /** By output index: items that were sent whole, and the sent text of an open message. */
  readonly #items = new Map<unknown, { item: JsonObject; isOpen: boolean; text: string }>();

  track(event: JsonObject, isSent: boolean): void {
    const { delta, item, output_index: index, response, sequence_number: number, type } = event;
    if (type === 'response.created' && isObject(response)) this.#response = response;
    if (!isSent) return;
    if (typeof number === 'number') this.#next = number + 1;
    if (type === 'response.output_item.added' && isObject(item))
      this.#items.set(index, { item, isOpen: true, text: '' });
    if (type === 'response.output_item.done' && isObject(item))
      this.#items.set(index, { item, isOpen: false, text: '' });
    const open = this.#items.get(index);
    if (type === 'response.output_text.delta' && open !== undefined && typeof delta === 'string')
      open.text += delta;
  }

  events(usage: Usage | undefined): string {
    const output = [...this.#items.values()].flatMap(({ isOpen, item, text }) => {
      if (!isOpen) return [item];
      if (item.type !== 'message' || text === '') return [];
      const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
      return [{ ...item, status: 'incomplete', content }];
    });
    const response = {
      ...this.#response,
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output,
      usage: usage === undefined ? null : responsesUsage(usage),
    };
    return named({ type: 'response.incomplete', sequence_number: this.#next, response });
  }
}

function named(event: { type: string; [member: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
