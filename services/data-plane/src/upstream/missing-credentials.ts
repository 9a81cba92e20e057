import type { Logger } from '@model-gateway/service-kit';
import type { RoutedModel, RoutedProvider } from '../catalog/model-table.ts';

/** How often the log is told, at most, that requests are refused for want of a provider's credential. */
const REMIND_MS = 60_000;

export interface MissingCredentialsOptions {
  credential: (environmentVariable: string) => string | undefined;
  log: Logger;
}

export function variablesOf({ credentials }: Pick<RoutedProvider, 'credentials'>): string[] {
  return credentials.flatMap(({ variable }) => variable ?? []);
}

/**
 * Tells the operator's log which variable to set for which provider: as soon as a catalog names one that is
 * not set, and again while requests meet that, once a minute for each provider however many they are.
 */
export class MissingCredentials {
  readonly #options: MissingCredentialsOptions;
  /** By provider: the variables that were told, and when requests were last told of. */
  readonly #told = new Map<string, { variable: string; remindedAtMs: number }>();

  constructor(options: MissingCredentialsOptions) {
    this.#options = options;
  }

  /** The names alone, as the control plane asks for them. */
  sort(variables: readonly string[]): { set: string[]; missing: string[] } {
    const isSet = (variable: string) => this.#options.credential(variable) !== undefined;
    return {
      set: variables.filter(isSet),
      missing: variables.filter((variable) => !isSet(variable)),
    };
  }

  catalogChanged(providers: ReadonlyMap<string, RoutedProvider>): void {
    for (const [providerId, { variable }] of this.#told) {
      const provider = providers.get(providerId);
      if (provider === undefined || this.#missing(provider).text !== variable) this.#told.delete(providerId);
    }
    for (const provider of providers.values()) {
      const { id } = provider;
      const { isUsable, text: variable } = this.#missing(provider);
      if (variable === '' || this.#told.has(id)) continue;
      this.#told.set(id, { variable, remindedAtMs: Number.NEGATIVE_INFINITY });
      this.#options.log.warn(
        { provider: id, variable },
        isUsable
          ? 'a provider is used with the rest of its credentials: set this variable in the environment of the data plane, and start it again'
          : 'a provider cannot be used: set this variable in the environment of the data plane, and start it again',
      );
    }
  }

  /** A request was refused because no provider of its model has a credential here. */
  refused({ id: modelId, upstreams }: RoutedModel): void {
    const nowMs = performance.now();
    for (const { provider } of upstreams) {
      const { id } = provider;
      const { isUsable, text: variable } = this.#missing(provider);
      const told = this.#told.get(id);
      if (isUsable || (told !== undefined && nowMs - told.remindedAtMs < REMIND_MS)) continue;
      this.#told.set(id, { variable, remindedAtMs: nowMs });
      this.#options.log.error(
        { provider: id, variable, model: modelId },
        'requests are refused: set this variable in the environment of the data plane, and start it again',
      );
    }
  }

  #missing(provider: RoutedProvider): { isUsable: boolean; text: string } {
    const { missing, set } = this.sort(variablesOf(provider));
    return { isUsable: set.length > 0 || missing.length === 0, text: missing.join(', ') };
  }
}
