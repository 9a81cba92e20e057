import { z } from 'zod';

/** The field that names a session. No provider gets it: strict ones would refuse it. */
export const CALLERS_SESSION = 'session_id';
export const MAX_END_USER = 128;
export const MAX_SESSION = 256;

/** The labels in the body of a request: its end user and its session. */
export interface BodyLabels {
  endUser?: string;
  session?: string;
  /** Names the session if nothing else does. */
  cacheKey?: string;
}

/** The members of all requests that label them. */
export const labelMembers = {
  user: text(MAX_END_USER).describe('The end user, for limits and sums of usage.'),
  safety_identifier: text(MAX_END_USER),
  [CALLERS_SESSION]: text(MAX_SESSION).describe(
    'The session, for sums of usage. It is not sent to providers.',
  ),
  prompt_cache_key: z.string().nullish(),
};

const LABEL_MEMBERS: ReadonlySet<string> = new Set(Object.keys(labelMembers));

/** Returns the names of a request's members without those that label it, whose spelling changes no bill. */
export function unlabelledNames(shape: object): string[] {
  return Object.keys(shape).filter((name) => !LABEL_MEMBERS.has(name));
}

interface LabelMembers {
  user?: string | null | undefined;
  safety_identifier?: string | null | undefined;
  session_id?: string | null | undefined;
  prompt_cache_key?: string | null | undefined;
}

/**
 * Returns the labels of a request; undefined if it has none.
 * @param userId the end user in the form of another API
 */
export function labelsIn(
  { prompt_cache_key, safety_identifier, session_id, user }: LabelMembers,
  userId?: string,
): BodyLabels | undefined {
  const endUser = user || safety_identifier || userId;
  const cacheKey =
    prompt_cache_key && hasAtMost(prompt_cache_key, MAX_SESSION) ? prompt_cache_key : undefined;
  if (!endUser && !session_id && cacheKey === undefined) return undefined;
  return {
    ...(endUser ? { endUser } : {}),
    ...(session_id ? { session: session_id } : {}),
    ...(cacheKey === undefined ? {} : { cacheKey }),
  };
}

/** Claude Code's id of an installation and account, before the session, in earlier and current releases. */
const CLAUDE_CODE_USER = /^(user_[0-9a-f]{64}_account_[0-9a-f-]{0,36})_session_[0-9a-f-]{36}$/;
const claudeCodeUser = z.object({
  device_id: z.string().regex(/^[0-9a-f]{64}$/),
  account_uuid: z.string().regex(/^[0-9a-f-]{0,36}$/),
  session_id: z.string(),
});

/**
 * Returns the end user in `metadata.user_id` of Messages. Claude Code also puts its session there, which
 * would make each session another end user.
 */
export function endUserOfMetadata(userId: string): string {
  const earlier = CLAUDE_CODE_USER.exec(userId)?.[1];
  if (earlier !== undefined) return earlier;
  if (!userId.startsWith('{')) return userId;
  try {
    const { account_uuid, device_id } = claudeCodeUser.parse(JSON.parse(userId));
    return `user_${device_id}_account_${account_uuid}`;
  } catch {
    return userId;
  }
}

/** Compares characters as people count them (code points), not UTF-16 units. */
export function hasAtMost(value: string, max: number): boolean {
  return value.length <= max || (value.length <= 2 * max && [...value].length <= max);
}

function text(max: number) {
  return z
    .string()
    .refine((value) => hasAtMost(value, max), `may have at most ${max} characters`)
    .nullish();
}
