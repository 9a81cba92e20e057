import type { RequestListener } from 'node:http';
import { type ResponsesRequest, responsesRequest } from '@model-gateway/shared';
import { invalidField } from '@model-gateway/shared/errors';
import type { DataPlaneContext } from '../context.ts';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import { sendJson } from '../http/send-json.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { requireListed } from '../json/request-schemas.ts';
import { fingerprintedJson } from '../replay/request-fingerprint.ts';
import { serveIfFirst } from '../replay/serve-once.ts';
import { admitRequest, refuseInvalid } from '../steps/admit-request.ts';
import { countPrompt } from '../steps/count-prompt.ts';
import { OVERHEAD_HEADER, overheadMs } from '../upstream/overhead.ts';
import { authenticate } from './authenticate.ts';
import { type ValidatedRequest, validateRequest } from './validate-request.ts';

/** POST /v1/responses/input_tokens: free, and counted as a read. The gateway counts itself. */
export function countResponseTokens(context: DataPlaneContext): RequestListener {
  requireListed(responsesRequest);
  const steps = async (arrived: Exchange) => {
    const exchange = await authenticate(context, arrived, 'chat');
    const expected = { schema: responsesRequest, capability: 'chat', onlyCountsTokens: true } as const;
    const validated = await validateRequest(context, exchange, expected);
    if (validated.body.value.goesOn)
      await refuseInvalid(context, exchange, storedInput(validated.body.value));
    const body = () => fingerprintedJson(validated.body);
    await serveIfFirst(context, exchange, body, () => count(exchange, validated));
  };
  const count = async (
    exchange: AuthenticatedExchange,
    { body, candidates }: ValidatedRequest<ResponsesRequest>,
  ) => {
    await admitRequest(context, exchange, { limitClass: 'reads', takesStream: false });
    const [{ model }] = candidates;
    const inputTokens = await countPrompt(context, exchange, model, body);
    exchange.stop.signal.throwIfAborted();
    const headers = { 'x-gateway-model': model.id, [OVERHEAD_HEADER]: overheadMs(exchange) };
    sendJson(exchange.res, { object: 'response.input_tokens', input_tokens: inputTokens }, headers);
  };
  return serveExchange(context, '/v1/responses/input_tokens', steps);
}

/** The count lacks what is stored elsewhere. */
function storedInput({ itemReferences, previousResponseId }: ResponsesRequest): Error {
  const ofItems = itemReferences.length > 0 ? 'input' : 'conversation';
  const param = previousResponseId === undefined ? ofItems : 'previous_response_id';
  return invalidField(
    param,
    'only input in the request can be counted; send the whole conversation in `input`',
  );
}
