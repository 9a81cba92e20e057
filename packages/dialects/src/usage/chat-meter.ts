import { DEFAULT_TIER, readServiceTier, type Units } from '@model-gateway/shared';
import type { ChatBounds } from './chat-bounds.ts';
import { chatUnits, parseChatUsage } from './chat-units.ts';
import type { CountedUsage } from './counted-usage.ts';
import { bytesOf, bytesOfMessage, imagesOf, isThought } from './delivered-output.ts';
import { Echo } from './echo.ts';
import { hiddenTokensIn, marksCache, maxHiddenTokensIn } from './hidden-usage.ts';
import { estimatedPromptTokens } from './prompt-tokens.ts';
import { BYTES_PER_TOKEN, estimatedTokens, type Usage, usageOf } from './usage.ts';

/** Meters a chat: takes the provider's count, or estimates the delivered output. */
export class ChatMeter {
  readonly #request: readonly Buffer[];
  readonly #bounds: ChatBounds;
  #reported: unknown;
  /** Caches the units of the last `usage`; undefined units: it is not credible. */
  #checked: { usage: unknown; units: Units | undefined } | undefined;
  #counted: CountedUsage | undefined;
  /** Bytes of delivered text. An image counts as text of as many tokens. */
  #deliveredBytes = 0;
  /** True if something was sent that may have no text, such as hidden thinking. */
  #hasDelivered = false;
  /** Delivered bytes of thought before the answer; undefined: no thought. */
  #thoughtBytes: number | undefined;
  /** When the answer began, after any thought, by `performance.now()`. */
  #answeredAtMs: number | undefined;
  #inputEstimate: number | undefined;
  #echo: Echo | undefined;
  /** The provider's last word for its service tier, and its meaning. */
  #tierWord: unknown;
  #servedTier: string | undefined;
  /** The service tier in the headers of the response, which counts before that in its body. */
  #tierOfHeaders: string | undefined;
  /** Web searches that the request allows, for providers that count none. */
  #webSearchRequests: number;

  /** @param request its JSON, parsed only if the provider sends no count */
  constructor(request: readonly Buffer[], bounds: ChatBounds) {
    this.#request = request;
    this.#bounds = bounds;
    this.#webSearchRequests = bounds.max.webSearchRequests;
    this.#echo = bounds.echoed && new Echo(bounds.echoed);
  }

  /** Starts over for another response. @param runsTools false if its provider has no server tools */
  restart(runsTools = true): void {
    this.#webSearchRequests = runsTools ? this.#bounds.max.webSearchRequests : 0;
    this.#reported = undefined;
    this.#checked = undefined;
    this.#counted = undefined;
    this.#deliveredBytes = 0;
    this.#hasDelivered = false;
    this.#thoughtBytes = undefined;
    this.#answeredAtMs = undefined;
    this.#tierWord = undefined;
    this.#servedTier = undefined;
    this.#tierOfHeaders = undefined;
    this.#echo = this.#bounds.echoed && new Echo(this.#bounds.echoed);
  }

