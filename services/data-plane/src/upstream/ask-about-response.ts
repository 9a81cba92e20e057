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

/** A response, and for whom it was made. */
export interface AskedAbout {
  headers: IncomingHttpHeaders;
  model: RoutedModel;
  workedOn: WorkedOn;
}

/** As of other answers: longer ones are not read. */
const MAX_BYTES = 32 * 1024 * 1024;
/** A provider without such a response, or without the route, which is not part of each API of this kind. */
const UNKNOWN: ReadonlySet<unknown> = new Set([404, 405, 410, 501]);

/**
 * Asks the provider of a response once how far that has come. Which of its credentials belongs to the account
 * that keeps it is not known: each is asked with until one finds it.
 * @returns `silent`: nothing was learnt
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
    const kept = provider?.protocol.endpoints.chat?.providerStored;
    if (provider === undefined || kept === undefined) throw new Error('its provider keeps no responses');
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
          const asked = await kept.ask(requestFor(responseId, model.id), model.id, call);
          const fetched = credential.source && (await context.fetchedCredentials.get(credential.source));
          const current = { attempt, call, provider, ...sentAs(credential, fetched) };
          await sendToProvider(context.pools, { req: { headers } }, current, asked, false);
          const bytes = await call.readBytes(MAX_BYTES);
          complete = true;
          return (await endedIn(bytes, kept.ended)) ?? 'under_way';
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

/** So much of an answer is looked at before others have their turn. */
const SLICE_BYTES = 256 * 1024;

/** Reads a large answer as the answers to callers are read: its value is not made, and nobody is held up. */
async function endedIn(bytes: Buffer, reader: EndedReader): Promise<EndedResponse | undefined> {
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
