import {
  balanceErrorEnvelope,
  errorEnvelope,
  messagesBalanceErrorEnvelope,
  messagesErrorEnvelope,
  messagesProviderError,
} from '@model-gateway/shared';
import { type ZodObject, type ZodType, z } from 'zod';
import type { ZodOpenApiContentObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { cachedHeaders, messagesHeaders, proxiedHeaders } from './headers.ts';

/** The media type of streams. In the document their schema is that of one event's `data`. */
export const EVENT_STREAM = 'text/event-stream';

export function jsonContent(schema: ZodType): ZodOpenApiContentObject {
  return { 'application/json': { schema } };
}

/** @param event the `data` of one event; the stream may end with an error in the usual envelope instead */
export function eventContent(event: ZodType): ZodOpenApiContentObject {
  return { [EVENT_STREAM]: { schema: z.union([event, errorEnvelope, balanceErrorEnvelope]) } };
}

/** A response that is whole or, on request, a stream. */
export function jsonOrEvents(whole: ZodType, event: ZodType): ZodOpenApiContentObject {
  return { ...jsonContent(whole), ...eventContent(event) };
}

/** Like `eventContent` in Anthropic's form. The stream may also end with an error of the provider. */
export function messagesEventContent(event: ZodType): ZodOpenApiContentObject {
  const errors = [messagesErrorEnvelope, messagesBalanceErrorEnvelope, messagesProviderError];
  return { [EVENT_STREAM]: { schema: z.union([event, ...errors]) } };
}

/** The successful response to a request that was sent to a provider. */
export function proxiedResponse(
  description: string,
  content: ZodOpenApiContentObject,
  headers: ZodObject = proxiedHeaders,
): { 200: ZodOpenApiResponseObject } {
  return { 200: { description, headers, content } };
}

/** The responses of a GET that CDNs and clients may cache: 200, or 304 without a body. */
export function cachedResponses(
  description: string,
  schema: ZodType,
  headers: ZodObject = cachedHeaders,
): { 200: ZodOpenApiResponseObject; 304: ZodOpenApiResponseObject } {
  return {
    200: { description, headers, content: jsonContent(schema) },
    304: { description: 'The content has not changed since the copy that `if-none-match` names.', headers },
  };
}

/** Like `cachedResponses`, in the form that the client expects. @param theirs in Anthropic's form */
export function eitherCachedResponses(description: string, schema: ZodType, theirs: ZodType) {
  return cachedResponses(description, z.union([schema, theirs]), messagesHeaders(cachedHeaders, 'sometimes'));
}
