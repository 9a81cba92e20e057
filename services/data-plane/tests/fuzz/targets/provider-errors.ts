import { type ChatApi, errorForResponse } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import fc from 'fast-check';
import { redactedJson, secretRedactor } from '../../../src/upstream/redact.ts';
import { CALLER_APIS, chatAt, KINDS, kindNamed, requestAt } from '../chats.ts';
import { type FuzzTarget, require } from '../fuzz-target.ts';
import { mutatedText } from '../mutate.ts';

const SECRET = 'sk-simulated-0123456789abcdef';
const SEEDS = [
  '{"error":{"message":"max_tokens is too large","type":"invalid_request_error","param":"max_tokens","code":null}}',
  '{"type":"error","error":{"type":"rate_limit_error","message":"slow down"},"request_id":"req_1"}',
  '{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"35s"},{"reason":"API_KEY_INVALID"}]}}',
  '[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]',
  '{"message":"The security token included in the request is expired","__type":"ExpiredTokenException"}',
  '{"detail":[{"loc":["body","messages",0],"msg":"field required"}],"object":"error"}',
  `{"error":"Incorrect API key provided: ${SECRET}. This model's maximum context length is 8192 tokens"}`,
  '<html><body>502 Bad Gateway</body></html>',
];
const TOKENS = [
  SECRET,
  'Bearer ',
  '   ',
  '"',
  '\\u0073k',
  '{"error":',
  '[',
  ']',
  '}',
  'model ',
  'encrypted content ',
  'prompt is too long',
  'previous_response_not_found',
  'retryDelay":"1e999s',
  '\n',
  '\0',
];

interface Input {
  api: ChatApi;
  kind: string;
  status: number;
  body: string;
  retryAfter: string | undefined;
}

/** Reads error responses of every kind of provider: the caller's error is bounded and has no secret. */
export const providerErrors: FuzzTarget<Input> = {
  name: 'provider-errors',
  input: fc.record({
    api: fc.constantFrom(...CALLER_APIS),
    kind: fc.constantFrom(...KINDS.map(({ name }) => name)),
    status: fc.oneof(
      fc.constantFrom(400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529),
      fc.integer({ min: 300, max: 599 }),
    ),
    body: mutatedText(SEEDS, TOKENS, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
    retryAfter: fc.constantFrom(
      '',
      '0',
      '-1',
      '1e9',
      '5',
      'Wed, 21 Oct 2037 07:28:00 GMT',
      'Infinity',
      '99999999999',
    ),
  }),
  async check({ api, body: bodyText, kind: name, retryAfter, status }) {
    const kind = kindNamed(name);
    const redact = secretRedactor([SECRET]);
    const { errorFor, isOwnApi, isOwnError } = await requestAt(chatAt(api), kind);
    const isPassed = isOwnApi === true && status >= 400 && isOwnError?.(bodyText) !== false;
    const response = {
      status,
      retryAfter,
      bodyText,
      bodyForCaller: isPassed ? redactedJson(bodyText, [SECRET]) : undefined,
      ...kind.protocol.errorDetails?.(bodyText),
    };
    const used = { providerId: 'provider', credentialEnv: 'A_KEY' };
    const error = errorFor?.({ status, bodyText, redact }) ?? errorForResponse(response, used, redact);
    require(error instanceof GatewayError && error.status >= 400 && error.status < 600, `${error}`);
    require(error.message.length <= 1_000, `a message of ${error.message.length} characters`);
    require(!`${error.message} ${error.providersBody}`.includes(SECRET), 'a secret is shown');
  },
};
