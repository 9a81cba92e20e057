import { isDeepStrictEqual } from 'node:util';
import type { StopSignal } from '@model-gateway/service-kit';
import { z } from 'zod';
import { type GuardrailCheck, type GuardrailInput, type GuardrailVerdict, PASSED } from '../guardrail.ts';
import type { GuardrailService } from './post-to-service.ts';

const answer = z.object({
  action: z.enum(['NONE', 'BLOCKED', 'GUARDRAIL_INTERVENED']),
  blocked_reason: z.string().nullish(),
  texts: z.array(z.string()).nullish(),
  images: z.array(z.string()).nullish(),
  tools: z.array(z.unknown()).nullish(),
});

/** A service with LiteLLM's Generic Guardrail API (docs/guardrails.md). */
export class HttpCheck implements GuardrailCheck {
  readonly isRemote = true;
  readonly #service: GuardrailService;
  readonly #params: Readonly<Record<string, unknown>>;

  constructor(service: GuardrailService, params: Readonly<Record<string, unknown>>) {
    this.#service = service;
    this.#params = params;
  }

  async check(input: GuardrailInput, signal: StopSignal, traceparent?: string): Promise<GuardrailVerdict> {
    const given = await this.#service.post(this.#payload(input), signal, traceparent);
    const parsed = answer.safeParse(given);
    if (!parsed.success) throw new Error('the service answered something else than a verdict');
    const { action, blocked_reason, images, texts, tools } = parsed.data;
    if (action === 'BLOCKED') return { action: 'blocked', reason: blocked_reason ?? undefined };
    // What cannot be put back into its place must not pass as it was.
    if ((images?.length ?? 0) > 0 && !isDeepStrictEqual(images, input.images))
      throw new Error('the service replaced images, which the gateway cannot put back');
    if ((tools?.length ?? 0) > 0 && !isDeepStrictEqual(tools, input.conversation?.tools))
      throw new Error('the service replaced tools, which the gateway cannot put back');
    // LiteLLM uses the texts of an answer with NONE, too.
    if (texts === null || texts === undefined || texts.length === 0) {
      if (action === 'GUARDRAIL_INTERVENED' && input.texts.length > 0)
        throw new Error('the service intervened without texts');
      return PASSED;
    }
    if (texts.length !== input.texts.length)
      throw new Error(`the service returned ${texts.length} texts for ${input.texts.length}`);
    return texts.every((text, index) => text === input.texts[index]) ? PASSED : { action: 'replaced', texts };
  }

  #payload({ conversation, direction, images, record, texts, toolCalls }: GuardrailInput): object {
    const { endUser, id, key, model, session } = record;
    return {
      input_type: direction,
      texts,
      images: images.length === 0 ? null : images,
      tools: conversation?.tools ?? null,
      tool_calls:
        toolCalls.length === 0
          ? null
          : toolCalls.map(({ arguments: args, id, name }) => ({
              id,
              type: 'function',
              function: { name, arguments: args },
            })),
      structured_messages: conversation?.messages ?? null,
      request_data: {
        user_api_key_hash: key.keyId,
        user_api_key_team_id: key.teamId ?? null,
        user_api_key_org_id: key.accountId,
        user_api_key_end_user_id: endUser ?? null,
      },
      request_headers: null,
      litellm_call_id: id,
      litellm_trace_id: session ?? id,
      model: model?.id ?? null,
      additional_provider_specific_params: this.#params,
    };
  }
}
