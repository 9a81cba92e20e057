import type { z } from 'zod';
import { ProviderError } from '../errors/provider-error.ts';
import { type ConversationRules, checkConversation } from './check-conversation.ts';
import { checkOptions } from './check-options.ts';
import { explainIssue } from './explain-issue.ts';
import { MAX_OUTPUT_TOKENS, type MessagesRequest, messagesRequest } from './messages-request.ts';
import { checkMembers, type RequestHead } from './request-members.ts';

/** `mergeRoles` is what Anthropic does today. */
export interface ParseOptions extends RequestHead, ConversationRules {}

/** Checks a request as Anthropic does. @throws ProviderError 400 that names the first mistake */
export function parseMessages(json: unknown, options: ParseOptions): MessagesRequest {
  const body = requireObject(json);
  checkMembers(body, options, false);
  return checked(body, options);
}

/** The same for a request that only wants to know how many tokens it has. */
export function parseCount(json: unknown, options: ParseOptions): MessagesRequest {
  const body = requireObject(json);
  checkMembers(body, options, true);
  // The rest is the same, so it gets the one member that only answers need.
  return checked({ ...body, max_tokens: MAX_OUTPUT_TOKENS }, options);
}

function requireObject(json: unknown): object {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  throw new ProviderError(400, 'Input should be a valid dictionary');
}

function checked(body: object, options: ParseOptions): MessagesRequest {
  const result = messagesRequest.safeParse(body, { reportInput: true });
  if (!result.success) throw new ProviderError(400, issueText(result.error.issues[0]));
  checkOptions(result.data);
  checkConversation(result.data, options);
  return result.data;
}

function issueText(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'Invalid request';
  const { message, path } = explainIssue(issue);
  return path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`;
}
