import type { EchoedPrompts } from '@model-gateway/shared';

/**
 * Tells the prompts that the choices of one response begin with from what the model wrote. Many servers
 * ignore `echo`, so a text counts as a prompt only if it begins like it.
 */
export class Echo {
  readonly #prompts: EchoedPrompts;
  /** By choice: the text so far, up to the start of the prompt, and bytes of the prompt still to come. */
  readonly #choices = new Map<number, { begun: string; rest: number }>();

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
    const before = this.#choices.get(choice) ?? { begun: '', rest: prompt.bytes };
    const { length } = prompt.start;
    const begun = typeof output === 'string' ? (before.begun + output.slice(0, length)).slice(0, length) : '';
    const rest = prompt.start.startsWith(begun) ? before.rest : 0;
    const taken = Math.min(rest, bytes);
    this.#choices.set(choice, { begun, rest: rest - taken });
    return taken;
  }
}