  /** Reports the provider's word for the service tier of this response. Words that name none do not count. */
  reportTier(word: unknown): void {
    // Fast path: some providers repeat it in every chunk.
    if (word === this.#tierWord) return;
    this.#tierWord = word;
    this.#servedTier = readServiceTier(word) ?? this.#servedTier;
  }

  /** Reports the word in the headers, where a platform may name its own tier beside the model maker's. */
  reportTierInHeaders(word: unknown): void {
    this.#tierOfHeaders = readServiceTier(word);
  }

  /** The service tier that the provider has reported; undefined: none so far. */
  get servedTier(): string | undefined {
    return this.#tierOfHeaders ?? this.#servedTier;
  }

  /** Reports the provider's `usage` object. The last one that is not null counts. */
  report(usage: unknown): void {
    if (usage !== null && usage !== undefined) this.#reported = usage;
  }

  /** Reports a count that replaces any `usage` object. The last credible count wins. */
  count(usage: CountedUsage): void {
    const counts = usage.turns?.map((turn) => turn.units) ?? [usage.units];
    if (!counts.every(({ inputTokens = 0, outputTokens = 0 }) => this.#isCredible(inputTokens, outputTokens)))
      return;
    this.#counted = this.#bounds.chargesToolCalls === false ? withoutToolCalls(usage) : usage;
  }

  /** Returns the `usage`, or an estimate in its place if it is absurd. */
  replaceAbsurd(usage: unknown): unknown {
    if (usage === null || usage === undefined || this.#credibleUnits(usage) !== undefined) return usage;
    const { inputTokens, outputTokens } = this.#estimate();
    return {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    };
  }

  /** Reports choices that go to the client, with a `message`, a `delta`, or the `text` of a completion. */
  deliver(choices: readonly Record<string, unknown>[]): void {
    for (const choice of choices) {
      const output = choice.delta ?? choice.message ?? choice.text;
      const images = imagesOf(output);
      const bytes = bytesOfMessage(output);
      this.#add(
        this.#echo === undefined ? bytes : bytes - this.#echo.take(choice.index, output, bytes),
        output,
      );
      if (images > 0) this.#deliveredBytes += images * this.#imageBytes;
    }
  }

  /** Reports the choices of a whole response. Skips their text if the provider counted it. */
  deliverWhole(choices: readonly Record<string, unknown>[]): void {
    if (this.#counted !== undefined || this.#credibleUnits(this.#reported) === undefined)
      this.deliver(choices);
  }

  /** Reports output that goes to the client, in any shape; for large output its length. */
  deliverText(output: unknown, isReasoning = false): void {
    this.#hasDelivered = true;
    this.#add(bytesOf(output), output, isReasoning);
  }

  #add(bytes: number, output: unknown, isReasoning = false): void {
    this.#deliveredBytes += bytes;
    // Fast path: nearly all output comes after the answer has begun.
    if (this.#answeredAtMs !== undefined) return;
    if (isReasoning || isThought(output)) this.#thoughtBytes = (this.#thoughtBytes ?? 0) + bytes;
    else if (bytes > 0) this.#answeredAtMs = performance.now();
  }

  /** Reports a generated image that goes to the client. */
  deliverImage(): void {
    this.#hasDelivered = true;
    this.#deliveredBytes += this.#imageBytes;
  }

  /** Returns the bytes of delivered text. An image counts as text of as many tokens. */
  get deliveredBytes(): number {
    return this.#deliveredBytes;
  }

  /** Sets it back while output that was reported is not delivered. */
  set deliveredBytes(bytes: number) {
    this.#deliveredBytes = bytes;
  }

  /** Estimates the usage without any output. */
  estimatePrompt(): Usage {
    return this.#atTier({ ...this.#estimate(), outputTokens: 0 });
  }

  /** @returns undefined for an incomplete response without output */
  usage(complete: true): Usage;
  usage(complete: boolean): Usage | undefined;
  usage(complete: boolean): Usage | undefined {
    if (!complete && this.#delivered === 0 && !this.#hasDelivered) return undefined;
    return this.#usage(complete);
  }

  /**
   * Returns the usage of a stream that its caller has left now, and that its provider had begun. It contains
   * the prompt, or callers could fill a cache for free, and thought that is not shown, by its time.
   * @param sentAtMs when the request was sent; `reasons`: true if the model is known to think
   */
  usageOfLeftStream(sentAtMs: number, reasons: boolean): Usage {
    if (!reasons && this.#thoughtBytes === undefined) return this.#usage(false, 0);
    const thoughtTokens = hiddenTokensIn((this.#answeredAtMs ?? performance.now()) - sentAtMs);
    return this.#usage(false, Math.max(0, thoughtTokens - estimatedTokens(this.#thoughtBytes ?? 0)));
  }

  /** Returns the maximum tokens of hidden thinking so far. Parameters as in `usageOfLeftStream`. */
  hiddenTokens(sentAtMs: number, reasons: boolean): number {
    if (!reasons && this.#thoughtBytes === undefined) return 0;
    const thoughtTokens = maxHiddenTokensIn((this.#answeredAtMs ?? performance.now()) - sentAtMs);
    return Math.max(0, thoughtTokens - estimatedTokens(this.#thoughtBytes ?? 0));
  }

  /** Estimates the usage of a response of which nothing was read. @param ms since its request was sent */
  estimateUnread(ms: number): Usage {
    return this.#usage(false, hiddenTokensIn(ms));
  }

  /** @param hidden output tokens that were not delivered, for a caller that has left */
  #usage(complete: boolean, hidden?: number): Usage {
    return this.#atTier(this.#unitsUsed(complete, hidden));
  }

  #atTier(usage: Usage): Usage {
    const serviceTier = this.servedTier ?? this.#bounds.serviceTier;
    return serviceTier === undefined || serviceTier === DEFAULT_TIER ? usage : { ...usage, serviceTier };
  }

  #unitsUsed(complete: boolean, hidden?: number): Usage {
    if (this.#counted !== undefined) return this.#usageOf(this.#counted, complete, hidden);
    const units = this.#credibleUnits(this.#reported);
    if (units === undefined) return this.#estimate(hidden);
    // Some providers count from the first chunk on, and their last count is too low when a stream is cut.
    if (!complete && units.outputTokens < this.#delivered) return this.#estimate(hidden);
    return usageOf('provider', units);
  }

  /** Caches the check, because one `usage` is read several times. */
  #credibleUnits(usage: unknown): Units | undefined {
    if (usage === undefined) return undefined;
    if (this.#checked?.usage !== usage) this.#checked = { usage, units: this.#check(usage) };
    return this.#checked.units;
  }

  #check(usage: unknown): Units | undefined {
    const read = parseChatUsage(usage);
    if (read === undefined) return undefined;
    const units = chatUnits(read, { webSearchRequests: this.#webSearchRequests });
    const { inputTokens, outputTokens } = units;
    // Some local servers send zeros.
    const isZero = inputTokens + outputTokens === 0;
    return !isZero && this.#isCredible(inputTokens, outputTokens) ? units : undefined;
  }

  #isCredible(inputTokens: number, outputTokens: number): boolean {
    const { credible } = this.#bounds;
    return (
      credible === undefined || (inputTokens <= credible.inputTokens && outputTokens <= credible.outputTokens)
    );
  }

  /** Adds delivered output that the count of a cut stream lacks. */
  #usageOf({ outputSoFar, turns, units }: CountedUsage, complete: boolean, hidden = 0): Usage {
    const { usageOfTurns } = this.#bounds;
    const ofTurns = usageOfTurns === undefined ? undefined : turns;
    const counts = ofTurns?.map((turn) => turn.units) ?? [units];
    const outputTokens = counts.reduce((sum, turn) => sum + (turn.outputTokens ?? 0), 0);
    const isFinal = complete && outputSoFar !== true;
    const written = this.#delivered + (outputSoFar === true ? hidden : 0);
    const delivered = isFinal ? 0 : Math.min(written, this.#bounds.max.outputTokens);
    const uncounted = Math.max(0, delivered - outputTokens);
    const source = uncounted === 0 ? 'provider' : 'estimated';
    if (ofTurns === undefined || usageOfTurns === undefined)
      return usageOf(source, { ...units, outputTokens: outputTokens + uncounted });
    if (uncounted === 0) return usageOfTurns(ofTurns);
    return {
      ...usageOfTurns([...ofTurns, { model: undefined, units: { outputTokens: uncounted } }]),
      source,
    };
  }

  /** Estimated output tokens. */
  get #delivered(): number {
    const { generatedPerReturned = 1 } = this.#bounds;
    return Math.ceil(estimatedTokens(this.#deliveredBytes) * generatedPerReturned);
  }

  get #imageBytes(): number {
    return this.#bounds.mediaPartTokens * BYTES_PER_TOKEN;
  }

  /** @param hidden as in `#usage`; if given, a prompt that asks for caching counts as a cache write */
  #estimate(hidden?: number): Usage {
    const { chargesCacheWrites, mediaParts, mediaPartTokens, promptBytes, max } = this.#bounds;
    // Cached, because a provider may send an absurd usage with every chunk.
    this.#inputEstimate ??= estimatedPromptTokens(this.#request, mediaParts * mediaPartTokens, promptBytes);
    const inputTokens = Math.min(this.#inputEstimate, max.inputTokens);
    const outputTokens = Math.min(this.#delivered + (hidden ?? 0), max.outputTokens);
    const isCached = hidden !== undefined && chargesCacheWrites === true && marksCache(this.#request);
    return usageOf('estimated', {
      inputTokens,
      cacheWriteTokens: isCached ? inputTokens : 0,
      outputTokens,
      reasoningTokens: Math.min(hidden ?? 0, outputTokens),
      webSearchRequests: this.#webSearchRequests,
    });
  }
}

/** Estimates the tokens of output, in the form of `deliverText`. */
export function estimateOutput(output: unknown): number {
  return estimatedTokens(bytesOf(output));
}

function withoutToolCalls({ turns, ...usage }: CountedUsage): CountedUsage {
  const none = { toolCalls: 0 };
  const units = { ...usage.units, ...none };
  if (turns === undefined) return { ...usage, units };
  return {
    ...usage,
    units,
    turns: turns.map((turn) => ({ ...turn, units: { ...turn.units, ...none } })),
  };
}
