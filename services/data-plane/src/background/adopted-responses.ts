import type { ControlPlaneClient } from '@model-gateway/contracts';
import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { ModelTable } from '../catalog/model-table.ts';
import { chargeFollowed, finalReport, readFollowed } from '../settlement/followed-response.ts';
import type { SettlementStream } from '../settlement/settlement-stream.ts';
import type { ProviderCredentials } from '../upstream/provider-credentials.ts';
import {
  BACKGROUND_TIMINGS,
  type BackgroundResponses,
  type BackgroundTimings,
} from './background-responses.ts';

const TIMEOUT_MS = 4_000;
/** Maximum responses that are followed for other data planes at once. Another one takes the rest. */
const MAX_ADOPTED = 200;

export interface AdoptedResponsesOptions {
  client: ControlPlaneClient;
  backgroundResponses: Pick<BackgroundResponses, 'follow'>;
  settlement: Pick<SettlementStream, 'record'>;
  models: { readonly table: ModelTable | undefined };
  credentials: Pick<ProviderCredentials, 'isUsable'>;
  timings: BackgroundTimings | undefined;
  log: Pick<Logger, 'debug' | 'info'>;
}

/**
 * Follows responses whose data plane has stopped, or seems gone. The control plane hands each to one data
 * plane, which renews its claim with each call.
 */
export class AdoptedResponses {
  readonly #options: AdoptedResponsesOptions;
  readonly #intervalMs: number;
  /** Request ids of the followed responses. */
  readonly #following = new Set<string>();
  #renewal: NodeJS.Timeout | undefined;
  #isClaiming = false;
  #isClosed = false;

  constructor(options: AdoptedResponsesOptions) {
    this.#options = options;
    this.#intervalMs = (options.timings ?? BACKGROUND_TIMINGS).adoptMs;
  }

  /** Claims responses that nobody follows, and renews the claims of those followed here. */
  claim(): void {
    if (this.#isClaiming || this.#isClosed) return;
    clearTimeout(this.#renewal);
    this.#isClaiming = true;
    inBackground(
      this.#claim().finally(() => {
        this.#isClaiming = false;
        if (this.#following.size > 0 && !this.#isClosed)
          this.#renewal = setTimeout(() => this.claim(), this.#intervalMs);
      }),
    );
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#renewal);
  }

  async #claim(): Promise<void> {
    const { client, log, models } = this.#options;
    if (models.table === undefined) return;
    const following = [...this.#following];
    const request = { following, most: Math.max(0, MAX_ADOPTED - following.length) };
    try {
      const { followed } = await client.call(TIMEOUT_MS, 'billing', 'acquireFollowedResponses', request);
      if (!this.#isClosed) for (const text of followed) this.#adopt(text);
    } catch (error) {
      log.debug({ error }, 'responses of other data planes cannot be claimed');
    }
  }

  /** Follows a response. Ignores one that this process cannot follow: its claim expires. */
  #adopt(text: string): void {
    const { backgroundResponses, credentials, log, models, settlement } = this.#options;
    const found = readFollowed(text);
    const provider = found && models.table?.providers.get(found.response.providerId);
    if (provider === undefined || found === undefined || !credentials.isUsable(provider)) return;
    const { report, response } = found;
    const { keyId, owner, requestId } = report;
    this.#following.add(requestId);
    log.info({ request_id: requestId }, 'following a response of another data plane');
    backgroundResponses.follow({
      requestId,
      owner: { keyId, accountId: owner.accountId },
      provider,
      response,
      settle: (end) => {
        this.#following.delete(requestId);
        settlement.record(finalReport(report, chargeFollowed(response, end)));
      },
      handOver: () => this.#following.delete(requestId),
    });
  }
}
