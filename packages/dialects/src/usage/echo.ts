import type { EchoedPrompts } from '@model-gateway/shared';

/** Tells the prompts that the choices of one response begin with from what the model wrote. */
export class Echo {
  readonly #prompts: EchoedPrompts;
  /** Bytes of the prompt that are still to come, by choice. Choices without an entry have not begun. */
  readonly #rest = new Map<number, number>();

  constructor(prompts: EchoedPrompts) {
    this.#prompts = prompts;
  }

  /** @returns how many of the next bytes of a choice belong to its prompt */
  take(index: unknown, bytes: number): number {
    const choice = Number.isInteger(index) ? Number(index) : 0;
    const { bytes: prompts, choicesPerPrompt } = this.#prompts;
    const ofPrompt = prompts[Math.floor(choice / choicesPerPrompt)];
    // A provider may send any index.
    if (ofPrompt === undefined) return 0;
    const rest = this.#rest.get(choice) ?? ofPrompt;
    const taken = Math.min(rest, bytes);
    this.#rest.set(choice, rest - taken);
    return taken;
  }
}
