import {
  acceptMembershipRequest,
  changeRoleRequest,
  findMembershipRequest,
  inviteMemberRequest,
  type MembersResponse,
  type RemoveMemberResponse,
  switchAccountRequest,
} from '../../wire/members.ts';
import type { DashboardContext } from '../context.ts';
import type { HolderReads } from '../control-plane/holder-client.ts';
import { accountNotFound } from '../errors/request-errors.ts';
import { requestOrigin } from '../http/observe-request.ts';
import { parseRequest } from '../http/parse-request.ts';
import { inviteMember } from '../members/invite-member.ts';
import { toMember, toOfferedAccount } from '../members/to-member.ts';
import { type ApiRoute, type HolderExchange, holderRoute, pathParameter } from './api-route.ts';

const PAGE_LENGTH = 200;
/** Members that one response lists at most: more would help nobody who reads it. */
const MAX_LISTED = 2_000;

/** Members of the account, and the accounts of the user. */
export function memberRoutes(context: DashboardContext): ApiRoute[] {
  const { accounts, playgroundKeys, sessionStore } = context;
  const proven = { needsProof: true };

  /** Lets the session show another account, and revokes its playground keys of the old one. */
  const switchTo = async ({ req, res, session }: HolderExchange, accountId: string): Promise<void> => {
    await sessionStore.setActiveAccount(session.id, accountId);
    playgroundKeys.revoke(session.id, requestOrigin(context, req, res));
    res.status(204).end();
  };

  return [
    holderRoute('admin', 'GET', '/api/members', async ({ res, accountId, reads }) => {
      res.json(await listMembers(reads, accountId));
    }),

    holderRoute(
      'admin',
      'POST',
      '/api/members',
      async ({ res, account, emailVerified, user, changes, body }) => {
        const request = parseRequest(inviteMemberRequest, body);
        const { accountId, email } = user;
        const inviter = { accountId, email, emailVerified, accountName: account.name };
        res.status(201).json(await inviteMember(context, changes, inviter, request));
      },
      proven,
    ),

    holderRoute(
      'admin',
      'POST',
      '/api/members/:memberId/role',
      async ({ req, res, changes, body }) => {
        const { role } = parseRequest(changeRoleRequest, body);
        await changes.changeHolderMemberRole({ memberId: pathParameter(req, 'memberId'), role });
        res.status(204).end();
      },
      proven,
    ),

    holderRoute(
      'admin',
      'POST',
      '/api/members/:memberId/remove',
      async ({ req, res, changes }) => {
        const memberId = pathParameter(req, 'memberId');
        const { revokedKeyIds, unconfirmedInstances } = await changes.removeHolderMember({ memberId });
        const response: RemoveMemberResponse = {
          revokedKeys: revokedKeyIds.length,
          refusedEverywhere: unconfirmedInstances.length === 0,
        };
        res.json(response);
      },
      { ...proven, isChange: false },
    ),

    holderRoute(
      'sign-in',
      'POST',
      '/api/memberships/find',
      async ({ res, reads, body }) => {
        const { token } = parseRequest(findMembershipRequest, body);
        res.json(toOfferedAccount(await reads.findOfferedMembership({ token })));
      },
      { isChange: false },
    ),

    holderRoute('sign-in', 'POST', '/api/memberships/accept', async (exchange) => {
      const which = parseRequest(acceptMembershipRequest, exchange.body);
      const { account } = await exchange.changes.acceptMembership(which);
      await accounts.admit(exchange.session.user);
      if (account === null) throw new Error('the control plane answered without the account');
      await switchTo(exchange, account.id);
    }),

    holderRoute(
      'sign-in',
      'POST',
      '/api/session/account',
      async (exchange) => {
        const { accountId } = parseRequest(switchAccountRequest, exchange.body);
        const access = await accounts.admit(exchange.session.user);
        if (!access.accounts.some(({ id }) => id === accountId)) throw accountNotFound();
        await switchTo(exchange, accountId);
      },
      { isChange: false },
    ),
  ];
}

async function listMembers(
  reads: Pick<HolderReads, 'listHolderMembers'>,
  accountId: string,
): Promise<MembersResponse> {
  const response: MembersResponse = { ownerEmail: '', members: [] };
  let pageToken: string | undefined;
  do {
    const ask = { accountId, limit: PAGE_LENGTH, ...(pageToken !== undefined && { pageToken }) };
    const page = await reads.listHolderMembers(ask);
    response.ownerEmail = page.ownerEmail;
    response.members.push(...page.members.map(toMember));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined && response.members.length < MAX_LISTED);
  return response;
}
