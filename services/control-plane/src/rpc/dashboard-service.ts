import type { DashboardServiceHandlers } from '@model-gateway/contracts';
import { accountMessage } from '../accounts/account-message.ts';
import { changeAccount } from '../accounts/change-account.ts';
import { openAccount } from '../accounts/open-account.ts';
import { redeemPasswordReset } from '../accounts/redeem-password-reset.ts';
import type { ControlPlaneContext } from '../context.ts';
import { createHolderKey } from '../keys/create-holder-key.ts';
import { createPlaygroundKey } from '../keys/create-playground-key.ts';
import type { HolderKey } from '../keys/holder-key-list-store.ts';
import { keyMessage } from '../keys/key-message.ts';
import { requireOwnKey, revokeKey } from '../keys/revoke-key.ts';
import { getHolderLimits } from '../limits/get-holder-limits.ts';
import { omitAbsent } from '../omit-absent.ts';
import { moveMoney } from '../owned-pools/move-money.ts';
import { getHolderRules, setHolderRules } from '../owned-rules/holder-rules.ts';
import { poolMessage } from '../pools/pool-message.ts';
import { getHolderSettings } from '../rules/get-holder-settings.ts';
import { getStatement } from '../statements/get-statement.ts';
import { acceptInvitation } from '../teams/accept-invitation.ts';
import { createTeam } from '../teams/create-team.ts';
import { findOfferedSeat } from '../teams/find-offered-seat.ts';
import { invitationMessage, newInvitationMessage, offeredSeatMessage } from '../teams/invitation-message.ts';
import { inviteToHolderTeam } from '../teams/invite-to-holder-team.ts';
import { type HolderTeam, listHolderTeams } from '../teams/list-holder-teams.ts';
import { requireOwnedInvitation, requireOwnedSeat } from '../teams/ownership.ts';
import { removeSeat } from '../teams/remove-seat.ts';
import { seatMessage } from '../teams/seat-message.ts';
import { setHolderTeamLimit } from '../teams/set-holder-team-limit.ts';
import { teamMessage } from '../teams/team-message.ts';
import { withdrawInvitation } from '../teams/withdraw-invitation.ts';
import { getHolderUsage } from '../usage/get-holder-usage.ts';
import { getHolderReceipt } from '../usage/get-receipt.ts';
import { listHolderRequests } from '../usage/list-holder-requests.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { newKeyMessage, rulesMessage, setRulesMessage } from './rules-service.ts';
import { change, read } from './unary.ts';

