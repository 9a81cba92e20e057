import { type ChatUsage, chatUsage } from '@model-gateway/shared';
import { isObject } from '../../json/json-object.ts';
import { chatUnits } from '../../usage/chat-units.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';
import type { HostedCalls } from './count-hosted-calls.ts';

/** @returns undefined for an invalid or absurd usage */
export function countResponsesUsage(
  usage: unknown,
  { toolCalls, webSearchRequests }: HostedCalls,
): CountedUsage | undefined {
  const converted = convertResponsesUsage(usage);
  if (converted === undefined) return undefined;
  return { units: { ...chatUnits(converted, { webSearchRequests }), toolCalls } };
}

/** Converts to the usage of Chat Completions. @returns undefined for an invalid or absurd one */
export function convertResponsesUsage(usage: unknown): ChatUsage | undefined {
  if (!isObject(usage)) return undefined;
  return chatUsage.safeParse({
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.total_tokens,
    prompt_tokens_details: usage.input_tokens_details,
    completion_tokens_details: usage.output_tokens_details,
  }).data;
}
