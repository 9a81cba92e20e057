import type { UsedCredential } from '@model-gateway/dialects';
import type { Verdict } from '@model-gateway/shared';

/** Credential that a provider refuses now. */
export interface RefusedCredential {
  providerId: string;
  /** Empty: the identity of the process. */
  variable: string;
  /** Upstream model; empty: it is refused for every model. */
  model: string;
  /** Status of the last refusal, 401 or 403. */
  httpStatus: number | undefined;
  /** Refusals since the credential was last accepted. */
  refusals: number;
  /** Monotonic milliseconds. */
  sinceMs: number;
  lastMs: number;
}

/** Counts refusals of credentials until the provider accepts them again. */
export class RefusedCredentials {
  /** By provider, then by variable and model. Empty nearly always, so that a success costs one comparison. */
  readonly #byProvider = new Map<string, Map<string, RefusedCredential>>();

  /** Counts a refused credential; ignores other failures. @param model upstream model */
  note(
    { credential }: Verdict,
    { credentialEnv: variable = '', providerId }: Pick<UsedCredential, 'credentialEnv' | 'providerId'>,
    { httpStatus, upstreamModel }: { httpStatus?: number | undefined; upstreamModel: string },
    nowMs = performance.now(),
  ): void {
    if (credential !== 'refused' && credential !== 'refused_for_model') return;
    const model = credential === 'refused' ? '' : upstreamModel;
    const ofProvider = this.#byProvider.get(providerId) ?? new Map<string, RefusedCredential>();
    const known = ofProvider.get(keyOf(variable, model));
    this.#byProvider.set(providerId, ofProvider);
    ofProvider.set(keyOf(variable, model), {
      ...{ providerId, variable, model, httpStatus },
      refusals: (known?.refusals ?? 0) + 1,
      sinceMs: known?.sinceMs ?? nowMs,
      lastMs: nowMs,
    });
  }

  /** Forgets the refusals of a credential that the provider has accepted for a model. */
  accepted(providerId: string, variable = '', model: string): void {
    if (this.#byProvider.size === 0) return;
    const ofProvider = this.#byProvider.get(providerId);
    if (ofProvider === undefined) return;
    for (const name of ['', model]) ofProvider.delete(keyOf(variable, name));
    if (ofProvider.size === 0) this.#byProvider.delete(providerId);
  }

  /** Forgets the refusals of a provider whose credentials have changed. */
  forget(providerId: string): void {
    this.#byProvider.delete(providerId);
  }

  /** Forgets providers that the catalog no longer has. */
  keepOnly(providerIds: ReadonlyMap<string, unknown>): void {
    for (const id of this.#byProvider.keys()) if (!providerIds.has(id)) this.#byProvider.delete(id);
  }

  list(): RefusedCredential[] {
    return [...this.#byProvider.values()].flatMap((each) => [...each.values()]);
  }
}

function keyOf(variable: string, model: string): string {
  return `${variable}\n${model}`;
}
