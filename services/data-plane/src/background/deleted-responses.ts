import { createHash } from 'node:crypto';
import type { ControlPlaneClient } from '@model-gateway/contracts';
import type { EndedResponse } from '@model-gateway/dialects';
import { NO_UNITS, perUnit } from '@model-gateway/shared';
import { deletionNotRecorded } from '@model-gateway/shared/errors';
import { z } from 'zod';
import type { UnfinishedResponse } from '../upstream/capability-call.ts';

const TIMEOUT_MS = 3_000;

const endedResponse = z.object({
  usage: z.object({ units: z.object(perUnit('unit', () => z.number())) }).optional(),
  writtenTokens: z.number().optional(),
  hasFailed: z.boolean(),
  serviceTier: z.string().optional(),
});

/**
 * Remembers at the control plane, for all data planes, which stored responses callers have deleted: their
 * providers cannot be asked for the usage any more.
 */
export class DeletedResponses {
  readonly #client: ControlPlaneClient;

  constructor(client: ControlPlaneClient) {
    this.#client = client;
  }

  /**
   * Call before the deletion.
   * @param ended undefined if the provider still works on it or did not respond
   * @throws GatewayError 503 if no control plane accepts it
   */
  async report(response: UnfinishedResponse, ended: EndedResponse | undefined): Promise<void> {
    const usage = ended?.usage && { units: { ...NO_UNITS, ...ended.usage.units } };
    const known = ended === undefined ? {} : { ended: JSON.stringify({ ...ended, usage }) };
    try {
      await this.#client.call(TIMEOUT_MS, 'billing', 'reportDeletedResponse', {
        id: idOf(response),
        ...known,
      });
    } catch (cause) {
      throw deletionNotRecorded(cause);
    }
  }

  /** @returns undefined if it was not deleted. @throws what the call throws */
  async find(response: UnfinishedResponse): Promise<EndedResponse | 'deleted' | undefined> {
    const id = idOf(response);
    const found = await this.#client.call(TIMEOUT_MS, 'billing', 'resolveDeletedResponse', { id });
    if (!found.isDeleted) return undefined;
    if (found.ended === undefined) return 'deleted';
    const { hasFailed, serviceTier, usage, writtenTokens } = endedResponse.parse(JSON.parse(found.ended));
    return { hasFailed, serviceTier, usage, writtenTokens };
  }
}

/** Hashes the id, because whoever knows it and the operator's credential could read the response. */
function idOf({ providerId, responseId }: UnfinishedResponse): string {
  return createHash('sha256')
    .update(JSON.stringify([providerId, responseId]))
    .digest('base64url');
}
