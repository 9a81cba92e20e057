import {
  causedByRequest,
  type EventTranslator,
  type Usage,
  unexpectedJson,
  withoutAbsurdUsage,
} from '@model-gateway/dialects';
import { z } from 'zod';
import type { EventRelayOptions } from '../upstream/relay-event-stream.ts';

const DONE = '[DONE]';
/** Final events: `image_generation.completed`, `image_edit.completed`, `speech.audio.done`, … */
const FINAL_EVENT = /\.(completed|done)$/;
/** Reopens the stream: of several images, one can be complete before the next begins. */
const REOPENING_EVENT = /\.(partial_image|delta)$/;

const typedEvent = z.looseObject({ type: z.string().regex(/^[a-z0-9_.]{1,100}$/) });
export type TypedEvent = z.infer<typeof typedEvent>;

/** Meters the events of one attempt. */
export interface EventsMeter {
  onEvent(event: TypedEvent): void;
  /** Returns the usage so far; undefined if nothing was delivered. */
  usage(complete: boolean): Usage | undefined;
}

/**
 * Relays streams of images, speech and transcriptions unchanged, except for implausible `usage`. A stream
 * may end after a final event, unless a partial image or a delta follows it; `[DONE]` may come last.
 */
export class TypedEvents implements EventTranslator, EventRelayOptions {
  readonly #createMeter: () => EventsMeter;
  #meter: EventsMeter | undefined;
  #hasLast = false;
  #last = '';

  constructor(createMeter: () => EventsMeter) {
    this.#createMeter = createMeter;
  }

  /** Begins an attempt. Nothing of an earlier one that failed is sent or metered. */
  translator(): EventTranslator {
    this.#meter = this.#createMeter();
    this.#hasLast = false;
    this.#last = '';
    return this;
  }

  translate(data: string): { text: string; done: boolean } {
    if (data === DONE) {
      if (!this.#hasLast) throw causedByRequest('the event stream ended before its last event');
      return { text: `${this.#takeLast()}data: ${DONE}\n\n`, done: true };
    }
    const event = withoutAbsurdUsage(this.#parse(data));
    if (event.type === 'error') throw unexpectedJson(new Error('the provider sent an error'));
    this.#meter?.onEvent(event);
    const before = this.#takeLast();
    const text = `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
    if (REOPENING_EVENT.test(event.type)) this.#hasLast = false;
    if (!FINAL_EVENT.test(event.type)) return { text: before + text, done: false };
    this.#hasLast = true;
    this.#last = text;
    return { text: before, done: false };
  }

  get rest(): string {
    return this.#last;
  }

  #takeLast(): string {
    const last = this.#last;
    this.#last = '';
    return last;
  }

  get mayEnd(): boolean {
    return this.#hasLast;
  }

  usage(complete: boolean): Usage | undefined {
    return this.#meter?.usage(complete);
  }

  #parse(data: string): TypedEvent {
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch (cause) {
      throw causedByRequest('the provider sent an event that is no JSON', cause);
    }
    const parsed = typedEvent.safeParse(value);
    if (!parsed.success) throw unexpectedJson(parsed.error);
    return parsed.data;
  }
}
