import type { Logger } from '@model-gateway/service-kit';
import type { RoutedModel, RoutedProvider } from '../catalog/model-table.ts';

/** Minimum interval between log lines about refused requests of a provider. */
const REMIND_MS = 60_000;

export interface MissingCredentialsOptions {
  /** Returns a credential, stored or in a variable. */
  credential: (name: string) => string | undefined;
  /** Returns the value of an environment variable. */
  variable: (name: string) => string | undefined;
  log: Logger;
}

export function variablesOf({ credentials }: Pick<RoutedProvider, 'credentials'>): string[] {
  return credentials.flatMap(({ variable }) => variable ?? []);
}

/**
 * Logs which variable to set for which provider: when a catalog names one that is not set, and again while it
 * makes requests fail, at most once a minute per provider.
 */
export class MissingCredentials {
  readonly #options: MissingCredentialsOptions;
  /** By provider: the logged variables, and when refused requests were last logged. */
  readonly #logged = new Map<string, { variable: string; remindedAtMs: number }>();

  constructor(options: MissingCredentialsOptions) {
    this.#options = options;
  }

  /** Sorts names into set and missing variables, for the control plane, which knows stored credentials. */
  sort(variables: readonly string[]): { set: string[]; missing: string[] } {
    return sortBy(variables, this.#options.variable);
  }

  catalogChanged(providers: ReadonlyMap<string, RoutedProvider>): void {
    for (const [providerId, { variable }] of this.#logged) {
      const provider = providers.get(providerId);
      if (provider === undefined || this.#missing(provider).variable !== variable)
        this.#logged.delete(providerId);
    }
    for (const provider of providers.values()) {
      const { id } = provider;
      const { isUsable, variable } = this.#missing(provider);
      if (variable === '' || this.#logged.has(id)) continue;
      this.#logged.set(id, { variable, remindedAtMs: Number.NEGATIVE_INFINITY });
      this.#options.log.warn(
        { provider: id, variable },
        isUsable
          ? 'a provider is used with the rest of its credentials: set this variable with gatewayctl credentials set, or in the environment of the data plane'
          : 'a provider cannot be used: set this variable with gatewayctl credentials set, or in the environment of the data plane',
      );
    }
  }

  /** Logs a request that was refused because no provider of its model has a credential. */
  refused({ id: modelId, upstreams }: RoutedModel): void {
    const nowMs = performance.now();
    for (const { provider } of upstreams) {
      const { id } = provider;
      const { isUsable, variable } = this.#missing(provider);
      const logged = this.#logged.get(id);
      if (isUsable || (logged !== undefined && nowMs - logged.remindedAtMs < REMIND_MS)) continue;
      this.#logged.set(id, { variable, remindedAtMs: nowMs });
      this.#options.log.error(
        { provider: id, variable, model: modelId },
        'requests are refused: set this variable with gatewayctl credentials set, or in the environment of the data plane',
      );
    }
  }

  #missing(provider: RoutedProvider): { isUsable: boolean; variable: string } {
    const { missing, set } = sortBy(variablesOf(provider), this.#options.credential);
    return { isUsable: set.length > 0 || missing.length === 0, variable: missing.join(', ') };
  }
}

function sortBy(names: readonly string[], find: (name: string) => string | undefined) {
  const isSet = (name: string) => find(name) !== undefined;
  return { set: names.filter(isSet), missing: names.filter((name) => !isSet(name)) };
}
