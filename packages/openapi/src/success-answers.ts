import { errorEnvelope, messagesErrorEnvelope, messagesProviderError } from '@model-gateway/shared';
import { type ZodObject, type ZodType, z } from 'zod';
import type { ZodOpenApiContentObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { cachedHeaders, chatHeaders, messagesHeaders, proxiedHeaders } from './headers.ts';

/** The media type of streams. In the document their schema is that of one event's `data`. */
export const EVENT_STREAM = 'text/event-stream';

export function jsonContent(schema: ZodType): ZodOpenApiContentObject {
  return { 'application/json': { schema } };
}

/** @param event the `data` of one event; the stream may end with an error in the usual envelope instead */
export function eventContent(event: ZodType): ZodOpenApiContentObject {
  return { [EVENT_STREAM]: { schema: z.union([event, errorEnvelope]) } };
}

/** The same in Anthropic's form; the stream may also end with an error in the provider's own words. */
export function messagesEventContent(event: ZodType): ZodOpenApiContentObject {
  return { [EVENT_STREAM]: { schema: z.union([event, messagesErrorEnvelope, messagesProviderError]) } };
}

/** A provider's answer that is passed on. */
export function proxiedAnswer(
  description: string,
  content: ZodOpenApiContentObject,
): { 200: ZodOpenApiResponseObject } {
  return { 200: { description, headers: proxiedHeaders, content } };
}

/** The same of a chat, of which parts may be ignored. */
export function chatAnswer(
  description: string,
  content: ZodOpenApiContentObject,
): { 200: ZodOpenApiResponseObject } {
  return { 200: { description, headers: chatHeaders, content } };
}

/** The same of a chat in Anthropic's form. */
export function messagesAnswer(
  description: string,
  content: ZodOpenApiContentObject,
): { 200: ZodOpenApiResponseObject } {
  return { 200: { description, headers: messagesHeaders(chatHeaders), content } };
}

/** The answers of a GET that CDNs and clients may cache: 200, or 304 without a body. */
export function cachedAnswers(
  description: string,
  schema: ZodType,
  headers: ZodObject = cachedHeaders,
): { 200: ZodOpenApiResponseObject; 304: ZodOpenApiResponseObject } {
  return {
    200: { description, headers, content: jsonContent(schema) },
    304: { description: 'Not changed since the copy that `if-none-match` names.', headers },
  };
}

/** The same in the form of the client. @param theirs in Anthropic's form */
export function eitherCachedAnswers(description: string, schema: ZodType, theirs: ZodType) {
  return cachedAnswers(description, z.union([schema, theirs]), messagesHeaders(cachedHeaders, 'atTimes'));
}