export function dashboardService(context: ControlPlaneContext): MethodsOf<DashboardServiceHandlers> {
  return {
    OpenAccount: change(context, 'OpenAccount', 'system', async (actor, request) =>
      accountMessage(await openAccount(context, actor, request)),
    ),
    RedeemPasswordReset: change(context, 'RedeemPasswordReset', 'system', async (actor, request) => {
      const { account, signInId } = await redeemPasswordReset(context, actor, request);
      return { account: accountMessage(account), signInId };
    }),
    ListHolderKeys: read(context, 'ListHolderKeys', async (_, { accountId }, signal) => ({
      keys: (await context.holderKeyListStore.list(accountId, signal)).map(holderKeyMessage),
    })),
    CreateHolderKey: change(context, 'CreateHolderKey', 'user', async (actor, request) => {
      return await newKeyMessage(context, await createHolderKey(context, actor, request));
    }),
    RevokeHolderKey: change(context, 'RevokeHolderKey', 'user', async (actor, { keyId }) => {
      const own = await requireOwnKey(context, actor.accountId, keyId);
      const { key, unconfirmed } = await revokeKey(context, actor, { keyId: own.id });
      return { key: keyMessage(key), unconfirmedInstances: unconfirmed };
    }),
    CreatePlaygroundKey: change(context, 'CreatePlaygroundKey', 'user', async (actor, request) => {
      const { keyId, rawKey, expiresAt } = await createPlaygroundKey(context, actor, request);
      return { keyId, rawKey, expiresAtMs: expiresAt.getTime() };
    }),
    GetHolderUsage: read(context, 'GetHolderUsage', getHolderUsage),
    ListHolderRequests: read(context, 'ListHolderRequests', listHolderRequests),
    GetHolderReceipt: read(context, 'GetHolderReceipt', getHolderReceipt),
    GetHolderLimits: read(context, 'GetHolderLimits', (_, { accountId }, signal) =>
      getHolderLimits(context, accountId, signal),
    ),
    GetHolderRules: read(context, 'GetHolderRules', async (_, request) =>
      rulesMessage(await getHolderRules(context, request)),
    ),
    SetHolderRules: change(context, 'SetHolderRules', 'user', async (actor, request) =>
      setRulesMessage(await setHolderRules(context, actor, request)),
    ),
    GetHolderStatement: read(context, 'GetHolderStatement', async (_, { accountId, month }, signal) =>
      getStatement(context, await context.accountStore.require(accountId), month, signal),
    ),
    ListHolderTeams: read(context, 'ListHolderTeams', async (_, { accountId }, signal) => {
      const { teams, accountPools, offeredSeats } = await listHolderTeams(context, accountId, signal);
      return {
        teams: teams.map((team) => holderTeamMessage(team, accountId)),
        accountPools: accountPools.map(poolMessage),
        offeredSeats: offeredSeats.map(offeredSeatMessage),
      };
    }),
    CreateHolderTeam: change(context, 'CreateHolderTeam', 'user', async (actor, { name }) =>
      teamMessage(await createTeam(context, actor, { account: actor.accountId, name })),
    ),
    SetHolderTeamLimit: change(context, 'SetHolderTeamLimit', 'user', async (actor, request) => {
      const { team, unconfirmed } = await setHolderTeamLimit(context, actor, request);
      return { team: teamMessage(team), unconfirmedInstances: unconfirmed };
    }),
    InviteToHolderTeam: change(context, 'InviteToHolderTeam', 'user', async (actor, request) => {
      const invited = await inviteToHolderTeam(context, actor, request);
      if ('seat' in invited) return { seat: seatMessage(invited.seat) };
      return { invitation: newInvitationMessage(invited) };
    }),
    WithdrawHolderInvitation: change(context, 'WithdrawHolderInvitation', 'user', async (actor, request) => {
      const { id } = await requireOwnedInvitation(context, actor.accountId, request.invitationId);
      return invitationMessage(await withdrawInvitation(context, actor, { invitationId: id }));
    }),
    FindOfferedSeat: read(context, 'FindOfferedSeat', async (_, { token }) =>
      offeredSeatMessage(await findOfferedSeat(context, token)),
    ),
    AcceptInvitation: change(context, 'AcceptInvitation', 'user', async (actor, request) =>
      seatMessage(await acceptInvitation(context, actor, request)),
    ),
    RemoveHolderSeat: change(context, 'RemoveHolderSeat', 'user', async (actor, { seatId }) => {
      const { id } = await requireOwnedSeat(context, actor.accountId, seatId);
      const { seat, revokedKeys, unconfirmed } = await removeSeat(context, actor, { seatId: id });
      return { seat: seatMessage(seat), revokedKeyIds: revokedKeys, unconfirmedInstances: unconfirmed };
    }),
    GetHolderSettings: read(context, 'GetHolderSettings', (_, { accountId }) =>
      getHolderSettings(context, accountId),
    ),
    SetHolderCalendar: change(context, 'SetHolderCalendar', 'user', async (actor, calendar) => {
      const { unconfirmed } = await changeAccount(context, actor, { account: actor.accountId, ...calendar });
      return { unconfirmedInstances: unconfirmed };
    }),
    MoveMoney: change(context, 'MoveMoney', 'user', async (actor, request) => {
      const { from, to } = await moveMoney(context, actor, request);
      return { from: poolMessage(from), to: poolMessage(to) };
    }),
  };
}

function holderKeyMessage(key: HolderKey) {
  return {
    key: keyMessage(key),
    requestsThisMonth: String(key.requestsThisMonth),
    ...omitAbsent({
      lastUsedAtMs: key.lastUsedAt?.getTime(),
      teamId: key.teamId,
      teamName: key.teamName,
    }),
  };
}

function holderTeamMessage({ team, role, pools, seats, invitations }: HolderTeam, accountId: string) {
  return {
    team: teamMessage(team),
    role,
    pools: pools.map(poolMessage),
    seats: seats.map((seat) => ({
      seat: seatMessage(seat),
      requestsThisMonth: String(seat.requestsThisMonth),
      costThisMonth: String(seat.costThisMonth),
      activeKeys: seat.activeKeys,
      isOwn: seat.accountId === accountId,
    })),
    invitations: invitations.map(invitationMessage),
  };
}
