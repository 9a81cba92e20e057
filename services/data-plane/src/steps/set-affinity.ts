import type { Capability, ConversationStart } from '@model-gateway/shared';
import { affinityKey, hashStart } from '../affinity/affinity-key.ts';
import type { AffinityKey } from '../affinity/rendezvous.ts';
import type { ModelChoice, ModelTable } from '../catalog/model-table.ts';
import type { KeyContext } from '../keys/key-context.ts';
import type { RequestRecord } from '../request-record.ts';

export interface AffinityContext {
  models: { readonly table: ModelTable | undefined };
}

type AffinityRecord = Pick<RequestRecord, 'affinity' | 'affinityKey' | 'session'> & {
  key: Pick<KeyContext, 'accountId'>;
};

/** A request that may be part of a conversation. */
export interface ConversationRequest {
  model: string;
  models?: readonly string[] | undefined;
  /** Its first messages, or their hash. `setAffinity` removes them, to free memory while the request runs. */
  start?: ConversationStart | string | undefined;
}

export interface ConversationInput {
  request: ConversationRequest;
  capability: Capability;
  /** Affinity key of the stored response that the request continues. */
  previous?: AffinityKey | undefined;
}

/**
 * Recognizes the conversation of a request by its session, else by its first messages. Sets
 * `record.affinity`, and `record.affinityKey` if there are several models, upstreams or credentials.
 */
export function setAffinity(
  { models: { table } }: AffinityContext,
  record: AffinityRecord,
  { capability, previous, request }: ConversationInput,
): void {
  const { start } = request;
  request.start = undefined;
  // Providers cache only prompts of chats.
  if (capability !== 'chat') return;
  const choices = (request.models ?? [request.model]).flatMap((name) => table?.choices.get(name) ?? []);
  if (!choices.some(isSticky)) return;
  const { key, session } = record;
  if (session !== undefined) record.affinity = 'session';
  else if (start !== undefined || previous !== undefined) record.affinity = 'prefix';
  if (!choices.some(hasAlternatives)) return;
  if (session !== undefined) record.affinityKey = affinityKey(key.accountId, 'session', session);
  else if (previous !== undefined) record.affinityKey = previous;
  else if (start !== undefined) {
    const hash = typeof start === 'string' ? start : hashStart(start);
    record.affinityKey = affinityKey(key.accountId, 'prefix', hash);
  }
}

/** Returns false if the catalog turns affinity off for the name and all of its models. */
function isSticky({ affinity, fallbacks, members }: ModelChoice): boolean {
  if (affinity !== 'none') return true;
  return (
    members.some(({ model }) => model.affinity !== 'none') ||
    fallbacks.some((fallback) => fallback.affinity !== 'none')
  );
}

function hasAlternatives({ fallbacks, members }: ModelChoice): boolean {
  if (members.length > 1) return true;
  return [...members.map(({ model }) => model), ...fallbacks].some(
    ({ upstreams }) =>
      upstreams.length > 1 || upstreams.some(({ provider }) => provider.credentials.length > 1),
  );
}
