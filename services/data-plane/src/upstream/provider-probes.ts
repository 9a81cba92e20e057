import { randomUUID } from 'node:crypto';
import type { ControlPlaneClient } from '@model-gateway/contracts';
import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { DataPlaneMetrics } from '../observability/data-plane-metrics.ts';
import type { ProviderCredential } from './credential-ring.ts';
import type { FetchedCredentials } from './fetched-credentials.ts';
import { type ProbeOutcome, probeProvider } from './probe-provider.ts';
import type { ProviderBreakers } from './provider-breakers.ts';
import type { ProviderCredentials } from './provider-credentials.ts';
import type { ProviderPools } from './provider-pools.ts';

const REPORT_TIMEOUT_MS = 5_000;
/** A report expires when the next two are overdue. */
const VALID_INTERVALS = 3;
const GRACE_MS = 10_000;

export interface ProviderProbesOptions {
  /** Undefined: off. */
  intervalMs: number | undefined;
  providers: () => Iterable<RoutedProvider>;
  pools: Pick<ProviderPools, 'get'>;
  credentials: Pick<ProviderCredentials, 'all'>;
  fetchedCredentials: Pick<FetchedCredentials, 'get'>;
  breakers: Pick<ProviderBreakers, 'probed'>;
  client: ControlPlaneClient;
  metrics: Pick<DataPlaneMetrics, 'providerProbes'>;
  log: Logger;
}

/** Probes providers at intervals, for the status of idle ones. Off by default. */
export class ProviderProbes {
  readonly #options: ProviderProbesOptions;
  readonly #instanceId = randomUUID();
  readonly #stop = new AbortController();
  readonly #outcomes = new Map<string, ProbeOutcome>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ProviderProbesOptions) {
    this.#options = options;
  }

  start(): void {
    const { intervalMs } = this.#options;
    // Random start, so that a fleet that starts together does not probe together.
    if (intervalMs !== undefined) this.#wait(Math.random() * intervalMs, intervalMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stop.abort();
  }

  #wait(delayMs: number, intervalMs: number): void {
    this.#timer = setTimeout(() => {
      const probed = this.#round(intervalMs).finally(() => {
        if (!this.#stop.signal.aborted) this.#wait(intervalMs * (0.75 + Math.random() / 2), intervalMs);
      });
      inBackground(probed);
    }, delayMs);
  }

  async #round(intervalMs: number): Promise<void> {
    const { client, log, providers } = this.#options;
    const probes = (await Promise.all([...providers()].map((provider) => this.#probe(provider)))).flat();
    if (this.#stop.signal.aborted || probes.length === 0) return;
    const validMs = VALID_INTERVALS * intervalMs + GRACE_MS;
    const report = { instanceId: this.#instanceId, probes, validMs };
    try {
      await client.callOnce(REPORT_TIMEOUT_MS, 'catalog', 'reportProbes', report);
    } catch (error) {
      log.debug({ error }, 'probes of providers could not be reported');
    }
  }

  /** Probes a provider. @returns nothing for a provider without a credential */
  async #probe(provider: RoutedProvider): Promise<{ providerId: string; outcome: ProbeOutcome }[]> {
    const { breakers, credentials, log, metrics } = this.#options;
    const { id: providerId } = provider;
    const sinceMs = performance.now();
    let outcome: ProbeOutcome | undefined;
    for (const credential of credentials.all(provider)) {
      const found = await this.#outcome(provider, credential);
      // A provider whose credentials cannot be fetched cannot be used.
      outcome = found ?? outcome ?? 'failed';
      // One accepted credential is enough to serve callers.
      if (found === 'ok' || found === 'failed') break;
    }
    if (outcome === undefined || this.#stop.signal.aborted) return [];
    breakers.probed(providerId, outcome !== 'ok');
    metrics.providerProbes.labels(providerId, outcome).observe((performance.now() - sinceMs) / 1_000);
    if ((this.#outcomes.get(providerId) ?? 'ok') !== outcome)
      log.warn({ provider: providerId, outcome }, 'the outcome of the probes of a provider has changed');
    this.#outcomes.set(providerId, outcome);
    return [{ providerId, outcome }];
  }

  /** Probes with one credential. @returns undefined if it cannot be fetched */
  async #outcome(
    provider: RoutedProvider,
    { source, value }: ProviderCredential,
  ): Promise<ProbeOutcome | undefined> {
    const { fetchedCredentials, pools } = this.#options;
    try {
      const fetched = source && (await fetchedCredentials.get(source));
      const credential = { credential: value, fetched };
      return await probeProvider(pools.get(provider), provider, credential, this.#stop.signal);
    } catch {
      return undefined;
    }
  }
}
