import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import {
  type EndedReader,
  type EndedResponse,
  OutlinedResponse,
  type ProviderStoredRequest,
} from '@model-gateway/dialects';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { UpstreamAttempt } from '../request-record.ts';
import type { WorkedOn } from './capability-call.ts';
import type { FetchedCredentials } from './fetched-credentials.ts';
import { type ProviderCredentials, sentAs } from './provider-credentials.ts';
import type { ProviderPools } from './provider-pools.ts';
import { LARGE_ANSWER_BYTES, Outliner, parseJson } from './relay-json.ts';
import { sendToProvider } from './send-to-provider.ts';
import { UpstreamCall } from './upstream-call.ts';

export interface AskContext {
  pools: ProviderPools;
  fetchedCredentials: Pick<FetchedCredentials, 'get'>;
  credentials: Pick<ProviderCredentials, 'inTurn'>;
}

/** A response to ask about, with the headers of its caller. */
export interface AskedAbout {
  headers: IncomingHttpHeaders;
  model: RoutedModel;
  workedOn: WorkedOn;
}

const MAX_BYTES = 32 * 1024 * 1024;
/** Statuses of a provider that does not have the response or the route. */
const UNKNOWN: ReadonlySet<unknown> = new Set([404, 405, 410, 501]);

/**
 * Asks the provider once for the state of a response. Only one of its credentials may find it, so each is
 * tried.
 * @returns `silent` if nothing was learned
 */
export async function askAboutResponse(
  context: AskContext,
  { headers, model, workedOn }: AskedAbout,
  stop: AbortSignal,
): Promise<EndedResponse | 'under_way' | 'unknown' | 'silent'> {
  const { providerId, responseId } = workedOn;
  const attempts: UpstreamAttempt[] = [];
  try {
    const provider = model.upstreams.find((upstream) => upstream.provider.id === providerId)?.provider;
    const endpoint = provider?.protocol.endpoints.chat?.providerStored;
    if (provider === undefined || endpoint === undefined) throw new Error('its provider keeps no responses');
    return await context.credentials.inTurn({
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
    await setImmediate();
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
