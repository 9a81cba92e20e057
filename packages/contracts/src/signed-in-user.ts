import type { Metadata } from '@grpc/grpc-js';
import type { SignedInUser__Output as SignedInUserMessage } from './generated/gateway/v1/SignedInUser.ts';
import { gatewayProto } from './proto.ts';

/** gRPC carries bytes under this suffix. */
const SIGNED_IN_USER = 'signed-in-user-bin';

/** Copies a caller's metadata and adds the user. */
export function withSignedInUser(metadata: Metadata, user: SignedInUserMessage): Metadata {
  const copy = metadata.clone();
  copy.set(SIGNED_IN_USER, gatewayProto.SignedInUser.serialize(user));
  return copy;
}

/**
 * Reads the user that a caller names; trust only a proven dashboard.
 * @returns undefined when none is named
 * @throws Error when several or an unreadable one are named
 */
export function presentedUser(metadata: Metadata): SignedInUserMessage | undefined {
  const [value, ...more] = metadata.get(SIGNED_IN_USER);
  if (value === undefined) return undefined;
  if (typeof value === 'string' || more.length > 0)
    throw new Error(`expected one message in ${SIGNED_IN_USER}`);
  const user = gatewayProto.SignedInUser.deserialize(value);
  if (user.accountId === '') throw new Error(`${SIGNED_IN_USER} names no account`);
  if (user.signInId === '') throw new Error(`${SIGNED_IN_USER} names no sign-in`);
  return user;
}
