import type { MemberServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { grantRole, installationRoleMessage, revokeRole } from '../members/installation-roles.ts';
import {
  addMember,
  changeMemberRole,
  inviteMember,
  listMembers,
  removeMember,
} from '../members/manage-members.ts';
import {
  memberMessage,
  newMemberInvitationMessage,
  removedMemberMessage,
} from '../members/member-message.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { change, read } from './unary.ts';

export function memberService(context: ControlPlaneContext): MethodsOf<MemberServiceHandlers> {
  return {
    ListMembers: read(context, 'ListMembers', listMembers),
    AddMember: change(context, 'AddMember', 'operator', async (actor, request) =>
      memberMessage(await addMember(context, actor, { ...request, source: 'operator' })),
    ),
    InviteMember: change(context, 'InviteMember', 'operator', async (actor, request) =>
      newMemberInvitationMessage(await inviteMember(context, actor, request)),
    ),
    ChangeMemberRole: change(context, 'ChangeMemberRole', 'operator', async (actor, request) =>
      memberMessage(await changeMemberRole(context, actor, request)),
    ),
    RemoveMember: change(context, 'RemoveMember', 'operator', async (actor, request) =>
      removedMemberMessage(await removeMember(context, actor, request)),
    ),
    GrantRole: change(context, 'GrantRole', 'operator', async (actor, request) =>
      installationRoleMessage(await grantRole(context, actor, request)),
    ),
    RevokeRole: change(context, 'RevokeRole', 'operator', async (actor, request) =>
      installationRoleMessage(await revokeRole(context, actor, request)),
    ),
    ListRoles: read(context, 'ListRoles', async () => ({
      roles: (await context.installationRoleStore.list()).map(installationRoleMessage),
    })),
  };
}
