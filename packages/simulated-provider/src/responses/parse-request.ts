import { ProviderError } from '../errors/provider-error.ts';
import { checkOptions } from './check-options.ts';
import { type Explanation, explainIssue } from './explain-issue.ts';
import { type ResponsesRequest, responsesRequest } from './responses-request.ts';

/** Checks a request as OpenAI does. @throws ProviderError 400 that names the first mistake */
export function parseResponses(json: unknown): ResponsesRequest {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new ProviderError(400, 'We could not parse the JSON body of your request.');
  }
  const result = responsesRequest.safeParse(json, { reportInput: true });
  if (!result.success) {
    const issue = result.error.issues[0];
    throw issue === undefined ? new ProviderError(400, 'Invalid request.') : refusal(explainIssue(issue));
  }
  checkOptions(result.data);
  return result.data;
}

export function refusal({ code, message, param }: Explanation): ProviderError {
  return new ProviderError(400, message, { param, code });
}
