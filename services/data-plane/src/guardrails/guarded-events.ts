import {
  type ChatApi,
  readEvents,
  refusalEnd,
  type TextPlace,
  type Usage,
  writeEvent,
} from '@model-gateway/dialects';
import type { AnswerEvents, EventSource } from '../http/answer-events.ts';
import type { AnswerGuard } from '../http/answer-guard.ts';
import { ClientGone } from '../http/exchange.ts';
import { type HeldEvent, HeldText, MAX_HELD } from './held-text.ts';
import { type WholeText, WholeTexts } from './whole-texts.ts';
import { withoutOutput } from './without-output.ts';

/** Text without the end of a sentence is checked after this time. */
const LATE_MS = 1_000;
/** The provider is paused while a check runs and this much waits. */
const MAX_QUEUE = 256 * 1024;
/** Maximum that one stream holds back. The largest events are images. */
const MAX_HELD_BYTES = 40 * 1024 * 1024;

interface GuardedEventsOptions {
  api: ChatApi;
  guard: AnswerGuard;
  writer: AnswerEvents;
  /** Called once, when the rest must not be sent. */
  onFailure: (failure: unknown) => void;
}

/**
 * Holds the events of a stream back until guardrails have checked their texts, in order. What they withhold
 * never reaches the writer. Keep-alives are the writer's own, and go on.
 */
export class GuardedEvents implements AnswerEvents {
  readonly #options: GuardedEventsOptions;
  readonly #end;
  readonly #queue: HeldEvent[] = [];
  /** Texts that go on, by channel. */
  readonly #open = new Map<string, HeldText>();
  /** Texts with unchecked pieces. */
  readonly #waiting = new Set<HeldText>();
  readonly #wholes: WholeTexts;
  #queuedBytes = 0;
  #isChecking = false;
  #isPaused = false;
  #isOver = false;
  /** True once the client gets events. Before, an ordinary error response is possible. */
  #hasBegun = false;
  #timer: NodeJS.Timeout | undefined;
  #finishing: PromiseWithResolvers<string> | undefined;
  source: EventSource | undefined;

