import { EventStreamCodec } from '@smithy/core/event-streams';
import { ProviderError } from '../errors/provider-error.ts';
import { bearerToken, isSameSecret } from '../text/signatures.ts';
import { awsSignatureIn, isSignedBy, type SignedRequest } from './aws-signature.ts';
import type { Protocol } from './protocol.ts';

const SERVICE = 'bedrock';
/** Headers that must be signed if present. */
const TO_BE_SIGNED = ['host', 'content-type', 'x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256'];
const CLOCK_SKEW_MS = 5 * 60_000;
const SESSION_END = /-until-(\d+)$/;

/** Returns the secret of an access key. */
export function simulatedAwsSecret(accessKeyId: string): string {
  return `secret-of-${accessKeyId}`;
}

/** Returns a session token that is accepted until a time. @param untilMs Unix milliseconds */
export function simulatedAwsSession(untilMs: number): string {
  return `session-until-${Math.floor(untilMs)}`;
}

const REFUSALS: Record<number, { message: string; code: string }> = {
  400: { message: 'The request was refused by simulation.', code: 'ValidationException' },
  403: { message: 'User is not authorized to perform: bedrock:InvokeModel', code: 'AccessDeniedException' },
  429: { message: 'Too many requests, please wait before trying again.', code: 'ThrottlingException' },
  500: { message: 'The system encountered an unexpected error.', code: 'InternalServerException' },
  503: { message: 'Bedrock is unable to process your request.', code: 'ServiceUnavailableException' },
};

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

/** Serializes a message of an AWS event stream. @param type of the event or exception */
export function awsMessage(type: string, json: string, messageType = 'event'): Buffer {
  const text = (value: string) => ({ type: 'string' as const, value });
  const headers = {
    [`:${messageType}-type`]: text(type),
    ':content-type': text('application/json'),
    ':message-type': text(messageType),
  };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(json) }));
}

const EXCEPTION = 'modelStreamErrorException';

/** The runtime of Amazon Bedrock. @param isClaude true for InvokeModel, with events of Messages */
function bedrock(isClaude: boolean): Protocol {
  const textBefore = isClaude
    ? '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"'
    : '{"contentBlockIndex":0,"delta":{"text":"';
  return {
    vendor: 'bedrock',
    credential: ({ authorization, 'x-amz-security-token': token }) =>
      typeof token === 'string' ? token : bearerToken(authorization),
    checkHead: (headers, apiKey, request) => check({ ...request, headers }, apiKey),
    answerHeaders: (requestId) => ({ 'x-amzn-requestid': requestId }),
    errorBody: ({ message }) => ({ message }),
    refusal: (status) => REFUSALS[status],
    unknownMember: (name) =>
      new ProviderError(400, `Malformed input request: extraneous key [${name}] is not permitted`),
    stream: {
      contentType: 'application/vnd.amazon.eventstream',
      // The start of the message, the start of its first block, and one or two tokens.
      faultAfterEvents: 4,
      isLast: ({ event }) => event === (isClaude ? 'message_stop' : 'metadata'),
      errorEvent: { event: EXCEPTION, data: JSON.stringify({ message: 'The model failed.' }) },
      textEvent: { name: 'contentBlockDelta', before: textBefore, after: '"}}' },
      frame: ({ data, event = '' }) => {
        if (event === EXCEPTION) return awsMessage(event, data, 'exception');
        if (!isClaude) return awsMessage(event, data);
        return awsMessage('chunk', JSON.stringify({ bytes: Buffer.from(data).toString('base64') }));
      },
    },
  };
}

export const BEDROCK_CONVERSE = bedrock(false);
export const BEDROCK_CLAUDE = bedrock(true);

function check(request: SignedRequest, apiKey: string | undefined): void {
  const { authorization } = request.headers;
  const token = bearerToken(authorization);
  if (token !== undefined) {
    if (apiKey !== undefined && !isSameSecret(token, apiKey))
      throw denied('Authentication failed: API Key is invalid.');
    return;
  }
  const signature = awsSignatureIn(authorization);
  if (signature === undefined) throw denied('Missing Authentication Token');
  const { accessKeyId, date, service, signedHeaders } = signature;
  if (service !== SERVICE) throw denied(`Credential should be scoped to correct service: '${SERVICE}'.`);
  const unsigned = TO_BE_SIGNED.find((name) => name in request.headers && !signedHeaders.includes(name));
  if (unsigned !== undefined) throw denied(`'${unsigned}' must be a signed header.`);
  if (!isSignedBy(request, signature, simulatedAwsSecret(accessKeyId)))
    throw denied('The request signature we calculated does not match the signature you provided.');
  checkDate(request, date);
  const { 'x-amz-security-token': session } = request.headers;
  const until = SESSION_END.exec(String(session ?? ''))?.[1];
  if (until !== undefined && Date.now() >= Number(until))
    throw denied('The security token included in the request is expired');
}

function checkDate({ headers }: SignedRequest, date: string): void {
  const [, year, month, day, hours, minutes, seconds] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date'])) ?? [];
  const signedAtMs = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`);
  if (`${year}${month}${day}` === date && Math.abs(Date.now() - signedAtMs) < CLOCK_SKEW_MS) return;
  throw denied(`Signature expired: ${headers['x-amz-date']}`);
}

function denied(message: string): ProviderError {
  return new ProviderError(403, message);
}
