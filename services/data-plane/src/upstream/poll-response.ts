import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type EndedReader,
  type EndedResponse,
  OutlinedResponse,
  type ProviderStoredRequest,
} from '@model-gateway/dialects';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { UpstreamAttempt } from '../request-record.ts';
import type { UnfinishedResponse } from './capability-call.ts';
import type { FetchedCredentials } from './fetched-credentials.ts';
import { type ProviderCredentials, sentAs } from './provider-credentials.ts';
import type { ProviderPools } from './provider-pools.ts';
import { LARGE_ANSWER_BYTES, Outliner, parseJson } from './relay-json.ts';
import { sendToProvider } from './send-to-provider.ts';
import { UpstreamCall } from './upstream-call.ts';

export interface PollContext {
  pools: ProviderPools;
  fetchedCredentials: Pick<FetchedCredentials, 'get'>;
  credentials: Pick<ProviderCredentials, 'tryCredentials'>;
}

/** A response whose state is polled, with the headers of its caller. */
export interface PolledResponse {
  headers: IncomingHttpHeaders;
  model: RoutedModel;
  unfinished: UnfinishedResponse;
}

const MAX_BYTES = 32 * 1024 * 1024;
/** Statuses of a provider that does not have the response or the route. */
const UNKNOWN: ReadonlySet<unknown> = new Set([404, 405, 410, 501]);

/**
 * Requests the state of a response from its provider once. Only one of the provider's
 * credentials may find it, so each is tried.
 * @returns `silent` if nothing was learned
 */
export async function pollResponse(
  context: PollContext,
  { headers, model, unfinished }: PolledResponse,
  stop: AbortSignal,
): Promise<EndedResponse | 'under_way' | 'unknown' | 'silent'> {
  const { providerId, responseId } = unfinished;
  const attempts: UpstreamAttempt[] = [];
  try {
    const provider = model.upstreams.find((upstream) => upstream.provider.id === providerId)?.provider;
    const endpoint = provider?.protocol.endpoints.chat?.providerStored;
    if (provider === undefined || endpoint === undefined) throw new Error('the provider stores no responses');
    return await context.credentials.tryCredentials({
      provider,
      model: model.id,
      attempt: async (credential) => {
        const call = new UpstreamCall(stop);
        const startedAtMs = performance.now();
        const attempt: UpstreamAttempt = {
          providerId,
          upstreamModel: model.id,
          credentialEnv: credential.variable,
          streamed: false,
          startedAtMs,
        };
        attempts.push(attempt);
        let complete = false;
        try {
          const request = await endpoint.buildRequest(requestFor(responseId, model.id), model.id, call);
          const fetched = credential.source && (await context.fetchedCredentials.get(credential.source));
          const current = { attempt, call, provider, ...sentAs(credential, fetched) };
          await sendToProvider(context.pools, { req: { headers } }, current, request, false);
          const bytes = await call.readBytes(MAX_BYTES);
          complete = true;
          return (await readEnd(bytes, endpoint.ended)) ?? 'under_way';
        } finally {
          call.close(complete);
        }
      },
      mayRepeat: () => !stop.aborted,
    });
  } catch {
    const isUnknown = attempts.length > 0 && attempts.every(({ httpStatus }) => UNKNOWN.has(httpStatus));
    return isUnknown ? 'unknown' : 'silent';
  }
}

/** Bytes to scan before yielding to the event loop. */
const SLICE_BYTES = 256 * 1024;

/** Reads usage from a response; a large one is outlined, not parsed, without blocking the event loop. */
async function readEnd(bytes: Buffer, reader: EndedReader): Promise<EndedResponse | undefined> {
  const outliner = new Outliner(reader.outline, LARGE_ANSWER_BYTES);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    outliner.push(bytes.subarray(at, at + SLICE_BYTES));
    await yieldToEventLoop();
  }
  const members = outliner.members();
  if (members === undefined) return reader.whole(parseJson(bytes.toString()));
  return reader.large(new OutlinedResponse([bytes], members));
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
