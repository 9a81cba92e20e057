import type { AcceptMembershipRequest } from '../../../../wire/members.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshSession } from '../../session/sign-out.ts';

/** Accepts an invitation to an account, which the pages then show. */
export function useAcceptMembership(onAccepted: () => void) {
  return useAction(async (which: AcceptMembershipRequest) => {
    await postJson<undefined>('/api/memberships/accept', which);
    onAccepted();
    await refreshSession();
  });
}
