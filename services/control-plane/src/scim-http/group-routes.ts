import type { ControlPlaneContext } from '../context.ts';
import { parseFilter } from '../scim/filter/parse-filter.ts';
import { changeGroup, createGroup, deleteGroup } from '../scim/groups/provision-group.ts';
import { listResponse, pageOf } from '../scim/page.ts';
import { noResource } from '../scim/scim-error.ts';
import { etagOf, groupResource, project, projectionOf, shows } from '../scim/scim-resources.ts';
import { ifMatchCheck, isUnchanged } from './preconditions.ts';
import type { ScimRequest, ScimResponse, ScimRoute } from './scim-route.ts';

export const groupRoutes: ScimRoute[] = [
  {
    method: 'get',
    path: '/Groups',
    handle: async ({ scimGroupListStore }, { directory, query, signal }) => {
      const filter = typeof query.filter === 'string' ? parseFilter(query.filter) : undefined;
      const page = pageOf(query);
      const projection = projectionOf(query);
      const which = { filter, page, withMembers: shows(projection, 'members') };
      const { groups, total } = await scimGroupListStore.list(directory, which, signal);
      const resources = groups.map((group) => project(groupResource(group), projection));
      return { status: 200, body: listResponse(total, page, resources) };
    },
  },
  {
    method: 'post',
    path: '/Groups',
    handle: async (context, request) => {
      const { id } = await createGroup(context, request.actor, request.directory, request.body);
      return await respondWith(context, request, id, 201);
    },
  },
  {
    method: 'get',
    path: '/Groups/:id',
    handle: (context, request) => respondWith(context, request, request.id, 200),
  },
  {
    method: 'put',
    path: '/Groups/:id',
    handle: async (context, { body, ...request }) => {
      const { actor, directory, id, ifMatch } = request;
      await changeGroup(context, actor, directory, { id, check: ifMatchCheck(ifMatch), body });
      return await respondWith(context, request, id, 200);
    },
  },
  {
    method: 'patch',
    path: '/Groups/:id',
    // Without a body: Entra ID expects 204, and a large group would be sent back for each new member.
    handle: async (context, { actor, body: patch, directory, id, ifMatch }) => {
      const group = await changeGroup(context, actor, directory, { id, check: ifMatchCheck(ifMatch), patch });
      return { status: 204, headers: { etag: etagOf(group) } };
    },
  },
  {
    method: 'delete',
    path: '/Groups/:id',
    handle: async (context, { actor, directory, id, ifMatch }) => {
      await deleteGroup(context, actor, directory, { id, check: ifMatchCheck(ifMatch) });
      return { status: 204 };
    },
  },
];

/** @throws ScimError 404 */
async function respondWith(
  { scimGroupListStore }: ControlPlaneContext,
  { directory, ifNoneMatch, query, signal }: Omit<ScimRequest, 'body'>,
  id: string,
  status: number,
): Promise<ScimResponse> {
  const projection = projectionOf(query);
  const group = await scimGroupListStore.find(directory, id, shows(projection, 'members'), signal);
  if (group === undefined) throw noResource(`there is no group ${id}`);
  const resource = groupResource(group);
  const headers = { etag: etagOf(group), location: resource.meta.location };
  if (isUnchanged(ifNoneMatch, group)) return { status: 304, headers };
  return { status, body: project(resource, projection), headers };
}
