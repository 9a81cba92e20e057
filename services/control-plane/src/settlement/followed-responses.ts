import type {
  AcquireFollowedResponsesRequestMessage,
  ReportDeletedResponseRequestMessage,
  ResolveDeletedResponseRequestMessage,
} from '@model-gateway/contracts';
import { z } from 'zod';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { reportedId as id } from '../reported-id.ts';
import type { FollowedResponseStore } from './followed-response-store.ts';

interface FollowedContext {
  followedResponseStore: Pick<FollowedResponseStore, 'claim' | 'addDeleted' | 'findDeleted'>;
}

const MAX_AT_ONCE = 1_000;
const MAX_ENDED_LENGTH = 10_000;

const claimRequest = z.object({ following: z.array(id).max(MAX_AT_ONCE), most: z.int().max(MAX_AT_ONCE) });
const deletionReport = z.object({ id, ended: z.string().max(MAX_ENDED_LENGTH).optional() });

/** Lets a data plane claim responses that none follows. @throws ControlPlaneError invalid_argument */
export async function acquireFollowedResponses(
  { followedResponseStore }: FollowedContext,
  message: AcquireFollowedResponsesRequestMessage,
) {
  const { following, most } = parse(claimRequest, message);
  return { followed: await followedResponseStore.claim(following, most) };
}

/** Notes that a provider deletes a response. @throws ControlPlaneError invalid_argument */
export async function reportDeletedResponse(
  { followedResponseStore }: FollowedContext,
  message: ReportDeletedResponseRequestMessage,
) {
  const { id, ended } = parse(deletionReport, message);
  await followedResponseStore.addDeleted(id, ended);
  return {};
}

/** Returns how a deleted response had ended, if it was reported. */
export async function resolveDeletedResponse(
  { followedResponseStore }: FollowedContext,
  { id }: ResolveDeletedResponseRequestMessage,
) {
  const found = await followedResponseStore.findDeleted(id);
  return {
    isDeleted: found !== undefined,
    ...(typeof found?.ended === 'string' ? { ended: found.ended } : {}),
  };
}

function parse<Message>(schema: z.ZodType<Message>, message: unknown): Message {
  const parsed = schema.safeParse(message);
  if (!parsed.success) throw invalidArgument('the message about responses is not well-formed');
  return parsed.data;
}
