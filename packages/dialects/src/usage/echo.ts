import type { EchoedPrompts } from '@model-gateway/shared';

/**
 * Tells echoed prompts from what the model wrote. Many servers ignore `echo`, so a text counts as an echo
 * only while it matches the start of its prompt. A large text is only a length, and is taken as an echo.
 */
export class Echo {
  readonly #prompts: EchoedPrompts;
  /** By choice: the text received, at most as long as `start`, and the bytes of the prompt still expected. */
  readonly #choices = new Map<number, { received: string; bytesLeft: number }>();

  constructor(prompts: EchoedPrompts) {
    this.#prompts = prompts;
  }

  /**
   * @param output the next text of the choice; a large one is only a length
   * @returns how many of its bytes belong to the prompt
   */
  take(index: unknown, output: unknown, bytes: number): number {
    const choice = Number.isSafeInteger(index) ? Number(index) : 0;
    const { choicesPerPrompt, prompts } = this.#prompts;
    const prompt = prompts[Math.floor(choice / choicesPerPrompt)];
    // A provider may send any index.
    if (prompt === undefined) return 0;
    const state = this.#choices.get(choice) ?? { received: '', bytesLeft: prompt.bytes };
    const { start } = prompt;
    const { length } = start;
    const received =
      typeof output === 'string' ? (state.received + output.slice(0, length)).slice(0, length) : start;
    const bytesLeft = start.startsWith(received) ? state.bytesLeft : 0;
    const taken = Math.min(bytesLeft, bytes);
    this.#choices.set(choice, { received, bytesLeft: bytesLeft - taken });
    return taken;
  }
}
