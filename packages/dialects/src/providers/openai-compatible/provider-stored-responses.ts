import { readServiceTier } from '@model-gateway/shared';
import type { EndedResponse, ProviderStoredEndpoint } from '../../interfaces/provider-protocol.ts';
import type { ProviderStoredRequest } from '../../interfaces/provider-stored-request.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { withPlainEscapes } from '../../json/plain-escapes.ts';
import { withMembers } from '../../json/with-members.ts';
import { estimateOutput } from '../../usage/chat-meter.ts';
import { EVENTS, JSON_TYPE } from '../shared/write-json-body.ts';
import { outputTextOf } from './collect-response-output.ts';
import { billedCalls, countHostedCalls } from './count-hosted-calls.ts';
import { PASSED_REQUEST_HEADER } from './openai-headers.ts';
import { countResponsesUsage } from './openai-responses-usage.ts';
import {
  notResponse,
  outlinedResponse,
  outputTextIn,
  RESPONSE_OUTLINE,
  requireResponse,
} from './passthrough-response.ts';
import { StoredResponseStream } from './passthrough-stored-response-stream.ts';
import { readStoredResponseError } from './read-stored-response-error.ts';
import {
  newMembers,
  type ResponseIds,
  replaceResponseIds,
  replaceWithCallersId,
} from './replace-response-ids.ts';

const SUFFIXES: Readonly<Record<ProviderStoredRequest['what'], string>> = {
  response: '',
  delete: '',
  cancel: '/cancel',
  input_items: '/input_items',
};
const METHODS = { response: 'GET', delete: 'DELETE', cancel: undefined, input_items: 'GET' } as const;

/** Passes stored responses unchanged, except for ids and model. */
export const providerStoredResponses: ProviderStoredEndpoint = {
  buildRequest: ({ id, query, responseId, streamed, what }) => {
    const method = METHODS[what];
    return {
      ...(method === undefined ? {} : { method }),
      path: `/responses/${encodeURIComponent(responseId)}${SUFFIXES[what]}${query === '' ? '' : `?${query}`}`,
      accept: streamed ? EVENTS : JSON_TYPE,
      errorFor: readStoredResponseError(id),
      replaceProviderIds: replaceWithCallersId(id, responseId),
    };
  },
  events: (request, providerId) => new StoredResponseStream(request.responseId, idsOf(request, providerId)),
  whole: (request, providerId) => {
    if (request.what === 'delete') return { whole: (value, text) => deleted(value, text, request) };
    return request.what === 'input_items' ? INPUT_ITEMS : storedResponse(idsOf(request, providerId));
  },
  callerHeaders: [PASSED_REQUEST_HEADER],
  ended: {
    whole: (value) => {
      const answer = requireResponse(value);
      const { output } = answer;
      return endedOf(answer, output, () => output.map(outputTextOf));
    },
    outline: RESPONSE_OUTLINE,
    large: (answer) => {
      const { items, output, read } = outlinedResponse(answer);
      return endedOf(read, items, () => outputTextIn(answer, output));
    },
  },
};

/** @returns undefined while the provider works on it */
function endedOf(
  response: JsonObject,
  items: readonly unknown[],
  written: () => unknown,
): EndedResponse | undefined {
  const { status, usage } = response;
  if (status === 'queued' || status === 'in_progress') return undefined;
  const counted = countResponsesUsage(usage, billedCalls(response, countHostedCalls(items)));
  return {
    usage: counted,
    writtenTokens: counted === undefined && items.length > 0 ? estimateOutput(written()) : undefined,
    hasFailed: status === 'failed',
    serviceTier: readServiceTier(response.service_tier),
  };
}

function storedResponse(ids: ResponseIds): JsonTranslator {
  return {
    whole: (value, text) => ({
      body: replaceResponseIds(withPlainEscapes(text), requireResponse(value), ids),
      usage: undefined,
    }),
    outline: { within: 'output', depth: 1 },
    large: (answer) => {
      if (answer.small('object') !== 'response') throw notResponse();
      const [id, model] = [answer.small('id'), answer.small('model')];
      const members = { id, model, previous_response_id: answer.small('previous_response_id') };
      return { pieces: answer.edit(Object.fromEntries(newMembers(members, ids))), usage: undefined };
    },
  };
}

/** A page of input items, which has no response id. */
const INPUT_ITEMS: JsonTranslator = {
  whole: (value, text) => {
    if (!isObject(value) || !Array.isArray(value.data)) throw notResponse();
    return { body: withPlainEscapes(text), usage: undefined };
  },
  outline: { within: 'data', depth: 1 },
  large: (answer) => {
    if (answer.entries('data') === undefined) throw notResponse();
    return { pieces: answer.edit({}), usage: undefined };
  },
};

function deleted(
  value: unknown,
  text: string,
  { id }: ProviderStoredRequest,
): ReturnType<JsonTranslator['whole']> {
  if (!isObject(value)) throw notResponse();
  const own = JSON.stringify(id);
  const edits = new Map([
    ['id', own],
    ['response_id', own],
  ]);
  return { body: withMembers(withPlainEscapes(text), value, edits), usage: undefined };
}

function idsOf({ id, modelId, responseId, sealed }: ProviderStoredRequest, providerId: string): ResponseIds {
  return {
    modelId,
    // Keeps the id that the caller sent, which may be sealed with an older pepper.
    sealed: (ofProvider) => (ofProvider === responseId ? id : sealed(providerId, ofProvider)),
  };
}
