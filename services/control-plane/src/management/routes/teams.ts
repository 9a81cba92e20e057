import { z } from 'zod';
import { changeTeam } from '../../teams/change-team.ts';
import { createTeam } from '../../teams/create-team.ts';
import { deleteTeam } from '../../teams/delete-team.ts';
import { teamResource, teamResourceSchema } from '../../teams/team-resource.ts';
import { externalId } from '../external-id.ts';
import {
  deleted,
  deletedResponse,
  externalIdParameter,
  listParameters,
  listQueryOf,
  listResponse,
  pageOf,
} from '../list-response.ts';
import { accountForNew, listedAccount, requireOwnTeam } from '../own-account.ts';
import { route } from '../route.ts';

const team = teamResourceSchema.meta({ id: 'Team' });
const common = { tag: 'Teams', response: team, isResource: true } as const;
const requestsPerMinute = z.int().min(1);

export const teamRoutes = [
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/teams',
    operationId: 'createTeam',
    summary: 'Create a team',
    scope: 'teams:write',
    body: z.object({
      account_id: z.string().optional().describe('The owner.'),
      name: z.string(),
      requests_per_minute: requestsPerMinute.optional().describe('Shared by all keys on its seats.'),
      external_id: externalId.optional(),
    }),
    async handle(context, { actor, body }) {
      const created = await createTeam(context, actor, {
        account: accountForNew(actor, body.account_id),
        name: body.name,
        requestsPerMinute: body.requests_per_minute,
        externalId: body.external_id,
      });
      return teamResource(created);
    },
  }),
  route({
    tag: common.tag,
    method: 'GET',
    path: '/admin/v1/teams',
    operationId: 'listTeams',
    summary: 'List teams',
    scope: 'teams:read',
    query: z.object({ ...listParameters, ...externalIdParameter, account_id: z.string().optional() }),
    response: listResponse(team, 'TeamList'),
    async handle({ teamListStore }, { actor, query, signal }) {
      const page = listQueryOf(query);
      const filter = { accountId: listedAccount(actor, query.account_id), externalId: query.external_id };
      return pageOf(await teamListStore.page(filter, page, signal), page, teamResource);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/teams/:id',
    operationId: 'getTeam',
    summary: 'Get a team',
    scope: 'teams:read',
    handle: async (context, { actor, params }) =>
      teamResource(await requireOwnTeam(context, actor, params.id)),
  }),
  route({
    ...common,
    method: 'PATCH',
    path: '/admin/v1/teams/:id',
    operationId: 'changeTeam',
    summary: 'Change a team',
    scope: 'teams:write',
    body: z.object({
      name: z.string().optional(),
      requests_per_minute: requestsPerMinute.optional(),
      external_id: externalId.nullable().optional(),
    }),
    async handle(context, { actor, body, noteUnconfirmed, params }) {
      const { id: teamId } = await requireOwnTeam(context, actor, params.id);
      const { external_id, name, requests_per_minute } = body;
      const changes = { teamId, name, requestsPerMinute: requests_per_minute, externalId: external_id };
      const { team: changed, unconfirmed } = await changeTeam(context, actor, changes);
      noteUnconfirmed(unconfirmed);
      return teamResource(changed);
    },
  }),
  route({
    tag: common.tag,
    method: 'DELETE',
    path: '/admin/v1/teams/:id',
    operationId: 'deleteTeam',
    summary: 'Delete a team',
    description: 'Removes its seats, revokes their keys and takes away its pools. Usage stays.',
    scope: 'teams:write',
    response: deletedResponse('team'),
    async handle(context, { actor, noteUnconfirmed, params }) {
      const { id } = await requireOwnTeam(context, actor, params.id);
      const { unconfirmed } = await deleteTeam(context, actor, { teamId: id });
      noteUnconfirmed(unconfirmed);
      return deleted('team', id);
    },
  }),
];
