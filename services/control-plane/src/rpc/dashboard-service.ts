import type { CallManagementApiRequestMessage, DashboardServiceHandlers } from '@model-gateway/contracts';
import { visibilityOf } from '../access/visibility.ts';
import { accountMessage } from '../accounts/account-message.ts';
import { changeAccount } from '../accounts/change-account.ts';
import { patchAccount } from '../accounts/patch-account.ts';
import { redeemPasswordReset } from '../accounts/redeem-password-reset.ts';
import { reportSignIn } from '../accounts/report-sign-in.ts';
import type { UserActor } from '../actors/actor.ts';
import { adminKeyMessage, newAdminKeyMessage, newAdminKeyRequest } from '../admin-keys/admin-key-message.ts';
import { createAdminKey } from '../admin-keys/create-admin-key.ts';
import { listAdminKeys } from '../admin-keys/list-admin-keys.ts';
import { revokeAdminKey } from '../admin-keys/revoke-admin-key.ts';
import { auditFilter } from '../audit/audit-filter.ts';
import { listHolderAuditEvents } from '../audit/list-audit-events.ts';
import { contentsMessage } from '../contents/contents-message.ts';
import { setContents } from '../contents/set-contents.ts';
import type { ControlPlaneContext } from '../context.ts';
import { openWithGroups } from '../group-mappings/open-with-groups.ts';
import { createHolderKey } from '../keys/create-holder-key.ts';
import { createPlaygroundKey } from '../keys/create-playground-key.ts';
import type { HolderKey } from '../keys/holder-key-list-store.ts';
import { keyMessage } from '../keys/key-message.ts';
import { requireVisibleKey, revokeKey } from '../keys/revoke-key.ts';
import { getHolderLimits } from '../limits/get-holder-limits.ts';
import { acceptMembership, findOfferedMembership } from '../members/accept-membership.ts';
import { changeMemberRole, inviteMember, listMembers, removeMember } from '../members/manage-members.ts';
import {
  memberMessage,
  newMemberInvitationMessage,
  offeredMembershipMessage,
  removedMemberMessage,
} from '../members/member-message.ts';
import type { OpenedAccount } from '../members/open-accounts.ts';
import { omitAbsent } from '../omit-absent.ts';
import { moveMoney } from '../owned-pools/move-money.ts';
import { changeKey } from '../owned-rules/change-key.ts';
import { getHolderRules, setHolderRules } from '../owned-rules/holder-rules.ts';
import { poolMessage } from '../pools/pool-message.ts';
import { getHolderSettings } from '../rules/get-holder-settings.ts';
import { getStatement } from '../statements/get-statement.ts';
import { getHolderUsage } from '../usage/get-holder-usage.ts';
import { getHolderReceipt } from '../usage/get-receipt.ts';
import { listHolderRequests } from '../usage/list-holder-requests.ts';
import { viewHolderContents } from '../usage/view-holder-contents.ts';
import { auditPageMessage } from './audit-service.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { holderTeamMethods } from './holder-teams.ts';
import { changedKeyMessage, newKeyMessage, rulesMessage, setRulesMessage } from './rules-service.ts';
import { change, holderRead } from './unary.ts';
import { holderWebhooks } from './webhook-service.ts';

/** Serves an operation of the management API for a user with a role in the installation. */
export type OperationCaller = (
  context: ControlPlaneContext,
  user: UserActor,
  request: CallManagementApiRequestMessage,
  signal: AbortSignal,
) => Promise<{ status: number; body: unknown; headers: Record<string, string> }>;