  constructor(options: GuardedEventsOptions) {
    this.#options = options;
    this.#end = refusalEnd(options.api);
    this.#wholes = new WholeTexts(options.api, options.guard);
    options.writer.source = {
      stalled: () => this.source?.stalled(),
      fellBehind: () => this.source?.fellBehind(),
      drained: () => {
        if (!this.#isPaused) this.source?.drained();
      },
    };
  }

  get hasBegun(): boolean {
    return this.#options.writer.hasBegun;
  }

  send(events: string, nowMs: number): void {
    if (this.#isOver) return;
    try {
      this.#hold(events, nowMs);
    } catch {
      this.#fail(this.#options.guard.failure('an event has no form that can be checked'));
      return;
    }
    this.#advance();
    if (this.#isChecking && !this.#isPaused && this.#queuedBytes > MAX_QUEUE) {
      this.#isPaused = true;
      this.source?.fellBehind();
    }
  }

  /** Checks everything that waits. @returns the events to send last @throws GatewayError 403, 503 */
  finish(lastEvents: string): Promise<string> {
    this.#finishing = Promise.withResolvers();
    const { promise } = this.#finishing;
    if (this.#isOver) this.#finishing.reject(new Error('the stream is over'));
    else {
      this.send(lastEvents, performance.now());
      for (const channel of this.#open.keys()) this.#endText(channel);
      this.#advance();
    }
    return promise;
  }

  end(lastEvents: string): void {
    this.#options.writer.end(lastEvents);
  }

  breakOff(lastEvent: string): void {
    this.stop();
    this.#options.writer.breakOff(withoutOutput(this.#options.api, lastEvent));
  }

  /** Ends the stream in the form of the caller's API, without what was withheld. */
  refuse(usage: Usage | undefined): void {
    this.stop();
    // The client needs the events that begin a response.
    const firstText = this.#queue.findIndex(({ event }) => event.places.length > 0);
    const head = this.#hasBegun ? '' : this.#take(firstText === -1 ? this.#queue.length : firstText);
    this.#options.writer.end(head + this.#end.events(usage));
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    // The client may leave during the last check.
    this.#finishing?.reject(new ClientGone());
  }

  #hold(events: string, nowMs: number): void {
    const { api } = this.#options;
    for (const event of readEvents(api, events)) {
      const held: HeldEvent = {
        event,
        unchecked: event.places.length,
        isChanged: event.raw.includes('"logprobs"'),
      };
      this.#queue.push(held);
      this.#queuedBytes += event.raw.length;
      if (event.value !== undefined) this.#end.track(event.value, false);
      for (const place of event.places) this.#holdPlace(held, place, nowMs);
      for (const start of event.ends)
        for (const channel of this.#open.keys()) if (channel.startsWith(start)) this.#endText(channel);
    }
    if (this.#queuedBytes > MAX_HELD_BYTES) throw new Error('too much text waits');
  }

  #endText(channel: string): void {
    const text = this.#open.get(channel);
    if (text === undefined) return;
    this.#open.delete(channel);
    text.hasEnded = true;
    if (text.pieces.length === 0) this.#remember(text);
  }

  /** Responses repeats each text when it has ended. */
  #remember(text: HeldText): void {
    if (this.#options.api === 'responses') this.#wholes.remember(text, text.raw, text.delivered);
  }

  #holdPlace(held: HeldEvent, place: TextPlace, nowMs: number): void {
    if (place.channel === undefined) {
      this.#wholes.add({ held, place });
      return;
    }
    let text = this.#open.get(place.channel);
    if (text === undefined) {
      text = new HeldText(place.kind);
      this.#open.set(place.channel, text);
    }
    this.#waiting.add(text);
    text.add({ event: held, place }, nowMs);
    if (text.pending.length > MAX_HELD) throw new Error('a text is too long');
  }

  /** Sends what is checked, and begins the next check if there is one to make. */
  #advance(): void {
    if (this.#isOver || this.#isChecking) return;
    // Repeated texts may be known already, and then their events are ready, too.
    const wholes = this.#wholes.take(this.#queue);
    this.#release();
    if (this.#isOver) return;
    const nowMs = performance.now();
    const texts = [...this.#waiting].flatMap((text) => {
      const isLate = nowMs - text.sinceMs >= LATE_MS || text.pending.length > MAX_QUEUE / 8;
      const count = text.checkable(this.#options.guard.holdBack, isLate);
      return count === 0 ? [] : [{ text, count }];
    });
    if (wholes.length + texts.length > 0)
      this.#check(wholes, texts).catch((failure: unknown) => this.#fail(failure));
    else this.#waitForMore();
  }

  async #check(
    wholes: readonly WholeText[],
    texts: readonly { text: HeldText; count: number }[],
  ): Promise<void> {
    const { api, guard } = this.#options;
    this.#isChecking = true;
    try {
      const checked = await guard.check([
        ...wholes.map(({ place }) => place),
        ...texts.map(({ text }) => ({ kind: text.kind, text: text.ask(), call: text.call })),
      ]);
      if (this.#isOver) return;
      for (const [index, whole] of wholes.entries()) this.#wholes.put(whole, checked[index] ?? '');
      const repeats = api === 'responses';
      for (const [index, { count, text }] of texts.entries()) {
        if (!text.checked(checked[wholes.length + index] ?? '', count, repeats))
          throw guard.failure('its replacement reaches back into text that was sent');
        if (text.pieces.length > 0) continue;
        this.#waiting.delete(text);
        if (text.hasEnded) this.#remember(text);
      }
    } catch (failure) {
      if (!this.#isOver) this.#fail(failure);
      return;
    } finally {
      this.#isChecking = false;
    }
    this.#advance();
    // If no check runs, nothing else resumes the provider before the end of a long tool call.
    if (this.#isPaused && (!this.#isChecking || this.#queuedBytes < MAX_QUEUE / 2)) {
      this.#isPaused = false;
      this.source?.drained();
    }
  }

  #release(): void {
    const ready = this.#queue.findIndex(({ unchecked }) => unchecked > 0);
    const count = ready === -1 ? this.#queue.length : ready;
    if (this.#finishing !== undefined) {
      // The last events of a stream are sent after its settlement.
      if (count < this.#queue.length) return;
      this.#finishing.resolve(this.#take(count));
      this.stop();
      return;
    }
    const hasText = this.#queue.slice(0, count).some(({ event }) => event.places.length > 0);
    if (count === 0 || (!this.#hasBegun && !hasText)) return;
    this.#hasBegun = true;
    this.#options.writer.send(this.#take(count), performance.now());
  }

  /** Removes the first events from the queue. @returns them, as they are sent */
  #take(count: number): string {
    let events = '';
    for (const { event, isChanged } of this.#queue.splice(0, count)) {
      this.#queuedBytes -= event.raw.length;
      if (event.value !== undefined) this.#end.track(event.value, true);
      events += isChanged ? writeEvent(event) : event.raw;
    }
    return events;
  }

  #waitForMore(): void {
    clearTimeout(this.#timer);
    const waiting = [...this.#waiting].filter(({ kind }) => kind === 'text');
    if (waiting.length === 0) return;
    const since = Math.min(...waiting.map(({ sinceMs }) => sinceMs));
    const leftMs = since + LATE_MS - performance.now();
    // Too little text for a cut: the next event decides.
    if (leftMs > 0) this.#timer = setTimeout(() => this.#advance(), Math.ceil(leftMs));
  }

  #fail(failure: unknown): void {
    this.#finishing?.reject(failure);
    this.stop();
    this.#options.onFailure(failure);
  }
}
