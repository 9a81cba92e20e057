import { ACCOUNT_ROLES } from '@model-gateway/shared/access';
import { z } from 'zod';
import { newSecretToken } from '../../accounts/secret-token.ts';
import type { ManagementActor } from '../../actors/actor.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { notFound } from '../../errors/control-plane-error.ts';
import { addMember, changeMemberRole, inviteMember, removeMember } from '../../members/manage-members.ts';
import { memberResource, memberResourceSchema } from '../../members/member-resource.ts';
import {
  deleted,
  deletedResponse,
  listParameters,
  listQueryOf,
  listResponse,
  pageOf,
} from '../list-response.ts';
import { requireOwn } from '../own-account.ts';
import { route } from '../route.ts';

const member = memberResourceSchema.meta({ id: 'Member' });
const newMember = member
  .extend({ invitation_token: z.string().optional().describe('Of an invitation. It is sent only once.') })
  .meta({ id: 'NewMember' });
const common = { tag: 'Members', response: member, isResource: true } as const;
const role = z.enum(ACCOUNT_ROLES);

export const memberRoutes = [
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/accounts/:id/members',
    operationId: 'addMember',
    summary: 'Add or invite a member',
    description:
      'A member that is added needs no invitation: whoever signs in with the proven address has the role. With ' +
      '`invite: true`, the response has the token of an invitation.',
    scope: 'accounts:write',
    body: z.object({
      email: z.string(),
      role,
      name: z.string().optional().describe('Not for invitations.'),
      invite: z.boolean().default(false),
    }),
    response: newMember,
    secret: 'invitation_token',
    async handle(context, { actor, respondWith, body, params, setEtagOf }) {
      const account = await requireAccount(context, actor, params.id);
      const { email, invite, name = '', role: given } = body;
      const token = invite ? newSecretToken() : undefined;
      const responseOf = (resource: object) => {
        setEtagOf(resource);
        return { ...memberResourceSchema.parse(resource), invitation_token: token };
      };
      respondWith(responseOf);
      const request = { account, email, role: given };
      const { member: made } =
        token === undefined
          ? { member: await addMember(context, actor, { ...request, name, source: 'operator' }) }
          : await inviteMember(context, actor, { ...request, token });
      return responseOf(memberResource(made));
    },
  }),
  route({
    tag: common.tag,
    method: 'GET',
    path: '/admin/v1/accounts/:id/members',
    operationId: 'listMembers',
    summary: 'List members and open invitations',
    description: 'The account itself, whose e-mail address owns it, is not listed.',
    scope: 'accounts:read',
    query: z.object(listParameters),
    response: listResponse(member, 'MemberList'),
    async handle(context, { actor, params, query }) {
      const account = await requireAccount(context, actor, params.id);
      const page = listQueryOf(query);
      return pageOf(await context.memberStore.ofAccount(account, page), page, memberResource);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/accounts/:id/members/:member',
    operationId: 'getMember',
    summary: 'Get a member',
    scope: 'accounts:read',
    async handle(context, { actor, params }) {
      const account = await requireAccount(context, actor, params.id);
      const found = await context.memberStore.find(account, params.member);
      if (found === null) throw notFound(`the account has no member ${params.member}`);
      return memberResource(found);
    },
  }),
  route({
    ...common,
    method: 'PATCH',
    path: '/admin/v1/accounts/:id/members/:member',
    operationId: 'changeMember',
    summary: 'Change the role of a member',
    description: 'With a role below admin, withdraws the open invitations that the member made.',
    scope: 'accounts:write',
    body: z.object({ role }),
    async handle(context, { actor, body, params }) {
      const account = await requireAccount(context, actor, params.id);
      const request = { account, member: params.member, role: body.role };
      return memberResource(await changeMemberRole(context, actor, request));
    },
  }),
  route({
    tag: common.tag,
    method: 'DELETE',
    path: '/admin/v1/accounts/:id/members/:member',
    operationId: 'removeMember',
    summary: 'Remove a member, or withdraw an invitation',
    description: 'Revokes the keys and withdraws the open invitations that the member made.',
    scope: 'accounts:write',
    response: deletedResponse('member'),
    async handle(context, { actor, noteUnconfirmed, params }) {
      const account = await requireAccount(context, actor, params.id);
      const removed = await removeMember(context, actor, { account, member: params.member });
      noteUnconfirmed(removed.unconfirmed);
      return deleted('member', removed.member.id);
    },
  }),
];

/** @throws ControlPlaneError not_found */
async function requireAccount(
  { accountStore }: Pick<ControlPlaneContext, 'accountStore'>,
  actor: ManagementActor,
  id: string,
): Promise<string> {
  requireOwn(actor, id, `account ${id}`);
  return (await accountStore.require(id)).id;
}
