import { type ChatUsage, chatUsage } from '@model-gateway/shared';
import type { ChatBounds } from './chat-bounds.ts';
import { chatUnits } from './chat-units.ts';
import type { CountedUsage } from './counted-usage.ts';
import { estimatedPromptTokens } from './prompt-tokens.ts';
import { estimatedTokens, textBytes, type Usage, usageOf } from './usage.ts';

/** Members of a message that are no output: a chunk with only these delivers nothing. */
const NO_TEXT_NAMES = [
  'role',
  'id',
  'type',
  'index',
  'data',
  'b64_json',
  'url',
  'expires_at',
  'signature',
  'format',
];
const NO_TEXT = { except: new Set(NO_TEXT_NAMES) };
const NO_TEXT_TWICE = { except: new Set([...NO_TEXT_NAMES, 'reasoning_details']) };

/** Meters a chat: takes the provider's count, or estimates the delivered output. */
export class ChatMeter {
  readonly #request: readonly Buffer[];
  readonly #bounds: ChatBounds;
  #reported: unknown;
  /** Caches the check of the last `usage`. */
  #checked: { usage: unknown; credible: ChatUsage | undefined } | undefined;
  #counted: CountedUsage | undefined;
  #deliveredBytes = 0;
  #deliveredImages = 0;
  /** True if something was sent that may have no text, such as hidden thinking. */
  #hasDelivered = false;
  #inputEstimate: number | undefined;
  /** Web searches that the request allows, for providers that count none. */
  #webSearchRequests: number;

  /** @param request its JSON, parsed only if the provider sends no count */
  constructor(request: readonly Buffer[], bounds: ChatBounds) {
    this.#request = request;
    this.#bounds = bounds;
    this.#webSearchRequests = bounds.max.webSearchRequests;
  }

  /** Starts over for another response. @param runsTools false if its provider has no server tools */
  restart(runsTools = true): void {
    this.#webSearchRequests = runsTools ? this.#bounds.max.webSearchRequests : 0;
    this.#reported = undefined;
    this.#counted = undefined;
    this.#deliveredBytes = 0;
    this.#deliveredImages = 0;
    this.#hasDelivered = false;
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
    if (usage === null || usage === undefined || this.#credibleUsage(usage) !== undefined) return usage;
    const { inputTokens, outputTokens } = this.#estimate();
    return {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    };
  }

  /** Reports choices that go to the client, with a `message` or a `delta`. */
  deliver(choices: readonly Record<string, unknown>[]): void {
    for (const choice of choices) {
      const output = choice.delta ?? choice.message;
      this.#deliveredBytes += textBytes(output, repeatsReasoning(output) ? NO_TEXT_TWICE : NO_TEXT);
      this.#deliveredImages += imagesOf(output);
    }
  }

  /** Reports the choices of a whole response. Skips their text if the provider counted it. */
  deliverWhole(choices: readonly Record<string, unknown>[]): void {
    if (this.#counted !== undefined || this.#credibleUsage(this.#reported) === undefined)
      this.deliver(choices);
  }

  /** Reports output that goes to the client, in any shape; for large output its length. */
  deliverText(output: unknown): void {
    this.#hasDelivered = true;
    this.#deliveredBytes += bytesOf(output);
  }

  /** Reports a generated image that goes to the client. */
  deliverImage(): void {
    this.#hasDelivered = true;
    this.#deliveredImages += 1;
  }

  /** Estimates the usage without any output. */
  estimatePrompt(): Usage {
    return { ...this.#estimate(), outputTokens: 0 };
  }

  /**
   * @param hasClientLeft then a count applies even without output, or callers could fill a cache for free
   * @returns undefined for an incomplete response without output
   */
  usage(complete: true): Usage;
  usage(complete: boolean, hasClientLeft?: boolean): Usage | undefined;
  usage(complete: boolean, isLeft = false): Usage | undefined {
    const isCounted = isLeft && this.#counted !== undefined;
    if (!complete && this.#delivered === 0 && !this.#hasDelivered && !isCounted) return undefined;
    if (this.#counted !== undefined) return this.#usageOf(this.#counted, complete);
    const credible = this.#credibleUsage(this.#reported);
    if (credible !== undefined) {
      const units = chatUnits(credible, { webSearchRequests: this.#webSearchRequests });
      // Some providers count from the first chunk on, and their last count is too low when a stream is cut.
      if (!complete && units.outputTokens < this.#delivered) return this.#estimate();
      return usageOf('provider', units);
    }
    return this.#estimate();
  }

  /** Caches the check, because one `usage` is read several times. */
  #credibleUsage(usage: unknown): ChatUsage | undefined {
    if (usage === undefined) return undefined;
    if (this.#checked?.usage !== usage) this.#checked = { usage, credible: this.#check(usage) };
    return this.#checked.credible;
  }

  #check(usage: unknown): ChatUsage | undefined {
    const read = chatUsage.safeParse(usage).data;
    if (read === undefined) return undefined;
    const { inputTokens, outputTokens } = chatUnits(read, { webSearchRequests: 0 });
    // Some local servers send zeros.
    const isZero = inputTokens + outputTokens === 0;
    return !isZero && this.#isCredible(inputTokens, outputTokens) ? read : undefined;
  }

  #isCredible(inputTokens: number, outputTokens: number): boolean {
    const { credible } = this.#bounds;
    return (
      credible === undefined || (inputTokens <= credible.inputTokens && outputTokens <= credible.outputTokens)
    );
  }

  /** Adds delivered output that the count of a cut stream lacks. */
  #usageOf({ outputSoFar, turns, units }: CountedUsage, complete: boolean): Usage {
    const { usageOfTurns } = this.#bounds;
    const ofTurns = usageOfTurns === undefined ? undefined : turns;
    const counts = ofTurns?.map((turn) => turn.units) ?? [units];
    const outputTokens = counts.reduce((sum, turn) => sum + (turn.outputTokens ?? 0), 0);
    const isFinal = complete && outputSoFar !== true;
    const delivered = isFinal ? 0 : Math.min(this.#delivered, this.#bounds.max.outputTokens);
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
    return estimatedTokens(this.#deliveredBytes) + this.#deliveredImages * this.#bounds.mediaPartTokens;
  }

  #estimate(): Usage {
    const { mediaParts, mediaPartTokens, promptBytes, max } = this.#bounds;
    // Cached, because a provider may send an absurd usage with every chunk.
    this.#inputEstimate ??= estimatedPromptTokens(this.#request, mediaParts * mediaPartTokens, promptBytes);
    return usageOf('estimated', {
      inputTokens: Math.min(this.#inputEstimate, max.inputTokens),
      outputTokens: Math.min(this.#delivered, max.outputTokens),
      webSearchRequests: this.#webSearchRequests,
    });
  }
}

/** Estimates the tokens of output, in the form of `deliverText`. */
export function estimateOutput(output: unknown): number {
  return estimatedTokens(bytesOf(output));
}

/** @param output text in any shape, or the length of large output */
function bytesOf(output: unknown): number {
  return typeof output === 'number' ? output : textBytes(output, NO_TEXT);
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

/** Counts generated images, which some models return beside text. */
function imagesOf(output: unknown): number {
  if (typeof output !== 'object' || output === null || !('images' in output)) return 0;
  return Array.isArray(output.images) ? output.images.length : 0;
}

function repeatsReasoning(output: unknown): boolean {
  if (typeof output !== 'object' || output === null || !('reasoning_details' in output)) return false;
  return 'reasoning_content' in output || 'reasoning' in output;
}
