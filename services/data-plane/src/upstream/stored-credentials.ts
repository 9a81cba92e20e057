import type { SealedCredentialMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { type CredentialSeal, isReservedVariable } from '@model-gateway/shared';

export interface StoredCredentialsOptions {
  /** The seal of the current pepper is first. */
  seals: readonly CredentialSeal[];
  /** Returns the value of an environment variable. */
  variable: (name: string) => string | undefined;
  log: Pick<Logger, 'error'>;
}

/** Credentials that operators store at run time (`gatewayctl credentials set`). They replace variables. */
export class StoredCredentials {
  readonly #options: StoredCredentialsOptions;
  #values: ReadonlyMap<string, string> = new Map();

  constructor(options: StoredCredentialsOptions) {
    this.#options = options;
  }

  /** Returns the stored credential, else the variable. */
  readonly get = (name: string): string | undefined => this.#values.get(name) ?? this.#options.variable(name);

  /**
   * Replaces all stored credentials. One that cannot be opened keeps its last value.
   * @returns names whose stored value changed
   */
  replace(credentials: readonly SealedCredentialMessage[]): Set<string> {
    const before = this.#values;
    const values = new Map<string, string>();
    for (const { name, sealed } of credentials) {
      const value = this.#open(name, sealed);
      if (value !== undefined && !isReservedVariable(name)) values.set(name, value);
    }
    for (const { name } of credentials) {
      if (values.has(name)) continue;
      this.#options.log.error(
        { variable: name },
        'a stored credential cannot be read, because it was sealed with another pepper: set it again',
      );
      const known = before.get(name);
      if (known !== undefined) values.set(name, known);
    }
    this.#values = values;
    const names = [...before.keys(), ...values.keys()];
    return new Set(names.filter((name) => before.get(name) !== values.get(name)));
  }

  #open(name: string, sealed: Buffer): string | undefined {
    for (const seal of this.#options.seals) {
      const value = seal.open(name, sealed);
      if (value !== undefined) return value;
    }
    return undefined;
  }
}
