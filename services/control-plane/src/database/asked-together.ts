/** Maximum concurrent statements, and questions per statement. */
const AT_ONCE = 2;
const MOST = 500;

/**
 * Batches questions of one kind: the first are asked at once, later ones wait for the next statement, so that
 * every reply is newer than its question.
 */
export class AskedTogether<Answer> {
  readonly #ask: (questions: string[]) => Promise<ReadonlyMap<string, Answer>>;
  readonly #waiting = new Map<string, PromiseWithResolvers<Answer>>();
  #running = 0;

  constructor(ask: (questions: string[]) => Promise<ReadonlyMap<string, Answer>>) {
    this.#ask = ask;
  }

  ask(question: string): Promise<Answer> {
    const waiting = this.#waiting.get(question) ?? Promise.withResolvers<Answer>();
    this.#waiting.set(question, waiting);
    if (this.#running < AT_ONCE) void this.#run();
    return waiting.promise;
  }

  async #run(): Promise<void> {
    this.#running += 1;
    while (this.#waiting.size > 0) {
      const asked = [...this.#waiting].slice(0, MOST);
      for (const [question] of asked) this.#waiting.delete(question);
      await this.#answer(asked);
    }
    this.#running -= 1;
  }

  async #answer(asked: readonly (readonly [string, PromiseWithResolvers<Answer>])[]): Promise<void> {
    try {
      const answers = await this.#ask(asked.map(([question]) => question));
      for (const [question, { resolve, reject }] of asked) {
        const answer = answers.get(question);
        if (answer === undefined) reject(new Error('a question was left without an answer'));
        else resolve(answer);
      }
    } catch (error) {
      for (const [, { reject }] of asked) reject(error);
    }
  }
}
