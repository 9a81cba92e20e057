import { ConfigError } from '@model-gateway/service-kit';

/** Collects the problems of several parts of the settings, to report them at once. */
export class Problems {
  readonly #problems: string[] = [];

  /** Returns undefined for settings with problems. @param prefix comes before the name of each setting */
  collect<Value>(parse: () => Value, prefix = ''): Value | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#problems.push(...error.problems.map((problem) => `${prefix}${problem}`));
      return undefined;
    }
  }

  /** @throws ConfigError with all problems */
  throwIfAny(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems);
  }
}