export function dashboardService(
  context: ControlPlaneContext,
  callOperation: OperationCaller,
): MethodsOf<DashboardServiceHandlers> {
  return {
    OpenAccounts: change(context, 'OpenAccounts', 'system', async (actor, request) => {
      const { accounts, installationRoles, offered } = await openWithGroups(
        context,
        actor,
        request,
        request.groups,
      );
      return {
        accounts: accounts.map(openedAccountMessage),
        offered: offered.map(offeredMembershipMessage),
        installationRoles,
      };
    }),
    RedeemPasswordReset: change(context, 'RedeemPasswordReset', 'system', async (actor, request) => {
      const { account, signInId } = await redeemPasswordReset(context, actor, request);
      return { account: accountMessage(account), signInId };
    }),
    ListHolderKeys: holderRead(context, 'ListHolderKeys', async (actor, _request, signal) => ({
      keys: (await context.holderKeyListStore.list(visibilityOf(actor), signal)).map(holderKeyMessage),
    })),
    CreateHolderKey: change(context, 'CreateHolderKey', 'user', async (actor, request) => {
      return await newKeyMessage(context, await createHolderKey(context, actor, request));
    }),
    SetHolderKeyCache: change(context, 'SetHolderKeyCache', 'user', async (actor, request) => {
      await requireVisibleKey(context, actor, request.keyId);
      return changedKeyMessage(await changeKey(context, actor, request));
    }),
    RevokeHolderKey: change(context, 'RevokeHolderKey', 'user', async (actor, { keyId }) => {
      const own = await requireVisibleKey(context, actor, keyId);
      const { key, unconfirmed } = await revokeKey(context, actor, { keyId: own.id });
      return { key: keyMessage(key), unconfirmedInstances: unconfirmed };
    }),
    CreatePlaygroundKey: change(context, 'CreatePlaygroundKey', 'user', async (actor, request) => {
      const { keyId, rawKey, expiresAt } = await createPlaygroundKey(context, actor, request);
      return { keyId, rawKey, expiresAtMs: expiresAt.getTime() };
    }),
    GetHolderUsage: holderRead(context, 'GetHolderUsage', (actor, request, signal) =>
      getHolderUsage(context, actor, request, signal),
    ),
    ListHolderRequests: holderRead(context, 'ListHolderRequests', (actor, request, signal) =>
      listHolderRequests(context, actor, request, signal),
    ),
    GetHolderReceipt: holderRead(context, 'GetHolderReceipt', (actor, request, signal) =>
      getHolderReceipt(context, actor, request, signal),
    ),
    ViewHolderContents: change(context, 'ViewHolderContents', 'user', async (actor, request, signal) =>
      contentsMessage(await viewHolderContents(context, actor, request, signal)),
    ),
    SetHolderContents: change(context, 'SetHolderContents', 'user', async (actor, request) => {
      const { unconfirmed } = await setContents(context, actor, request);
      return { unconfirmedInstances: unconfirmed };
    }),
    GetHolderLimits: holderRead(context, 'GetHolderLimits', (actor, _request, signal) =>
      getHolderLimits(context, visibilityOf(actor), signal),
    ),
    GetHolderRules: holderRead(context, 'GetHolderRules', async (actor, request) =>
      rulesMessage(await getHolderRules(context, actor, request)),
    ),
    SetHolderRules: change(context, 'SetHolderRules', 'user', async (actor, request) =>
      setRulesMessage(await setHolderRules(context, actor, request)),
    ),
    GetHolderStatement: holderRead(context, 'GetHolderStatement', async (actor, { month }, signal) =>
      getStatement(context, await context.accountStore.require(actor.accountId), month, signal),
    ),
    ...holderTeamMethods(context),
    GetHolderSettings: holderRead(context, 'GetHolderSettings', (actor) => getHolderSettings(context, actor)),
    SetHolderCalendar: change(context, 'SetHolderCalendar', 'user', async (actor, calendar) => {
      const { unconfirmed } = await changeAccount(context, actor, { account: actor.accountId, ...calendar });
      return { unconfirmedInstances: unconfirmed };
    }),
    SetHolderMails: change(context, 'SetHolderMails', 'user', async (actor, { thresholdMails }) => {
      await patchAccount(context, actor, { accountId: actor.accountId, patch: { thresholdMails } });
      return {};
    }),
    ListHolderAuditEvents: holderRead(
      context,
      'ListHolderAuditEvents',
      async (actor, { filter, ...request }, signal) => {
        const query = { ...request, filter: auditFilter(filter) };
        return auditPageMessage(await listHolderAuditEvents(context, actor.accountId, query, signal));
      },
    ),
    CallManagementApi: change(context, 'CallManagementApi', 'user', async (actor, request, signal) => {
      const { body, headers, status } = await callOperation(context, actor, request, signal);
      return { status, bodyJson: JSON.stringify(body), headers };
    }),
    ReportSignIn: change(context, 'ReportSignIn', 'system', async (actor, request) => {
      await reportSignIn(context, actor, request);
      return {};
    }),
    MoveMoney: change(context, 'MoveMoney', 'user', async (actor, request) => {
      const { from, to } = await moveMoney(context, actor, request);
      return { from: poolMessage(from), to: poolMessage(to) };
    }),
    CreateHolderAdminKey: change(context, 'CreateHolderAdminKey', 'user', async (actor, request) =>
      newAdminKeyMessage(await createAdminKey(context, actor, newAdminKeyRequest(request))),
    ),
    ListHolderAdminKeys: holderRead(context, 'ListHolderAdminKeys', ({ accountId }, request) =>
      listAdminKeys(context, { ...request, accountId }),
    ),
    RevokeHolderAdminKey: change(context, 'RevokeHolderAdminKey', 'user', async (actor, { id }) =>
      adminKeyMessage(await revokeAdminKey(context, actor, id)),
    ),
    ...holderWebhooks(context),
    ListHolderMembers: holderRead(context, 'ListHolderMembers', ({ accountId }, request) =>
      listMembers(context, { account: accountId, limit: request.limit, pageToken: request.pageToken }),
    ),
    InviteHolderMember: change(context, 'InviteHolderMember', 'user', async (actor, request) =>
      newMemberInvitationMessage(
        await inviteMember(context, actor, { account: actor.accountId, ...request }),
      ),
    ),
    ChangeHolderMemberRole: change(context, 'ChangeHolderMemberRole', 'user', async (actor, request) => {
      const { memberId: member, role } = request;
      return memberMessage(
        await changeMemberRole(context, actor, { account: actor.accountId, member, role }),
      );
    }),
    RemoveHolderMember: change(context, 'RemoveHolderMember', 'user', async (actor, { memberId: member }) =>
      removedMemberMessage(await removeMember(context, actor, { account: actor.accountId, member })),
    ),
    FindOfferedMembership: holderRead(context, 'FindOfferedMembership', async (_actor, { token }) =>
      offeredMembershipMessage(await findOfferedMembership(context, token)),
    ),
    AcceptMembership: change(context, 'AcceptMembership', 'user', async (actor, request) => {
      const { account, member } = await acceptMembership(context, actor, request);
      return openedAccountMessage({ account, role: member.role });
    }),
  };
}

function openedAccountMessage({ account, role }: OpenedAccount) {
  return { account: accountMessage(account), role };
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
