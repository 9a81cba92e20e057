import { VERDICTS, withReportedWords, wrongContentType } from '@model-gateway/dialects';
import type { ProviderAttempt } from './capability-call.ts';
import { secretRedactor } from './redact.ts';
import { readErrorBody } from './send-to-provider.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';

/** Returns the error for a response that is not an event stream. Some providers reject with 200 and JSON. */
export async function unexpectedResponse(
  { headers }: UpstreamAnswer,
  { call, secrets }: ProviderAttempt,
): Promise<unknown> {
  const contentType = headers['content-type'];
  const error = wrongContentType(contentType, 'an event stream');
  if (!/^application\/json\b/i.test(contentType ?? '')) return error;
  error.verdict = VERDICTS.caused_by_request;
  return withReportedWords(error, await readErrorBody(call), secretRedactor(secrets));
}
