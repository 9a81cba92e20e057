import type { IncomingHttpHeaders } from 'node:http';
import { type EndedResponse, OutlinedResponse, type ProviderStoredRequest } from '@model-gateway/dialects';
import type { StopSignal } from '@model-gateway/service-kit';
import type { RoutedProvider } from '../catalog/model-table.ts';
import { MAX_ANSWER_BYTES } from '../memory/answer-budget.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import type { MemoryOwner } from '../memory/shared-memory.ts';
import type { UpstreamAttempt } from '../request-record.ts';
import type { UnfinishedResponse } from '../upstream/capability-call.ts';
import type { FetchedCredentials } from '../upstream/fetched-credentials.ts';
import { type ProviderCredentials, withCredential } from '../upstream/provider-credentials.ts';
import type { ProviderPools } from '../upstream/provider-pools.ts';
import { readWhole } from '../upstream/read-whole.ts';
import { LARGE_ANSWER_BYTES, Outliner, parseJson, textOf } from '../upstream/relay-json.ts';
import { sendToProvider } from '../upstream/send-to-provider.ts';
import { UpstreamCall } from '../upstream/upstream-call.ts';

export interface PollContext {
  pools: ProviderPools;
  fetchedCredentials: Pick<FetchedCredentials, 'get'>;
  credentials: Pick<ProviderCredentials, 'tryCredentials'>;
  answerBudget: Pick<MemoryBudget, 'open'>;
}

/** A response whose state is polled. */
export interface PolledResponse {
  provider: RoutedProvider;
  response: UnfinishedResponse & { modelId: string; headers: IncomingHttpHeaders };
  /** Owner of the memory for the response. */
  owner: MemoryOwner;
}

/** Statuses of a provider that does not have the response or the route. */
const UNKNOWN: ReadonlySet<unknown> = new Set([404, 405, 410, 501]);

/**
 * Requests the state of a response from its provider once. Only one of the provider's
 * credentials may find it, so each is tried.
 * @returns `silent` if nothing was learned
 */
export async function pollResponse(
  context: PollContext,
  { owner, provider, response }: PolledResponse,
  stop: StopSignal,
): Promise<EndedResponse | 'under_way' | 'unknown' | 'silent'> {
  const { headers, modelId, responseId } = response;
  const attempts: UpstreamAttempt[] = [];
  const claim = context.answerBudget.open(owner);
  try {
    const endpoint = provider.protocol.endpoints.chat?.providerStored;
    if (endpoint === undefined) throw new Error('the provider stores no responses');
    return await context.credentials.tryCredentials({
      provider,
      model: modelId,
      attempt: async (credential) => {
        const call = new UpstreamCall(stop);
        const attempt: UpstreamAttempt = {
          providerId: provider.id,
          upstreamModel: modelId,
          credentialEnv: credential.variable,
          streamed: false,
          startedAtMs: performance.now(),
        };
        attempts.push(attempt);
        let complete = false;
        try {
          const request = await endpoint.buildRequest(requestFor(responseId, modelId), modelId, call);
          const fetched = credential.source && (await context.fetchedCredentials.get(credential.source));
          const current = withCredential({ attempt, call, provider }, credential, fetched);
          const answer = await sendToProvider(context.pools, { req: { headers } }, current, request, false);
          const { ended } = endpoint;
          const outliner = new Outliner(ended.outline, LARGE_ANSWER_BYTES);
          const onChunk = (chunk: Buffer) => outliner.push(chunk);
          const chunks = await readWhole(answer, current, claim, { maxBytes: MAX_ANSWER_BYTES, onChunk });
          complete = true;
          const members = outliner.members();
          const end =
            members === undefined
              ? ended.whole(parseJson(textOf(chunks)))
              : ended.large(new OutlinedResponse(chunks, members));
          return end ?? 'under_way';
        } finally {
          call.close(complete);
        }
      },
      mayRepeat: () => !stop.aborted,
    });
  } catch {
    const isUnknown = attempts.length > 0 && attempts.every(({ httpStatus }) => UNKNOWN.has(httpStatus));
    return isUnknown ? 'unknown' : 'silent';
  } finally {
    claim.giveBack();
  }
}

function requestFor(responseId: string, modelId: string): ProviderStoredRequest {
  return {
    what: 'response',
    id: responseId,
    responseId,
    modelId,
    query: '',
    streamed: false,
    sealed: (_providerId, id) => id,
  };
}
