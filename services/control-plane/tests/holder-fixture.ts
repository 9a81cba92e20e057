import type {
  AccountMessage,
  CreateKeyResponseMessage,
  CreatePlaygroundKeyResponseMessage,
  HolderKeyMessage,
  HolderTeamMessage,
  InviteToHolderTeamResponseMessage,
  ListHolderKeysResponseMessage,
  ListHolderTeamsResponseMessage,
  MoveMoneyResponseMessage,
  OfferedSeatMessage,
  PoolMessage,
  RedeemPasswordResetResponseMessage,
  RemoveSeatResponseMessage,
  ResetPasswordResponseMessage,
  RevokeKeyResponseMessage,
  SeatInvitationMessage,
  SeatMessage,
  SetTeamLimitResponseMessage,
  TeamMessage,
} from '@model-gateway/contracts';
import { at, CALL_DEADLINE_MS, type ControlPlanes } from './control-planes-fixture.ts';
import type { TestPoolOwner } from './pools-fixture.ts';

export interface TestSignIn {
  signInId: string;
  email?: string;
  name?: string;
  emailVerified?: boolean;
  mayCreate?: boolean;
  poolNeedsProof?: boolean;
}

/** What the dashboard asks about signing in; anybody may open an account unless the test says otherwise. */
export function signInsOf(control: ControlPlanes, plane = 0) {
  const dashboard = at(control.callers, plane);
  const admin = at(control.admins, plane);
  return {
    open: ({ signInId, email = `${signInId}@example.com`, name = '', ...more }: TestSignIn) =>
      dashboard.call<AccountMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.openAccount(
          { signInId, email, name, emailVerified: false, mayCreate: true, ...more },
          ...rest,
        ),
      ),
    redeem: (token: string, signInId: string) =>
      dashboard.callOnce<RedeemPasswordResetResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.redeemPasswordReset({ token, signInId }, ...rest),
      ),
    /** As operators do. */
    resetPassword: (account: string, revokeKeys?: boolean) =>
      admin.callOnce<ResetPasswordResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.accounts.resetPassword(
          { account, ...(revokeKeys === undefined ? {} : { revokeKeys }) },
          ...rest,
        ),
      ),
    createAccount: (email: string) =>
      admin.callOnce<AccountMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.accounts.createAccount({ email, name: '' }, ...rest),
      ),
  };
}

/** What the dashboard asks for one account about its keys, teams and money. */
export function holderOf(control: ControlPlanes, accountId: string, plane = 0) {
  const dashboard = at(control.callers, plane);
  const teamsAndPools = () =>
    dashboard.call<ListHolderTeamsResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
      stubs.dashboard.listHolderTeams({ accountId }, ...rest),
    );
  const invite = (teamId: string, email: string, signInId?: string) =>
    dashboard.callOnce<InviteToHolderTeamResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
      stubs.dashboard.inviteToHolderTeam(
        { accountId, teamId, email, ...(signInId === undefined ? {} : { signInId }) },
        ...rest,
      ),
    );
  return {
    accountId,
    async keys(): Promise<HolderKeyMessage[]> {
      const answer = await dashboard.call<ListHolderKeysResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.listHolderKeys({ accountId }, ...rest),
      );
      return answer.keys;
    },
    createKey: (name: string, seatId?: string, signInId?: string) =>
      dashboard.callOnce<CreateKeyResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.createHolderKey(
          {
            accountId,
            name,
            ...(seatId === undefined ? {} : { seatId }),
            ...(signInId === undefined ? {} : { signInId }),
          },
          ...rest,
        ),
      ),
    revokeKey: (keyId: string) =>
      dashboard.call<RevokeKeyResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.revokeHolderKey({ accountId, keyId }, ...rest),
      ),
    createPlaygroundKey: (seatId?: string, signInId?: string) =>
      dashboard.callOnce<CreatePlaygroundKeyResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.createPlaygroundKey(
          {
            accountId,
            ...(seatId === undefined ? {} : { seatId }),
            ...(signInId === undefined ? {} : { signInId }),
          },
          ...rest,
        ),
      ),
    teams: async (): Promise<HolderTeamMessage[]> => (await teamsAndPools()).teams,
    accountPools: async (): Promise<PoolMessage[]> => (await teamsAndPools()).accountPools,
    offeredSeats: async (): Promise<OfferedSeatMessage[]> => (await teamsAndPools()).offeredSeats,
    createTeam: (name = 'Team') =>
      dashboard.callOnce<TeamMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.createHolderTeam({ accountId, name }, ...rest),
      ),
    setTeamLimit: (teamId: string, requestsPerMinute: number) =>
      dashboard.call<SetTeamLimitResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.setHolderTeamLimit({ accountId, teamId, requestsPerMinute }, ...rest),
      ),
    /** A seat for the account itself. */
    async takeSeat(teamId: string): Promise<SeatMessage> {
      const [row] = await control.query('SELECT email FROM accounts WHERE id = $1', [accountId]);
      const { seat } = await invite(teamId, String(row?.email));
      if (seat === null) throw new Error('the owner got no seat at once');
      return seat;
    },
    invite,
    /** To somebody else. */
    async offer(
      teamId: string,
      email: string,
    ): Promise<{ invitation: SeatInvitationMessage; token: string }> {
      const { seat, invitation: offered } = await invite(teamId, email);
      if (seat !== null || offered === null || offered.invitation === null) {
        throw new Error('the seat was not offered');
      }
      return { invitation: offered.invitation, token: offered.token };
    },
    withdraw: (invitationId: string) =>
      dashboard.callOnce<SeatInvitationMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.withdrawHolderInvitation({ accountId, invitationId }, ...rest),
      ),
    findOffer: (token: string) =>
      dashboard.call<OfferedSeatMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.findOfferedSeat({ accountId, token }, ...rest),
      ),
    accept: (which: { invitationId: string } | { token: string } | object) =>
      dashboard.callOnce<SeatMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.acceptInvitation({ accountId, ...which }, ...rest),
      ),
    removeSeat: (seatId: string) =>
      dashboard.call<RemoveSeatResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.removeHolderSeat({ accountId, seatId }, ...rest),
      ),
    moveMoney: (fromPoolId: string, to: TestPoolOwner, usd: string, name = '') =>
      dashboard.callOnce<MoveMoneyResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
        stubs.dashboard.moveMoney({ accountId, fromPoolId, to, usd, name }, ...rest),
      ),
  };
}

/** Status and message of a refusal, which must tell nobody more than it should. */
export async function wordsOf(answer: Promise<unknown>): Promise<string> {
  return await answer.then(
    (message) => {
      throw new Error(`answered ${JSON.stringify(message)}`);
    },
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
