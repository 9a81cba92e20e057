import { type CountTokensRequest, NO_UNITS } from '@model-gateway/shared';
import type { JsonBody } from '../../json/json-body.ts';
import type { CountEndpoint, ProviderDialect } from '../../providers/dialect.ts';
import { endpointOf } from '../../providers/dialect.ts';
import type { Exchange } from '../../request-record.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../../upstream/capability-call.ts';
import { JsonRelay, type WholeAnswers } from '../../upstream/relay-json.ts';
import { asksForBeta } from './asks-for-beta.ts';

/** POST /v1/messages/count_tokens, asked of a provider that counts. */
export function countCall(
  exchange: Exchange,
  body: JsonBody<CountTokensRequest>,
  shared: WholeAnswers,
): CapabilityCall {
  const prompt = { body, beta: asksForBeta(exchange.req) };
  return {
    ...SIZED_BY_REQUEST,
    streamed: false,
    isRepeatable: () => true,
    most: NO_UNITS,
    ask: (dialect, upstreamModel, pace) => countOf(dialect).ask(prompt, upstreamModel, pace),
    answer: new JsonRelay(exchange, shared, ({ dialect }) => countOf(dialect)),
  };
}

function countOf(dialect: ProviderDialect): CountEndpoint {
  const { count } = endpointOf(dialect, 'chat');
  if (count === undefined) throw new Error('a count was asked of a provider that has none');
  return count;
}
