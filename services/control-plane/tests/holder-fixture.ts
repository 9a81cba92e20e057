import type {
  AskOf,
  HolderKeyMessage,
  HolderTeamMessage,
  MethodOf,
  OfferedSeatMessage,
  PoolMessage,
  SeatInvitationMessage,
  SeatMessage,
} from '@model-gateway/contracts';
import type { PayerLevel } from '@model-gateway/shared';
import { at, CALL_DEADLINE_MS, type ControlPlanes } from './control-planes-fixture.ts';

export interface TestSignIn {
  signInId: string;
  email?: string;
  name?: string;
  emailVerified?: boolean;
  mayCreate?: boolean;
  poolNeedsProof?: boolean;
}

/** The dashboard's calls about signing in. Anybody may open an account unless the test says otherwise. */
export function signInsOf(control: ControlPlanes, plane = 0) {
  const dashboard = at(control.callers, plane);
  const admin = at(control.admins, plane);
  return {
    open: ({ signInId, email = `${signInId}@example.com`, name = '', ...more }: TestSignIn) =>
      dashboard.call(CALL_DEADLINE_MS, 'dashboard', 'openAccount', {
        signInId,
        email,
        name,
        emailVerified: false,
        mayCreate: true,
        ...more,
      }),
    redeem: (token: string, signInId: string) =>
      dashboard.callOnce(CALL_DEADLINE_MS, 'dashboard', 'redeemPasswordReset', { token, signInId }),
    /** Resets a password in the way of operators. */
    resetPassword: (account: string, revokeKeys?: boolean) =>
      admin.callOnce(CALL_DEADLINE_MS, 'accounts', 'resetPassword', {
        account,
        ...(revokeKeys === undefined ? {} : { revokeKeys }),
      }),
    createAccount: (email: string) =>
      admin.callOnce(CALL_DEADLINE_MS, 'accounts', 'createAccount', { email, name: '' }),
  };
}

/** The dashboard's calls for one account about its keys, teams and money. */
export function holderOf(control: ControlPlanes, accountId: string, plane = 0) {
  const dashboard = at(control.callers, plane);
  const teamsAndPools = () => dashboard.call(CALL_DEADLINE_MS, 'dashboard', 'listHolderTeams', { accountId });
  const user = { accountId, email: `${accountId}@example.com`, clientIp: '192.0.2.7', requestId: 'req_test' };
  const userOf = (signInId: string | undefined) => (signInId === undefined ? user : { ...user, signInId });
  const change = <Name extends MethodOf<'dashboard'>>(
    name: Name,
    ask: AskOf<'dashboard', Name>,
    signInId?: string,
  ) => dashboard.callOnce(CALL_DEADLINE_MS, 'dashboard', name, ask, userOf(signInId));
  const invite = (teamId: string, email: string, signInId?: string) =>
    change('inviteToHolderTeam', { teamId, email }, signInId);
  return {
    accountId,
    async keys(): Promise<HolderKeyMessage[]> {
      const answer = await dashboard.call(CALL_DEADLINE_MS, 'dashboard', 'listHolderKeys', { accountId });
      return answer.keys;
    },
    createKey: (name: string, seatId?: string, signInId?: string) =>
      change('createHolderKey', { name, ...(seatId === undefined ? {} : { seatId }) }, signInId),
    revokeKey: (keyId: string) => change('revokeHolderKey', { keyId }),
    createPlaygroundKey: (seatId?: string, signInId?: string) =>
      change('createPlaygroundKey', seatId === undefined ? {} : { seatId }, signInId),
    teams: async (): Promise<HolderTeamMessage[]> => (await teamsAndPools()).teams,
    accountPools: async (): Promise<PoolMessage[]> => (await teamsAndPools()).accountPools,
    offeredSeats: async (): Promise<OfferedSeatMessage[]> => (await teamsAndPools()).offeredSeats,
    createTeam: (name = 'Team') => change('createHolderTeam', { name }),
    setTeamLimit: (teamId: string, requestsPerMinute: number) =>
      change('setHolderTeamLimit', { teamId, requestsPerMinute }),
    /** Gives the account itself a seat. */
    async takeSeat(teamId: string): Promise<SeatMessage> {
      const [row] = await control.query('SELECT email FROM accounts WHERE id = $1', [accountId]);
      const { seat } = await invite(teamId, String(row?.email));
      if (seat === null) throw new Error('the owner got no seat at once');
      return seat;
    },
    invite,
    /** Offers a seat to another address. */
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
    withdraw: (invitationId: string) => change('withdrawHolderInvitation', { invitationId }),
    findOffer: (token: string) =>
      dashboard.call(CALL_DEADLINE_MS, 'dashboard', 'findOfferedSeat', { accountId, token }),
    accept: (which: { invitationId: string } | { token: string } | object) =>
      change('acceptInvitation', which),
    removeSeat: (seatId: string) => change('removeHolderSeat', { seatId }),
    moveMoney: (fromPoolId: string, to: PayerLevel, usd: string, name = '') =>
      change('moveMoney', { fromPoolId, to, usd, name }),
  };
}

/** Returns the status and the message of a refusal, which must not tell more than they should. */
export async function wordsOf(answer: Promise<unknown>): Promise<string> {
  return await answer.then(
    (message) => {
      throw new Error(`answered ${JSON.stringify(message)}`);
    },
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
