import {
  type ChatApi,
  type JsonBody,
  type JsonObject,
  MESSAGES_TO_CHAT,
  parseExactJson,
  RESPONSES_TO_CHAT,
  requestTexts,
  type Translation,
  writeExactJson,
} from '@model-gateway/dialects';
import type { z } from 'zod';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { type ValidateBodyContext, validateBody } from '../http/read-json-body.ts';
import { checkTexts, putTexts } from './check-texts.ts';
import type { GuardrailInput } from './guardrail.ts';
import type { Guardrails } from './guardrails.ts';
import { ResponseGuard } from './response-guard.ts';

export interface GuardContext extends ValidateBodyContext {
  guardrails: Guardrails;
}

export interface RequestToGuard<Schema extends z.ZodType> {
  api: ChatApi;
  body: JsonBody<z.infer<Schema>>;
  models: readonly { model: Pick<RoutedModel, 'guardrails'> }[];
  schema: Schema;
}

/**
 * Checks a request before money is reserved for it. Sets `exchange.guard` if its response is checked, too.
 * @returns the body for the provider; undefined if nothing is checked
 * @throws GatewayError 403 `content_blocked`, 503 `guardrail_unavailable`; ClientGone
 */
export function guardExchange<Schema extends z.ZodType>(
  context: GuardContext,
  exchange: AuthenticatedExchange,
  request: RequestToGuard<Schema>,
): Promise<JsonBody<z.infer<Schema>>> | undefined {
  const models = request.models.map(({ model }) => model);
  const chosen = context.guardrails.of(models, exchange.record.key.accountId);
  if (chosen === undefined) return undefined;
  guardResponse(context, exchange, chosen, new Set(models.flatMap(({ guardrails = [] }) => guardrails)));
  const guardrails = chosen.filter(({ when }) => when !== 'response');
  if (guardrails.length === 0) return undefined;
  return checkRequest(
    { context: context.guardrails, guardrails, exchange, direction: 'request' },
    context,
    request,
  );
}

/** Sets `exchange.guard` if the response is checked. */
export function guardResponse(
  context: Pick<GuardContext, 'guardrails'>,
  exchange: AuthenticatedExchange,
  chosen: ReturnType<Guardrails['of']>,
  ofModels: ReadonlySet<string> = new Set(),
): void {
  const guardrails = chosen?.filter(({ when }) => when !== 'request') ?? [];
  if (guardrails.length === 0) return;
  const checks = { context: context.guardrails, guardrails, exchange, direction: 'response' } as const;
  exchange.guard = new ResponseGuard(checks, ofModels);
}

type RequestChecks = Parameters<typeof checkTexts>[0] & { exchange: AuthenticatedExchange };

async function checkRequest<Schema extends z.ZodType>(
  checks: RequestChecks,
  context: ValidateBodyContext,
  { api, body, schema }: RequestToGuard<Schema>,
): Promise<JsonBody<z.infer<Schema>>> {
  const json = Buffer.concat(body.chunks).toString();
  // The schema has refused everything else.
  const request = parseExactJson(json) as JsonObject;
  const conversation = conversationOf(api, json);
  const places = requestTexts(api, request);
  const checked = await checkTexts(checks, places, conversation);
  const isReplaced = putTexts(places, checked);
  if (!isReplaced) return body;
  const chunks = [Buffer.from(writeExactJson(request))];
  const validated = await validateBody(checks.exchange, schema, chunks, context, () => undefined);
  return { ...validated, value: withEcho(validated.value, body.value) };
}

const FROM_CALLER: Readonly<Partial<Record<ChatApi, Translation>>> = {
  messages: MESSAGES_TO_CHAT,
  responses: RESPONSES_TO_CHAT,
};

/** Returns messages and tools in the form of Chat Completions, as far as they can be converted. */
function conversationOf(api: ChatApi, json: string): GuardrailInput['conversation'] {
  try {
    const request: JsonObject = JSON.parse(json);
    const converted = FROM_CALLER[api]?.apply(request, {
      id: '',
      maxOutputTokens: undefined,
      upstreamModel: '',
    });
    const { messages, tools } = converted?.request ?? request;
    return { messages, tools };
  } catch {
    return undefined;
  }
}

/** The id of the previous response is in no body: its items have taken its place. */
function withEcho<Value>(value: Value, before: Value): Value {
  if (!hasEcho(value) || !hasEcho(before)) return value;
  const { previous_response_id } = before.echo;
  return { ...value, echo: { ...value.echo, previous_response_id } };
}

function hasEcho(value: unknown): value is { echo: JsonObject } {
  return typeof value === 'object' && value !== null && 'echo' in value;
}
